/* Worst-case response times under EDF, preemptive or not. */
#ifndef TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H
#define TAKT_ANALYSIS_EDF_RESPONSE_TIMES_H

#include "analysis/demand.h"

/* Working memory, `count` of each. */
typedef struct takt_edf_room {
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
