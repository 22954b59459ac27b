/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A partial fixed-priority set, built from the least urgent task up: shared by the searches for priorities, regions and
 * thresholds. */
#ifndef TAKT_ANALYSIS_DRAFT_H
#define TAKT_ANALYSIS_DRAFT_H

#include "analysis/response_times.h"

/* Working memory: as many values each as there are tasks. */
typedef struct takt_draft {
    takt_sporadic_t *tasks; /* most urgent first, as far as that is known */
    takt_duration_t *blocking;
    takt_fp_end_t *ends;
    takt_fp_memory_t memory;
} takt_draft_t;

/* Whether the task at `place` meets its deadline if all tasks before it are more urgent, in any order. */
TAKT_INLINE TAKT_MUST_USE takt_verdict_t takt_draft_is_schedulable(const takt_draft_t *draft, uint32_t place,
                                                                   takt_effort_t *effort) {
    const takt_children_t set = {
        draft->tasks, place + 1u, draft->blocking, draft->ends, NULL, NULL, NULL, NULL, NULL, NULL, 0};
    const takt_duration_t deadline = draft->tasks[place].deadline;
    const takt_response_t response = takt_fp_response(&set, place, deadline, draft->memory, effort);
    return response.is_decided ? takt_verdict_of(response.is_bounded && response.ticks <= deadline)
                               : TAKT_UNDECIDED;
}

#endif
