/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The supply bound function (sbf) of a server, for any window that begins when it gets work; its inverse and its forms.
 *
 * Sources: I. Shin and I. Lee, Periodic resource model for compositional real-time guarantees, RTSS 2003, eq. (6)
 * (sbf); R. I. Davis and A. Burns, Hierarchical fixed priority pre-emptive scheduling, RTSS 2005 (the gap, refined by
 * the server's own response time); integer time and the gap of polling: algorithms.md 6.5.
 *
 * No supply for `gap` ticks, then `budget` in a row, then none for period - budget, and so on; the first `loss` ticks
 * of supply are missing (payback of overruns). The forms differ in the gap only:
 *
 *   periodic, deferrable, idling, hard-cbs   P + R - 2 Q
 *   sporadic, at most 32 returns             P + R - 2 Q
 *   polling                                  P + R - Q - 1
 *   sporadic, perhaps more                   2 P + R - Q - 1, and a period of 2 P
 *
 * where R, Q <= R <= P, is the longest time from a replenishment until the whole budget is supplied: the server's
 * response time in its parent, or P if only its deadline is known (EDF). A sporadic server of Takt keeps 32 returns,
 * and one more is merged with the last one: what was used from s on is back by s + 2 P, since such a last one is due
 * before the first one's instant + P. There are at most Q returns, and at most those of sporadic_returns.h.
 *
 * Not for cbs, tbs and cus, whose supply depends on how far they ran ahead (bandwidth.h). */
#ifndef TAKT_ANALYSIS_SUPPLY_H
#define TAKT_ANALYSIS_SUPPLY_H

#include "analysis/sporadic_returns.h"

TAKT_C_BEGIN

typedef struct takt_supply {
    takt_duration_t period; /* P */
    takt_duration_t budget; /* Q, 1 .. P */
    takt_duration_t gap;    /* the longest time without supply; below twice the period */
    takt_duration_t loss;   /* what is missing once more: 0, or X of payback */
} takt_supply_t;

/* The processor itself: one tick in each tick. */
TAKT_INLINE takt_supply_t takt_supply_full(void) { return (takt_supply_t){1, 1, 0, 0}; }

/* The supply of a server that has received its budget `response` ticks after each replenishment, perhaps in pieces. */
TAKT_INLINE takt_supply_t takt_supply_periodic(takt_duration_t period, takt_duration_t budget,
                                               takt_duration_t response) {
    return (takt_supply_t){period, budget, (period - budget) + (response - budget), 0};
}

/* The same, where work that arrives a tick after the replenishment finds no budget. */
TAKT_INLINE takt_supply_t takt_supply_polling(takt_duration_t period, takt_duration_t budget,
                                              takt_duration_t response) {
    return (takt_supply_t){period, budget, (period - 1u) + (response - budget), 0};
}

/* The supply of a sporadic server with at most `returns` pending. 2 P is at most TAKT_ANALYSIS_TIME_MAX. */
TAKT_INLINE takt_supply_t takt_supply_sporadic(takt_duration_t period, takt_duration_t budget,
                                               takt_duration_t response, uint64_t returns) {
    return budget <= TAKT_SPORADIC_RETURNS || returns <= TAKT_SPORADIC_RETURNS
               ? takt_supply_periodic(period, budget, response)
               : takt_supply_polling(2u * period, budget, response);
}

/* sbf(t): the least supply in any window of `t` ticks, t below TAKT_ANALYSIS_LIMIT. Constant time. */
uint64_t takt_supply_bound(const takt_supply_t *supply, uint64_t t);

/* The least `*t` with sbf(*t) >= demand; false if that is not below TAKT_ANALYSIS_LIMIT. `demand` is below it.
 * Constant time. */
TAKT_MUST_USE bool takt_supply_time(const takt_supply_t *supply, uint64_t demand, uint64_t *t);

TAKT_C_END

#endif
