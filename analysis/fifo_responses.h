/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times of tasks that share a priority and are served in the order in which they came. See
 * fifo_responses.c. */
#ifndef TAKT_ANALYSIS_FIFO_RESPONSES_H
#define TAKT_ANALYSIS_FIFO_RESPONSES_H

#include "analysis/response_times.h"

TAKT_C_BEGIN

/* The worst-case response of task `task`, which is one of several equals: `above` of the set has the place behind
 * them, and equals stand in the order in which they are served if they come at one instant. `job` is not a job: it
 * is when the job that responds last is released, in ticks after the begin of the busy interval. Not bounded, and
 * decided: the bound does not hold, because it is more than the period: then a job may wait behind one of its own
 * task. The set has tasks, blocking, ends without `over`, and `above`. Exact if all responses of the level hold,
 * without jitter, and if `blocking` is attained; else an upper bound. Takes a step for each pass over the level. */
TAKT_MUST_USE takt_response_t takt_fifo_response(const takt_children_t *set, uint32_t task,
                                                 takt_fp_memory_t memory, takt_effort_t *effort);

TAKT_C_END

#endif
