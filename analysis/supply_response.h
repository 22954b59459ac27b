/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The worst-case response time of one task under fixed priorities, where the processor is not always there. See
 * supply_response.c. */
#ifndef TAKT_ANALYSIS_SUPPLY_RESPONSE_H
#define TAKT_ANALYSIS_SUPPLY_RESPONSE_H

#include "analysis/supply.h"

/* What the tasks of a server ask for, as others see it: beside J, their jitter has for how long they wait for budget. */
typedef struct takt_inside {
    const takt_sporadic_t *tasks; /* their deadlines do not count */
    uint32_t count;               /* 0: nothing is known, or no tasks */
} takt_inside_t;

/* One way in which the supply may begin when work comes: `ticks` from `delay` on, in a row, and then the budgets of the
 * supply after `gap`. */
typedef struct takt_supply_head {
    takt_duration_t gap; /* at least delay + ticks */
    takt_duration_t delay;
    takt_duration_t ticks;
} takt_supply_head_t;

/* One task, those that are more urgent than it (and its equals), and what both are supplied with. */
typedef struct takt_supplied {
    const takt_supply_t *supply;
    const takt_supply_head_t *heads; /* ways to begin, in place of the supply's gap; the latest counts */
    uint32_t head_count;             /* 0: the supply as it is */
    const takt_sporadic_t *higher;   /* in any order; their deadlines do not count */
    const takt_inside_t
        *insides;             /* of `higher`, which have no more than this asks for; NULL: nothing is known */
    uint32_t count;           /* of `higher` */
    takt_sporadic_t task;     /* its deadline does not count */
    takt_duration_t blocking; /* by less urgent ones, once in an active period */
    takt_duration_t last;     /* region at the end of a job that is not preempted: 1 (preemptive) .. wcet */
    uint64_t jobs; /* how many jobs are looked at, at most: UINT64_MAX, or H / T where all shares together
                                    * are Q / P, so that the active period may have no end (takt_supplied_jobs) */
} takt_supplied_t;

/* The longest response, counted from the arrival, over all arrivals that the tasks allow and all that the supply may
 * be. The shares of `higher` and of the task are at most budget / period of the supply together, else the effort is
 * used up. Takes a step for each look at all of `higher`. */
takt_response_t takt_supplied_response(const takt_supplied_t *supplied, takt_effort_t *effort);

/* H / T of a task, H the least common multiple of all periods, of the supply too; UINT64_MAX if H does not fit. */
uint64_t takt_supplied_jobs(const takt_supplied_t *supplied);

#endif
