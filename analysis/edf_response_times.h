/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times under EDF: preemptive, non-preemptive, with a last region that is not preempted. */
#ifndef TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H
#define TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H

#include "analysis/demand.h"

/* What the search reads of a task, side by side. */
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

/* The largest response times of all legal arrivals, from the arrival, equal deadlines going against the task:
 * `responses[i]` of task i. `lasts[i]` is the region at the end of its jobs in which they are not preempted: 1, preemptive,
 * up to C, non-preemptive; NULL stands for 1 each. The longest regions of jobs, which block others, are in `blocking`.
 * Exact with regions and release jitter, and with SRP if there is no jitter; a bound where sections and regions meet.
 * Tasks stand in any order. Takes a step for each iteration of a fixed point; what is left undone when none is left is
 * undecided. */
void takt_edf_response_times(const takt_sporadic_t *tasks, uint32_t count,
                             const takt_edf_blocking_t *blocking, const takt_duration_t *lasts,
                             takt_response_t *responses, takt_edf_room_t *room, takt_effort_t *effort);

#endif
