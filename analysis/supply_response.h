/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The worst-case response time of one task under fixed priorities and a supply bound function. See
 * supply_response.c. */
#ifndef TAKT_ANALYSIS_SUPPLY_RESPONSE_H
#define TAKT_ANALYSIS_SUPPLY_RESPONSE_H

#include "analysis/supply.h"

/* The demand of a server's tasks, as seen outside: their jitter is J plus the longest wait for budget. */
typedef struct takt_inside {
    const takt_sporadic_t *tasks; /* their deadlines do not count */
    uint32_t count;               /* 0: nothing is known, or no tasks */
} takt_inside_t;

/* One way in which the supply may begin when work arrives: after `delay`, `ticks` in a row; and after `gap` the budgets
 * of the supply. */
typedef struct takt_supply_head {
    takt_duration_t gap; /* at least delay + ticks */
    takt_duration_t delay;
    takt_duration_t ticks;
} takt_supply_head_t;

/* One task, the tasks that are more urgent (and its equals), and their supply. */
typedef struct takt_supplied {
    const takt_supply_t *supply;
    const takt_supply_head_t *heads; /* ways to begin, in place of the supply's gap; the latest counts */
    uint32_t head_count;             /* 0: the supply as it is */
    const takt_sporadic_t *higher;   /* in any order; their deadlines do not count */
    const takt_inside_t
        *insides;             /* of `higher`, which have no more than this asks for; NULL: nothing is known */
    uint32_t count;           /* of `higher` */
    takt_sporadic_t task;     /* its deadline does not count */
    takt_duration_t blocking; /* by less urgent tasks, once in an active period */
    takt_duration_t last;     /* region at the end of a job that is not preempted: 1 (preemptive) .. wcet */
    uint64_t jobs; /* number of jobs to check, at most: UINT64_MAX, or H / T where all shares together
                                    * are Q / P, so that the active period may have no end (takt_supplied_jobs) */
} takt_supplied_t;

/* The longest response, from the arrival, over all legal arrivals and all supplies that the bound allows. Precondition:
 * the utilization of `higher` and the task together is at most budget / period of the supply; else the effort is
 * used up. Takes a step for each pass over `higher`. */
takt_response_t takt_supplied_response(const takt_supplied_t *supplied, takt_effort_t *effort);

/* H / T of a task, H the least common multiple of all periods, of the supply too; UINT64_MAX if H does not fit. */
uint64_t takt_supplied_jobs(const takt_supplied_t *supplied);

#endif
