/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Utilization bounds of rate monotonic scheduling: three sufficient tests.
 *
 * Each replaces the period and the deadline of a task by min(T, D) - J, which is at least as hard to schedule.
 * The array is in the order of priorities, the most urgent task first. The bounds are proved for ascending
 * min(T, D) - J (rate monotonic if D = T, deadline monotonic if D < T, J = 0): in another order each is TAKT_UNDECIDED.
 * Nothing blocks. TAKT_UNSCHEDULABLE says that the bound is exceeded, not that a deadline can be missed. */
#ifndef TAKT_ANALYSIS_UTILIZATION_BOUNDS_H
#define TAKT_ANALYSIS_UTILIZATION_BOUNDS_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* State of the search for chains, of one task. */
typedef struct takt_chain_link {
    uint32_t successor; /* in its chain, or TAKT_NO_ENTITY */
    uint32_t predecessor;
    uint32_t reached_from; /* in the search that is going on */
    uint32_t queued;
} takt_chain_link_t;

/* Liu and Layland's bound: U <= n (2^(1/n) - 1). Utilizations are rounded up by less than 2^-62 each, so a set within
 * the bound by less than n 2^-60 may fail. */
TAKT_MUST_USE takt_verdict_t takt_liu_layland_decide(const takt_sporadic_t *tasks, uint32_t count);

/* The hyperbolic bound: the product of all C / T + 1 is at most 2. Computed exactly; every set within Liu and Layland's
 * bound passes. `words` has 2 count + 2 values. Takes count^2 multiplications. */
TAKT_MUST_USE takt_verdict_t takt_hyperbolic_decide(const takt_sporadic_t *tasks, uint32_t count,
                                                    uint64_t *words);

/* Liu and Layland's bound for chains in place of tasks: U <= k (2^(1/k) - 1), k being the least number of chains in which
 * each period divides the next; U <= 1 if all are one chain, exactly, else rounded as takt_liu_layland_decide. `links` has
 * `count` values, `chains` becomes k. Takes count^3 divisions at most. */
TAKT_MUST_USE takt_verdict_t takt_harmonic_decide(const takt_sporadic_t *tasks, uint32_t count,
                                                  takt_chain_link_t *links, uint32_t *chains);

TAKT_C_END

#endif
