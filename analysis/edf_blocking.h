/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocking under EDF by a job with a later deadline: its section under SRP, or its region without preemption.
 *
 * B(L) is the blocking in an interval of length L, from an arrival to a deadline: one job with a later deadline, which
 * entered the section or region a tick before. Sources: Baker 1991, Spuri 1996; Jeffay, Stanat, Martel 1991, George,
 * Rivierre, Spuri 1996 (whole jobs). In integer time it is the length less one tick. */
#ifndef TAKT_ANALYSIS_EDF_BLOCKING_H
#define TAKT_ANALYSIS_EDF_BLOCKING_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* B(L) is `ticks` for L from `from` on, up to the next step. */
typedef struct takt_blocking_step {
    takt_duration_t from;  /* 0 and up, ascending and distinct */
    takt_duration_t ticks; /* 0 and up */
} takt_blocking_step_t;

/* Both kinds may occur; a job waits for the longer one. All zero: no blocking; a NULL in its place is not. */
typedef struct takt_edf_blocking {
    const takt_blocking_step_t *steps; /* before the first one B(L) is 0 */
    uint32_t count;                    /* of steps */
    /* Of each task the longest region without preemption, 1 and up; or NULL. */
    const takt_duration_t *regions;
} takt_edf_blocking_t;

/* B(L), and the least length from which on up to L the same sections and regions count. */
typedef struct takt_blocking_piece {
    takt_duration_t from;
    takt_duration_t ticks;
} takt_blocking_piece_t;

/* The largest number of jobs of `task` with release and deadline in an interval of length `interval`; the demand bound
 * function counts these. The sum of interval, period and jitter is below TAKT_ANALYSIS_LIMIT. */
TAKT_INLINE uint64_t takt_jobs_due(const takt_sporadic_t *task, takt_duration_t interval) {
    const uint64_t reach = interval + task->jitter;
    return reach < task->deadline ? 0 : (reach - task->deadline) / task->period + 1u;
}

/* B(L) for L = `interval`. A task whose region blocks has no demand of its own in the interval: with jitter, its earlier
 * jobs might have. Counts what exceeds that demand, so that demand + B(L) is exact. */
takt_blocking_piece_t takt_edf_blocking_at(const takt_sporadic_t *tasks, uint32_t count,
                                           const takt_edf_blocking_t *blocking, takt_duration_t interval);

/* The largest B(L), at most TAKT_ANALYSIS_TIME_MAX. */
takt_duration_t takt_edf_blocking_longest(const takt_edf_blocking_t *blocking, uint32_t count);

/* The length from which on B(L) is constant. */
takt_duration_t takt_edf_blocking_last(const takt_sporadic_t *tasks, uint32_t count,
                                       const takt_edf_blocking_t *blocking);

TAKT_C_END

#endif
