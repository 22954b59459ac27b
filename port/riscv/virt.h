/* The board virt of QEMU as programs on it see it: numbered interrupts, and the one clock.
 *
 * Source: QEMU's documentation of the machine; the PLIC's specification 1.0.0. */
#ifndef TAKT_PORT_VIRT_H
#define TAKT_PORT_VIRT_H

#include <stdint.h>

/* One tick of the scheduler is one count of mtime, 10 MHz. */
enum { TAKT_BOARD_TICK_NS = 100, TAKT_BOARD_INTERRUPTS = 32 };

/* Interrupts 1 .. 31 are the lines of the PLIC (10 the serial port, 11 the clock of the day, 12 .. 31 without a
 * device); any of 0 .. 31 can also be made pending by the program, as an interrupt controller of Arm allows. Such a
 * one comes through the CLINT's software interrupt, the smallest number first. Handlers are functions named
 * takt_board_interrupt_0 .. _31; the ones nobody defines stop in takt_port_fault. They run with interrupts masked. */

/* Enables interrupt `number`. All of them may call the kernel. */
void takt_board_interrupt_enable(uint32_t number);

/* Makes interrupt `number` pending, from anywhere. On silicon the interrupt may come a few instructions later: the
 * CLINT is behind a bus, and nothing says when a write of it is seen. */
void takt_board_interrupt_pend(uint32_t number);

/* The goldfish clock of the day, in nanoseconds: a one-shot alarm on line 11. Reading time_low latches time_high;
 * writing alarm_low arms. */
typedef struct takt_board_alarm_clock {
    volatile uint32_t time_low;
    volatile uint32_t time_high;
    volatile uint32_t alarm_low;
    volatile uint32_t alarm_high; /* before alarm_low */
    volatile uint32_t interrupt_enabled;
    volatile uint32_t alarm_clear;
    volatile uint32_t alarm_status;
    volatile uint32_t interrupt_clear;
} takt_board_alarm_clock_t;

enum { TAKT_BOARD_ALARM_INTERRUPT = 11 };

#define TAKT_BOARD_ALARM_CLOCK ((takt_board_alarm_clock_t *)UINT32_C(0x00101000))

#endif
