/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Boards with an STM32F4, as programs on them see them. The vendor's device header, stm32f4xx.h, its start-up file and
 * its set-up of the clocks are the project's: they are found through its include path and its sources. So are
 * handlers of interrupts, by the vendor's names; TIM2, TIM5, SVC, PendSV and the faults are the board's own.
 *
 * Source: STMicroelectronics, RM0090 Rev 19, chapter 18. */
#ifndef TAKT_BOARD_H
#define TAKT_BOARD_H

#include <stdint.h>
#include <stm32f4xx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One tick of the scheduler is one count of TIM2, 1 MHz. */
enum { TAKT_BOARD_TICK_NS = 1000 };

/* What TIM2 and TIM5 are clocked with when the kernel starts: 16 MHz after reset; with the usual set-up of 168 MHz, 84 MHz. */
#ifndef TAKT_BOARD_TIMER_HERTZ
#define TAKT_BOARD_TIMER_HERTZ 16000000
#endif

#if TAKT_BOARD_TIMER_HERTZ % 1000000 != 0
#error "TAKT_BOARD_TIMER_HERTZ must be a multiple of 1 MHz, which the clock counts"
#endif

/* ---- the alarm: a timer for the program ------------------------------------------------------------------ */

/* Called in TIM5's interrupt, at TAKT_PORT_KERNEL_LEVEL; the program's. */
#define TAKT_BOARD_ALARM_HANDLER takt_board_alarm
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
