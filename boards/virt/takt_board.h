/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board virt of QEMU as programs on it see it: numbered interrupts, and the one clock.
 *
 * Source: QEMU's documentation of the machine; the PLIC's specification 1.0.0. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One tick of the scheduler is one count of mtime, 10 MHz. */
enum { TAKT_BOARD_TICK_NS = 100, TAKT_BOARD_INTERRUPTS = 32 };

/* Interrupts 1 .. 31 are the lines of the PLIC (10 the serial port, 11 the clock of the day, 12 .. 31 without a
 * device); any of 0 .. 31 can also be made pending by the program, as an interrupt controller of Arm allows. Such a
 * one comes through the CLINT's software interrupt, the smallest number first. Handlers are functions named
 * takt_board_interrupt_0 .. _31; undefined ones stop in takt_port_fault. They run with interrupts masked. */

/* Enables interrupt `number`. All of them may call the kernel. */
void takt_board_interrupt_enable(uint32_t number);

/* Makes interrupt `number` pending, from anywhere. On silicon the interrupt may come a few instructions later: the
 * CLINT is behind a bus, and nothing says when a write of it is seen. */
void takt_board_interrupt_pend(uint32_t number);

/* ---- the alarm: a timer for the program ------------------------------------------------------------------ */

/* Its interrupt calls the function of this name, which is the program's. */
#define TAKT_BOARD_ALARM_HANDLER takt_board_interrupt_11
void TAKT_BOARD_ALARM_HANDLER(void);

/* Sets the alarm to expire once, in `ahead` ticks, or earlier if that is far; or every `period` ticks, without drift.
 * Replaces the earlier setting. */
void takt_board_alarm_once(uint64_t ahead);
void takt_board_alarm_every(uint32_t period);

/* Clears the request. Call in its interrupt. */
void takt_board_alarm_served(void);

void takt_board_alarm_stop(void);

#ifdef __cplusplus
}
#endif

#endif
