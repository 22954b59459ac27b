/* Clock and timer of the board mps2-an385. Included by takt_port.h.
 *
 * Clock: timer 0 counts down through all 32 bits at 25 MHz. It is extended to 64 bits by difference:
 * every reading adds what has passed since the last one modulo 2^32. No overflow interrupt exists
 * that could be late; instead the one-shot saturates at a quarter of the counter's range, so that the
 * kernel reads the clock several times in every round.
 *
 * Timer: timer 1 with reload 0 stops at 0 and interrupts once.
 *
 * Source: as mps2_an385.h. Both functions are called under the lock. */
#ifndef TAKT_PORT_MPS2_AN385_CLOCK_H
#define TAKT_PORT_MPS2_AN385_CLOCK_H

#include "port/cortex_m/mps2_an385.h"

enum { TAKT_BOARD_LONGEST_SHOT = 0x40000000 /* plus any lateness still below one round of the clock */ };

extern takt_instant_t takt_board_last_reading;

TAKT_INLINE takt_instant_t takt_port_now(void) {
    const uint32_t counter = ~TAKT_BOARD_TIMER0->value;
    takt_board_last_reading += counter - (uint32_t)takt_board_last_reading;
    return takt_board_last_reading;
}

TAKT_INLINE void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    const takt_duration_t ahead = until > now ? until - now : 1u;
    TAKT_BOARD_TIMER1->value =
        ahead < TAKT_BOARD_LONGEST_SHOT ? (uint32_t)ahead : (uint32_t)TAKT_BOARD_LONGEST_SHOT;
}

#endif
