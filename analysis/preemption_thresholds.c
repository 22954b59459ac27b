/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fixed priorities with preemption thresholds.
 *
 * Sources: Wang and Saksena 1999; Regehr 2002; Keskin, Bril, Lukkien 2010 (all jobs of the active period, exact). A job that
 * has started runs at its threshold, so it is one region that the tasks above the threshold preempt:
 *
 *   B_i = max of C_j - 1 over the less urgent j whose threshold is as urgent as i or more, or 0
 *
 * and what response_times.c says, with ends {C_i, C_i, threshold}. FPNS is the threshold 0, FPPS the task's own place.
 *
 * No fixed point of its own; n^2 comparisons. Not for thresholds per subjob, or tasks that share a priority. */
#include "analysis/preemption_thresholds.h"

static takt_duration_t longest_barring(const takt_sporadic_t *tasks, const uint32_t *thresholds,
                                       uint32_t count, uint32_t barred) {
    takt_duration_t longest = 1;
    for (uint32_t j = barred + 1u; j < count; j++) {
        const bool bars = thresholds[j] <= barred;
        longest = bars && tasks[j].wcet > longest ? tasks[j].wcet : longest;
    }
    return longest;
}

void takt_fpts_prepare(const takt_sporadic_t *tasks, const uint32_t *thresholds, uint32_t count,
                       takt_duration_t *blocking, takt_fp_end_t *ends) {
    for (uint32_t i = 0; i < count; i++) {
        blocking[i] = longest_barring(tasks, thresholds, count, i) - 1u;
        ends[i] = (takt_fp_end_t){tasks[i].wcet, tasks[i].wcet, thresholds[i]};
    }
}
