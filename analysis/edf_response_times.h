/* Worst-case response times under EDF, preemptive or not. */
#ifndef TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H
#define TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H

#include "analysis/demand.h"

/* What the search reads of a task, side by side. */
typedef struct takt_edf_line {
    uint64_t inverse; /* of the period, rounded up */
    uint64_t period;
    uint64_t wcet;
    int64_t due; /* T + J - D: (L + due) / T jobs have deadlines within L */
    int64_t
        released; /* T + J - 1, or T + J where beginnings count: so many come before, or up to, an instant */
} takt_edf_line_t;

/* Working memory, `count` of each. There are at most 2^22 tasks. */
typedef struct takt_edf_room {
    takt_edf_line_t *lines;
    takt_fraction_t *shares;
    uint64_t *rests;
    takt_duration_t *regions; /* not used when preemptive */
} takt_edf_room_t;

/* The largest response times of all legal arrivals, from the arrival, equal deadlines going against the task:
 * `responses[i]` of task i. Exact under preemptive EDF with release jitter, and with SRP if there is no jitter. Regions
 * without preemption block others, but a task's own do not shorten its response here, which then is a bound. Of tasks in
 * any order. Takes a step for each iteration of a fixed point; what is left undone when none is left is undecided. */
void takt_edf_response_times(const takt_sporadic_t *tasks, uint32_t count,
                             const takt_edf_blocking_t *blocking, takt_response_t *responses,
                             takt_edf_room_t *room, takt_effort_t *effort);

/* Likewise where a job that has begun is never preempted. Exact, also with jitter. */
void takt_edf_nonpreemptive_response_times(const takt_sporadic_t *tasks, uint32_t count,
                                           takt_response_t *responses, takt_edf_room_t *room,
                                           takt_effort_t *effort);

#endif
