/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The density test of EDF.
 *
 * Source: Liu, Layland 1973 (theorem 7, D = T: exact); with D < T see Stankovic, Spuri, Ramamritham, Buttazzo 1998. The demand
 * of an interval L is at most L C / min(D - J, T) for each task. When not to use it: for the answer, where deadlines are
 * short; a set of density far above 1 may be schedulable, which QPA says. */
#include "analysis/density.h"

/* The guaranteed window of a job; 0 if jitter may take all of it. */
static takt_duration_t window_of(const takt_sporadic_t *task) {
    const takt_duration_t left = task->deadline > task->jitter ? task->deadline - task->jitter : 0;
    return left < task->period ? left : task->period;
}

takt_verdict_t takt_density(const takt_sporadic_t *tasks, uint32_t count, takt_fraction_t *shares,
                            uint64_t *rests, takt_effort_t *effort) {
    for (uint32_t i = 0; i < count; i++) {
        const takt_duration_t window = window_of(&tasks[i]);
        if (window == 0) {
            return TAKT_UNSCHEDULABLE;
        }
        shares[i] = (takt_fraction_t){tasks[i].wcet, window};
    }
    return takt_verdict_of_sum(takt_fractions_compare(shares, count, rests, effort));
}
