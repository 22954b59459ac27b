/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The boards MPS2 as programs on them see them: interrupts and the one clock. Included by takt_board.h, which says where
 * an image of the FPGA has its devices, and which interrupts are theirs.
 *
 * Source: CMSDK technical reference manual DDI 0479, APB timer and dual timer. */
#ifndef TAKT_BOARD_MPS2_H
#define TAKT_BOARD_MPS2_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_BOARD_INTERRUPTS 32

/* Handlers are functions named takt_board_interrupt_0 .. _31; those that the program does not define stop in
 * takt_port_fault. */

/* Enables interrupt `number` at `priority` (smaller = more urgent). One that calls the kernel has
 * TAKT_PORT_KERNEL_LEVEL or a larger number. */
void takt_board_interrupt_enable(uint32_t number, uint32_t priority);

/* Makes interrupt `number` pending. */
void takt_board_interrupt_pend(uint32_t number);

/* Registers of a CMSDK APB timer: it counts down, and raises its interrupt on reaching 0. */
typedef struct takt_board_timer {
    volatile uint32_t control; /* bit 0 counts, bit 3 interrupts */
    volatile uint32_t value;
    volatile uint32_t reload;    /* 0: stops at 0 */
    volatile uint32_t interrupt; /* write 1 to clear */
} takt_board_timer_t;

/* Timer 0 runs freely and is the clock; timer 1 is the scheduler's one-shot. */
#define TAKT_BOARD_TIMER0 ((takt_board_timer_t *)TAKT_BOARD_DEVICES)
#define TAKT_BOARD_TIMER1 ((takt_board_timer_t *)(TAKT_BOARD_DEVICES + 0x1000u))

/* ---- the alarm: a timer for the program ------------------------------------------------------------------ */

/* Its interrupt calls TAKT_BOARD_ALARM_HANDLER, which is the program's, at TAKT_PORT_KERNEL_LEVEL. */
void TAKT_BOARD_ALARM_HANDLER(void);

/* Sets the alarm to expire once, in `ahead` ticks, or earlier if that is far; or every `period` ticks, without drift.
 * Replaces the earlier setting. */
void takt_board_alarm_once(uint64_t ahead);
void takt_board_alarm_every(uint32_t period);

/* Clears the request. Call in its interrupt. */
void takt_board_alarm_served(void);

void takt_board_alarm_stop(void);

/* Registers of half a CMSDK dual timer, the alarm: it counts down. */
typedef struct takt_board_dual_timer {
    volatile uint32_t load; /* counts down from there at once */
    volatile uint32_t value;
    volatile uint32_t control;
    volatile uint32_t clear;
} takt_board_dual_timer_t;

#define TAKT_BOARD_DUAL_TIMER ((takt_board_dual_timer_t *)(TAKT_BOARD_DEVICES + 0x2000u))

#ifdef __cplusplus
}
#endif

#endif
