/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clock and timer of boards with an nRF51 or nRF52. Included by takt_port.h.
 *
 * Clock: TIMER0 counts up through all 32 bits, once in a tick. It is extended to 64 bits by difference: every reading
 * adds what has passed since the last one modulo 2^32. The one-shot is never longer than half of the counter's range,
 * so that the kernel reads the clock in every round.
 *
 * Timer: comparator 0 of TIMER0. An instant that has come before the comparator was written would be a round away, so
 * the counter is read behind it, and the interrupt made pending.
 *
 * Source: as takt_board.h. Both functions are called under the lock. */
#ifndef TAKT_BOARD_CLOCK_H
#define TAKT_BOARD_CLOCK_H

#include <takt_board.h>

enum {
    TAKT_BOARD_LONG_SHOT = 0x40000000, /* a quarter of a round of the clock */
    TAKT_BOARD_EXPIRED = 0,            /* comparators: of the scheduler, */
    TAKT_BOARD_COUNT = 1,              /* of the counter's readings, */
    TAKT_BOARD_ALARM = 2,              /* of the program */
    TAKT_BOARD_TIMER_INTERRUPT = 20,   /* SWI0 */
};

extern takt_instant_t takt_board_last_reading;
extern uint32_t takt_board_skipped; /* ticks that the counter has not counted: it cannot be written */

TAKT_INLINE uint32_t takt_board_counter(void) {
    TAKT_BOARD_TIMER0->capture[TAKT_BOARD_COUNT] = 1;
    return TAKT_BOARD_TIMER0->comparator[TAKT_BOARD_COUNT] + takt_board_skipped;
}

TAKT_INLINE takt_instant_t takt_port_now(void) {
    takt_board_last_reading += takt_board_counter() - (uint32_t)takt_board_last_reading;
    return takt_board_last_reading;
}

TAKT_INLINE void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    const takt_duration_t ahead = until - now;
    const bool is_far = ((uint32_t)(ahead >> 32) | (uint32_t)ahead >> 31) != 0;
    const uint32_t far = (uint32_t)now + (until > now ? (uint32_t)TAKT_BOARD_LONG_SHOT : 0u);
    const uint32_t at = is_far ? far : (uint32_t)until;
    TAKT_BOARD_TIMER0->comparator[TAKT_BOARD_EXPIRED] = at - takt_board_skipped;
    if ((int32_t)(at - takt_board_counter()) <= 1) {
        takt_board_interrupt_pend(TAKT_BOARD_TIMER_INTERRUPT);
    }
}

#endif
