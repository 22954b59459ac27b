/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preemption thresholds.
 *
 * Sources: Wang and Saksena 1999 (assignment for given priorities, optimal); Saksena and Wang 2000 (the greatest thresholds). The
 * response of task i depends on its own threshold and on those of the less urgent, whose jobs block it if
 *
 *   (1)  B_i = max of C_j - 1 over less urgent j with over_j <= i, which place i does not preempt
 *
 * and it does not grow with its own threshold. So from the least urgent up the lowest threshold that will do is best for those
 * above. Raising a threshold by one adds a block to the one task that could preempt until then, and to no other task.
 *
 * Left out: the choice of priorities, for which no fast optimal algorithm is known. When not to use it: jobs with points, whose
 * regions are shorter than the whole job (final_regions.h). */
#include "analysis/threshold_assignment.h"

/* Whether the task at `place` meets its deadline. */
static takt_verdict_t test(const takt_draft_t *draft, uint32_t count, uint32_t place, const uint32_t *over,
                           takt_effort_t *effort) {
    takt_duration_t longest = 1;
    for (uint32_t j = place + 1u; j < count; j++) {
        const bool blocks = over[j] <= place && draft->tasks[j].wcet > longest;
        longest = blocks ? draft->tasks[j].wcet : longest;
    }
    const takt_duration_t wcet = draft->tasks[place].wcet;
    draft->blocking[place] = longest - 1u;
    draft->ends[place] = (takt_fp_end_t){wcet, wcet, over[place]};
    return takt_draft_is_schedulable(draft, place, effort);
}

takt_verdict_t takt_thresholds_assign(const takt_sporadic_t *tasks, uint32_t count, const takt_draft_t *draft,
                                      uint32_t *over, takt_effort_t *effort) {
    takt_verdict_t verdict = TAKT_SCHEDULABLE;
    for (uint32_t i = 0; i < count; i++) {
        draft->tasks[i] = tasks[i];
        over[i] = i;
    }
    for (uint32_t i = count; i-- > 0 && verdict == TAKT_SCHEDULABLE;) {
        verdict = test(draft, count, i, over, effort);
        while (verdict == TAKT_UNSCHEDULABLE && over[i] > 0) {
            over[i]--;
            verdict = test(draft, count, i, over, effort);
        }
    }
    return verdict;
}

void takt_thresholds_raise(uint32_t count, const takt_draft_t *draft, uint32_t *over, takt_effort_t *effort) {
    for (uint32_t i = 0; i < count; i++) {
        bool is_raised = true;
        while (is_raised && over[i] > 0) {
            over[i]--;
            is_raised = test(draft, count, over[i], over, effort) == TAKT_SCHEDULABLE;
            over[i] += is_raised ? 0 : 1u;
        }
    }
}
