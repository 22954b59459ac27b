/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times under EDF: preemptive, non-preemptive, with a last region that is not preempted. */
#ifndef TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H
#define TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H

#include "analysis/demand.h"

TAKT_C_BEGIN

/* The parameters of a task that the search reads. */
typedef struct takt_edf_line {
    uint64_t inverse; /* of the period, rounded up */
    uint64_t period;
    uint64_t wcet;
    int64_t due;      /* T + J - D: (L + due) / T jobs have deadlines within L */
    int64_t released; /* T + J: (t + released) / T jobs are released up to t */
} takt_edf_line_t;

/* Working memory, `count` of each. There are at most 2^22 tasks. */
typedef struct takt_edf_room {
    takt_edf_line_t *lines;
    takt_fraction_t *shares;
    uint64_t *rests;
} takt_edf_room_t;

/* Writes responses[i], the worst-case response time of task i over all legal arrivals, from the arrival. At equal
 * deadlines the smaller rank is first; `ranks` = NULL: the other task is. `lasts[i]` is the non-preemptive region at the end of its jobs: 1 is preemptive, C
 * is non-preemptive; NULL stands for 1 each. `blocking` has the longest regions of jobs, which block others.
 * Exact with regions and release jitter, and with SRP if there is no jitter; a bound where sections and regions meet.
 * Tasks are in any order. Takes a step for each iteration of a fixed point. When the effort is used up, the remaining
 * responses are undecided. */
void takt_edf_response_times(const takt_sporadic_t *tasks, uint32_t count,
                             const takt_edf_blocking_t *blocking, const takt_duration_t *lasts,
                             const uint64_t *ranks, takt_response_t *responses, takt_edf_room_t *room,
                             takt_effort_t *effort);

TAKT_C_END

#endif
