/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The chip in hardware/ as programs on it see it: numbered interrupts, and the one clock, which counts cycles. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One tick of the scheduler is one cycle, at 50 MHz. */
enum { TAKT_BOARD_TICK_NS = 20, TAKT_BOARD_INTERRUPTS = 32 };

/* A round of the loop in firmware/boards/load.c: 11 cycles of a subtraction and a branch, and these. */
#define TAKT_BOARD_ROUND_TICKS 16
#define TAKT_BOARD_ROUNDS_AROUND 6
#define TAKT_BOARD_ROUND_PADDING "nop\n nop\n nop\n nop\n nop\n"

/* What firmware/main.c executes around a load. */
#define TAKT_BOARD_AROUND_NS (300 * TAKT_BOARD_TICK_NS)

/* Any interrupt of 0 .. 31 can be made pending by the program: it comes through the CLINT's software interrupt, the
 * smallest number first. Number 11 is the alarm's, too. Handlers are functions named takt_board_interrupt_0 .. _31;
 * undefined ones stop in takt_port_fault. They run with interrupts masked. */

/* Enables interrupt `number`. All of them may call the kernel. */
void takt_board_interrupt_enable(uint32_t number);

/* Makes interrupt `number` pending, from anywhere. It comes a few instructions later. */
void takt_board_interrupt_pend(uint32_t number);

/* ---- the alarm: a timer for the program ------------------------------------------------------------------ */

/* Its interrupt calls the function of this name, which is the program's. */
#define TAKT_BOARD_ALARM_HANDLER takt_board_interrupt_11
void TAKT_BOARD_ALARM_HANDLER(void);

/* Sets the alarm to expire once, in `ahead` ticks; or every `period` ticks, without drift. Replaces the earlier
 * setting. */
void takt_board_alarm_once(uint64_t ahead);
void takt_board_alarm_every(uint32_t period);

/* Clears the request. Call in its interrupt. */
void takt_board_alarm_served(void);

void takt_board_alarm_stop(void);

#ifdef __cplusplus
}
#endif

#endif
