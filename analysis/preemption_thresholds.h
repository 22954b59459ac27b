/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fixed priorities with preemption thresholds (FPTS): blocking, and how jobs end. See preemption_thresholds.c. */
#ifndef TAKT_ANALYSIS_PREEMPTION_THRESHOLDS_H
#define TAKT_ANALYSIS_PREEMPTION_THRESHOLDS_H

#include "analysis/response_times.h"

TAKT_C_BEGIN

/* Writes the blocking and the one end of each of `count` tasks, most urgent first and of different priorities: columns of
 * the takt_children_t whose responses are those under FPTS. `thresholds` are places, 0 .. the task's own: a started job
 * is preempted by the tasks before that place only. Exact. */
void takt_fpts_prepare(const takt_sporadic_t *tasks, const uint32_t *thresholds, uint32_t count,
                       takt_duration_t *blocking, takt_fp_end_t *ends);

TAKT_C_END

#endif
