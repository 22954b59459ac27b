/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preemption thresholds with which a set is schedulable under given priorities. See threshold_assignment.c.
 *
 * A threshold is given as in takt_fp_end_t: the number of tasks, the most urgent, that may preempt the started job. The
 * task's own index means that its threshold is its priority; 0 means non-preemptive. */
#ifndef TAKT_ANALYSIS_THRESHOLD_ASSIGNMENT_H
#define TAKT_ANALYSIS_THRESHOLD_ASSIGNMENT_H

#include "analysis/draft.h"

TAKT_C_BEGIN

/* Finds the lowest thresholds with which all deadlines are met, if there are any. `tasks` are most urgent first; `over`
 * has `count` values. Takes count (count + 1) / 2 tests at most. */
TAKT_MUST_USE takt_verdict_t takt_thresholds_assign(const takt_sporadic_t *tasks, uint32_t count,
                                                    const takt_draft_t *draft, uint32_t *over,
                                                    takt_effort_t *effort);

/* Raises the thresholds found by takt_thresholds_assign while all deadlines are met: from the most urgent task down,
 * each as far as possible. So there are as few preemptions as these thresholds allow. `draft` is as that call left it.
 * An undecided test counts as a failed one. Takes count (count - 1) / 2 tests at most. */
void takt_thresholds_raise(uint32_t count, const takt_draft_t *draft, uint32_t *over, takt_effort_t *effort);

TAKT_C_END

#endif
