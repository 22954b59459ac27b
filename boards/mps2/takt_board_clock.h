/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clock and timer of the boards MPS2. Included by takt_port.h.
 *
 * Clock: timer 0 counts down through all 32 bits, once in a tick. It is extended to 64 bits by difference:
 * every reading adds what has passed since the last one modulo 2^32. No overflow interrupt exists
 * that could be late; instead the one-shot is never longer than half of the counter's range, so that the
 * kernel reads the clock in every round.
 *
 * Timer: timer 1 with reload 0 stops at 0 and interrupts once. What is ahead no farther than half of the range is distinguished
 * by the two counters' lower words; anything else is checked again after a quarter, early enough if `now` is less than
 * a quarter old.
 *
 * Source: as mps2.h. Both functions are called under the lock. */
#ifndef TAKT_BOARD_CLOCK_H
#define TAKT_BOARD_CLOCK_H

#include <takt_board.h>

enum { TAKT_BOARD_LONG_SHOT = 0x40000000 /* a quarter of a round of the clock */ };

extern takt_instant_t takt_board_last_reading;

TAKT_INLINE takt_instant_t takt_port_now(void) {
    const uint32_t counter = ~TAKT_BOARD_TIMER0->value;
    takt_board_last_reading += counter - (uint32_t)takt_board_last_reading;
    return takt_board_last_reading;
}

TAKT_INLINE void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    const takt_duration_t ahead = until - now;
    if (((uint32_t)(ahead >> 32) | (uint32_t)ahead >> 31) != 0) {
        TAKT_BOARD_TIMER1->value = until > now ? (uint32_t)TAKT_BOARD_LONG_SHOT : 1u;
        return;
    }
    const int32_t left = (int32_t)((uint32_t)until + TAKT_BOARD_TIMER0->value);
    TAKT_BOARD_TIMER1->value = (uint32_t)(left > 0 ? left : 0) + 1u;
}

#endif
