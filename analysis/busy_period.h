/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest busy period: a response bound under any work-conserving order. See busy_period.c. */
#ifndef TAKT_ANALYSIS_BUSY_PERIOD_H
#define TAKT_ANALYSIS_BUSY_PERIOD_H

#include "analysis/fractions.h"

TAKT_C_BEGIN

/* A task while it is present, or a task with listed arrivals. */
typedef struct takt_source {
    takt_sporadic_t task;           /* its deadline is not read, nor the period of one with a list */
    const takt_instant_t *arrivals; /* ascending, below TAKT_ANALYSIS_TIME_MAX, at least one; NULL: no list */
    uint32_t arrival_count;
    /* Jobs are released at `from` or later, and before `until`; of a list that is not used. */
    takt_instant_t from;
    takt_instant_t until; /* above `from`; TAKT_ANALYSIS_LIMIT: for good, as of every list */
} takt_source_t;

/* Working memory, `count` of each. */
typedef struct takt_busy_room {
    takt_fraction_t *shares;
    uint64_t *rests;
} takt_busy_room_t;

/* longest[i] is the longest busy period in which source i may release a job, on a processor that never idles while a
 * job is unfinished. It bounds the time from release to finish; the jitter added, from arrival to finish. `job` is 0.
 * Not bounded: a busy period may have no end.
 * Takes a step for each pass over all sources; a pass reads each list completely. */
void takt_busy_periods(const takt_source_t *sources, uint32_t count, takt_response_t *longest,
                       takt_busy_room_t *room, takt_effort_t *effort);

TAKT_C_END

#endif
