/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How many returns of a sporadic server wait at a time.
 *
 * Source: the rules of Sprunt, Sha, Lehoczky 1989, as in SPEC.md, 4; the argument is Takt's own.
 *
 * A return waits for each interval that began within the last period P, and is due P after the begin: an interval lasts at
 * most P, because a server that has its budget in time and always work has used all of it by then. An interval begins
 * when a job comes to a server without work, or when budget returns to a server that waits with work and without
 * budget. The second one follows an interval that began P before, that one perhaps another, and so back to a job that
 * came to a server without work at g. No two of the intervals that began in one period lead back to the same job.
 *
 * If m such steps lead from g to r = g + m P, the server was without budget, and with work, at g + P, ..., r. All of the
 * budget Q was used in each of these periods, and the tasks asked for more than m Q in [g, r). So m is less than
 *
 *   (1)  M = least m >= 1 with sum of ceil((m P + J) / T) C <= m Q
 *
 * and all returns that wait lead back to jobs that came within the last M P:
 *
 *   (2)  sum of ceil((M P + J) / T).
 *
 * Bound: (1) ascends from 1 to the first solution, and ends as soon as (2) is above TAKT_SPORADIC_RETURNS. Not for
 * servers in the server, which get work in other ways. */
#include "analysis/sporadic_returns.h"

/* The jobs released in `window` ticks, and their demand; false if a number reaches TAKT_ANALYSIS_LIMIT. */
static bool count_jobs(const takt_sporadic_t *tasks, uint32_t count, uint64_t window, uint64_t *jobs,
                       uint64_t *work) {
    bool is_known = true;
    *jobs = 0;
    *work = 0;
    for (uint32_t i = 0; i < count && is_known; i++) {
        takt_sporadic_t once = tasks[i];
        once.wcet = 1u;
        is_known =
            takt_sporadic_requests(&once, window, jobs) && takt_sporadic_requests(&tasks[i], window, work);
    }
    return is_known;
}

uint64_t takt_sporadic_returns(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                               takt_duration_t budget, takt_effort_t *effort) {
    uint64_t periods = 1;
    uint64_t window = period;
    uint64_t jobs = 0;
    uint64_t work = 0;
    while (takt_effort_step(effort) && takt_checked_times(periods, period, &window) &&
           count_jobs(tasks, count, window, &jobs, &work) && jobs <= TAKT_SPORADIC_RETURNS) {
        if (takt_ceiling(work, budget) <= periods) {
            return jobs;
        }
        periods = takt_ceiling(work, budget);
    }
    return UINT64_MAX;
}
