/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocking tolerance of each task, and the longest non-preemptive regions that keep a preemptively schedulable set
 * schedulable, under fixed priorities and under EDF. See blocking_tolerance.c. */
#ifndef TAKT_ANALYSIS_BLOCKING_TOLERANCE_H
#define TAKT_ANALYSIS_BLOCKING_TOLERANCE_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* The largest blocking with which task number `task` meets its deadline under fixed priorities. `tasks` are most urgent
 * first, D <= T for all. TAKT_UNSCHEDULABLE: not even 0. TAKT_UNDECIDED: perhaps more. One step per testing point. */
TAKT_MUST_USE takt_verdict_t takt_blocking_tolerance_find(const takt_sporadic_t *tasks, uint32_t task,
                                                          takt_duration_t *tolerance, takt_effort_t *effort);

/* The longest non-preemptive region that each task may have under fixed priorities, at most its wcet. `tasks` are most
 * urgent first, D <= T for all of them; `regions` has `count` values and holds only if the verdict is TAKT_SCHEDULABLE.
 * TAKT_UNSCHEDULABLE: the set is not even schedulable preemptively. */
TAKT_MUST_USE takt_verdict_t takt_fp_regions_find(const takt_sporadic_t *tasks, uint32_t count,
                                                  takt_duration_t *regions, takt_effort_t *effort);

/* The same under EDF, for any deadlines. Precondition: the set is schedulable under preemptive EDF. It is not checked;
 * TAKT_UNSCHEDULABLE only says that a violation was found. Takes a step for each deadline before the longest one. */
TAKT_MUST_USE takt_verdict_t takt_edf_regions_find(const takt_sporadic_t *tasks, uint32_t count,
                                                   takt_duration_t *regions, takt_effort_t *effort);

TAKT_C_END

#endif
