/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clock and timer of boards with an STM32F4. Included by takt_port.h.
 *
 * Clock: TIM2 counts up through all 32 bits, once in a tick. It is extended to 64 bits by difference: every reading
 * adds what has passed since the last one modulo 2^32. The one-shot is never longer than half of the counter's range,
 * so that the kernel reads the clock in every round.
 *
 * Timer: comparator 1 of TIM2. An instant that has come before the comparator was written would be a round away, so
 * the counter is read behind it, and the request made by software.
 *
 * Source: as takt_board.h. Both functions are called under the lock. */
#ifndef TAKT_BOARD_CLOCK_H
#define TAKT_BOARD_CLOCK_H

#include <takt_board.h>

enum { TAKT_BOARD_LONG_SHOT = 0x40000000 /* a quarter of a round of the clock */ };

extern takt_instant_t takt_board_last_reading;

TAKT_INLINE takt_instant_t takt_port_now(void) {
    takt_board_last_reading += (uint32_t)TIM2->CNT - (uint32_t)takt_board_last_reading;
    return takt_board_last_reading;
}

TAKT_INLINE void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    const takt_duration_t ahead = until - now;
    const bool is_far = ((uint32_t)(ahead >> 32) | (uint32_t)ahead >> 31) != 0;
    const uint32_t far = (uint32_t)now + (until > now ? (uint32_t)TAKT_BOARD_LONG_SHOT : 0u);
    const uint32_t at = is_far ? far : (uint32_t)until;
    TIM2->CCR1 = at;
    if ((int32_t)(at - (uint32_t)TIM2->CNT) <= 0) {
        TIM2->EGR = TIM_EGR_CC1G;
    }
}

#endif
