/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demand in an interval under EDF, and the range of interval lengths to check: what the processor demand test and QPA
 * share. */
#ifndef TAKT_ANALYSIS_DEMAND_H
#define TAKT_ANALYSIS_DEMAND_H

#include "analysis/edf_blocking.h"
#include "analysis/fractions.h"

/* The parameters of a task that the demand bound function reads. */
typedef struct takt_demand_line {
    uint64_t inverse; /* of the period, rounded up, in units of 2^-shift; until then down, of 2^-63 */
    int64_t ahead;    /* T + J - D: floor((L + ahead) / T) jobs count in an interval of length L */
    uint64_t period;
    uint64_t wcet;
} takt_demand_line_t;

/* Working memory, `count` of each. There are at most 2^22 tasks. */
typedef struct takt_demand_room {
    takt_demand_line_t *lines;
    takt_fraction_t *shares;
    uint64_t *rests;
} takt_demand_room_t;

/* The range of interval lengths to check. */
typedef struct takt_demand_range {
    takt_verdict_t load;      /* unschedulable: U > 1. Schedulable: U <= 1, and the rest is known */
    takt_duration_t shortest; /* shorter intervals contain no deadline */
    takt_duration_t
        longest; /* demand fits every interval beyond it, if it fits all up to it; it may be below the other */
    uint64_t reach;           /* no L + ahead is above it; below TAKT_ANALYSIS_LIMIT */
    takt_duration_t blocking; /* the largest B(L) */
    takt_duration_t least_period;
} takt_demand_range_t;

/* The result of a demand test, with a witness. */
typedef struct takt_demand {
    takt_verdict_t verdict;
    takt_duration_t interval; /* unschedulable: its length, too short for... */
    uint64_t ticks;           /* ...so much demand, blocking included; 0: for no interval, because U > 1 */
} takt_demand_t;

/* Fills the lines, and returns the range of interval lengths to check. Takes steps only where U is near 1. */
takt_demand_range_t takt_demand_range(const takt_sporadic_t *tasks, uint32_t count,
                                      const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                      takt_effort_t *effort);

/* The smaller of the longest busy period and the length after which all repeats, as far as known; TAKT_ANALYSIS_LIMIT
 * if neither is. `order` compares U with 1; it is not TAKT_GREATER. Takes a step for each iteration. */
takt_duration_t takt_edf_span(const takt_sporadic_t *tasks, uint32_t count,
                              const takt_edf_blocking_t *blocking, takt_comparison_t order,
                              takt_effort_t *effort);

/* The demand bound function: the execution of all jobs with release and deadline in an interval of length L =
 * `interval`. Preconditions: takt_demand_range has filled `lines`, L is in its range, and U <= 1. */
TAKT_INLINE uint64_t takt_demand_in(const takt_demand_line_t *lines, uint32_t count,
                                    takt_duration_t interval) {
    uint64_t demand = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t reach = (int64_t)interval + lines[i].ahead;
        demand += (reach > 0 ? (uint64_t)reach : 0) / lines[i].period * lines[i].wcet;
    }
    return demand;
}

#endif
