/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Boards with an nRF51 (Cortex-M0), such as the BBC micro:bit, or an nRF52 (Cortex-M4), such as the nRF52840 DK, as
 * programs on them see them: interrupts, and the one clock. A project that has the vendor's device header may include
 * it beside this one.
 *
 * Source: Nordic Semiconductor, nRF51 Series Reference Manual 3.0, chapters 6 and 18; nRF52840 Product Specification
 * 1.7, chapters 6.30 and 6.34. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One tick of the scheduler is one count of TIMER0, 8 MHz. */
enum { TAKT_BOARD_TICK_NS = 125 };

/* Handlers are functions named takt_board_interrupt_0 .. _31, on an nRF52 .. _47; those that the program does not
 * define stop in takt_port_fault. 8 (TIMER0) and 20 (SWI0) are the board's own. */
#if defined(__ARM_ARCH_6M__)
#define TAKT_BOARD_INTERRUPTS 32
#else
#define TAKT_BOARD_INTERRUPTS 48
#endif

/* The pin of port 0 that takt_port_print writes to, at 115,200 baud: that of the board's debugger. */
#ifndef TAKT_BOARD_UART_PIN
#if defined(__ARM_ARCH_6M__)
#define TAKT_BOARD_UART_PIN 24
#else
#define TAKT_BOARD_UART_PIN 6
#endif
#endif

/* Enables interrupt `number` at `priority`, smaller is more urgent. One that calls the kernel has
 * TAKT_PORT_KERNEL_LEVEL or a larger number. */
void takt_board_interrupt_enable(uint32_t number, uint32_t priority);

/* Makes interrupt `number` pending. */
void takt_board_interrupt_pend(uint32_t number);

/* ---- the alarm: a timer for the program ------------------------------------------------------------------ */

/* Called in TIMER0's interrupt, at TAKT_PORT_KERNEL_LEVEL; the program's. */
#define TAKT_BOARD_ALARM_HANDLER takt_board_alarm
void TAKT_BOARD_ALARM_HANDLER(void);

/* Sets the alarm to expire once, in `ahead` ticks, or earlier if that is far; or every `period` ticks, without drift.
 * Replaces the earlier setting. */
void takt_board_alarm_once(uint64_t ahead);
void takt_board_alarm_every(uint32_t period);

/* Clears the request. Call in its interrupt. */
void takt_board_alarm_served(void);

void takt_board_alarm_stop(void);

/* ---- the clock's registers ------------------------------------------------------------------------------- */

/* Registers of a TIMER, of which 0 has 32 bits: four comparators; a comparator also takes the count on demand. */
typedef struct takt_board_timer {
    volatile uint32_t start, stop, count, clear, reserved_0[12];
    volatile uint32_t capture[4], reserved_1[60];
    volatile uint32_t compared[4], reserved_2[44];
    volatile uint32_t shorts, reserved_3[64];
    volatile uint32_t interrupt_set, interrupt_clear, reserved_4[126];
    volatile uint32_t mode, width, reserved_5, prescaler, reserved_6[11];
    volatile uint32_t comparator[4];
} takt_board_timer_t;

#define TAKT_BOARD_TIMER0 ((takt_board_timer_t *)UINT32_C(0x40008000))

#ifdef __cplusplus
}
#endif

#endif
