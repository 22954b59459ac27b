/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Baker's test of EDF with SRP.
 *
 * Source: Baker 1991, section 4.1 (D = T); with min(D, T) as section 7.5 of the specification has it. Let i be the last
 * task with a deadline in an interval L >= D_i: demand is at most L times the sum, and a blocking job also blocks i.
 * When not to use it: for the answer, where deadlines are short; the demand test with B(L) (qpa.h) accepts more.
 * O(n^2). Left out: a single sum with the largest B / D, which is what the rate-based scheduler keeps free. */
#include "analysis/baker.h"

static takt_duration_t window_of(const takt_sporadic_t *task) {
    return task->deadline > task->jitter ? task->deadline - task->jitter : 0;
}

takt_verdict_t takt_baker(const takt_sporadic_t *tasks, uint32_t count, const takt_duration_t *blocking,
                          takt_fraction_t *shares, uint64_t *rests, takt_effort_t *effort) {
    takt_verdict_t verdict = TAKT_SCHEDULABLE;
    for (uint32_t i = 0; i < count && verdict == TAKT_SCHEDULABLE; i++) {
        const takt_duration_t window = window_of(&tasks[i]);
        if (window == 0) {
            return TAKT_UNSCHEDULABLE;
        }
        const takt_duration_t least = window < tasks[i].period ? window : tasks[i].period;
        shares[i] = (takt_fraction_t){tasks[i].wcet, least};
        shares[i + 1u] = (takt_fraction_t){blocking[i], window};
        verdict = takt_verdict_of_sum(takt_fractions_compare(shares, i + 2u, rests, effort));
    }
    return verdict;
}
