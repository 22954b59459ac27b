/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preemption thresholds with which a set fits under given priorities. See threshold_assignment.c.
 *
 * A threshold is told as takt_fp_end_t does, by how many tasks, the most urgent, may preempt the started job: from the place of
 * the task, where its threshold is its priority, down to 0, where it is non-preemptive. */
#ifndef TAKT_ANALYSIS_THRESHOLD_ASSIGNMENT_H
#define TAKT_ANALYSIS_THRESHOLD_ASSIGNMENT_H

#include "analysis/draft.h"

/* Finds thresholds for which all deadlines are met, if there are any, the lowest possible; `tasks` are most urgent first, `over` has
 * `count` values. Takes count (count + 1) / 2 tests at most. */
TAKT_MUST_USE takt_verdict_t takt_thresholds_assign(const takt_sporadic_t *tasks, uint32_t count,
                                                    const takt_draft_t *draft, uint32_t *over,
                                                    takt_effort_t *effort);

/* Raises thresholds, which takt_thresholds_assign has found, as long as all deadlines are met: from the most urgent task down
 * each as far as it goes, so that there are as few preemptions as these thresholds allow. `draft` is as that call left it.
 * An undecided test counts as one that fails. Takes count (count - 1) / 2 tests at most. */
void takt_thresholds_raise(uint32_t count, const takt_draft_t *draft, uint32_t *over, takt_effort_t *effort);

#endif
