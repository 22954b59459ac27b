/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The number of pending replenishments (returns) of a sporadic server.
 *
 * Source: the rules of SPEC.md, 4; the argument is Takt's own.
 *
 * One return is pending for each interval that began within the last period P; it is due P after the begin. An interval
 * lasts at most P, because a server that gets its budget in time and always has work has used all of it by then. An
 * interval begins when a job arrives at a server without work, or when budget returns to a server with work and without
 * budget. In the second case an interval began P before, perhaps after another one, and so back to a job that arrived
 * at a server without work at g. No two of the intervals that began in one period lead back to the same job.
 *
 * If m such steps lead from g to r = g + m P, the server was without budget, and with work, at g + P, ..., r. All of the
 * budget Q was used in each of these periods, and the tasks requested more than m Q in [g, r). So m is less than
 *
 *   (1)  M = least m >= 1 with sum of ceil((m P + J) / T) C <= m Q
 *
 * and all pending returns lead back to jobs that arrived within the last M P:
 *
 *   (2)  sum of ceil((M P + J) / T).
 *
 * A strict server schedules one return for what it had at the begin of an interval, and one for each return that came in
 * the interval and was used. Each leads back to a return P before, or to the job that began the interval, no two to the
 * same. Ticks are used in the order in which they came back: if m steps lead from g to r, the first tick of that return
 * was used m + 1 times from g on, and every other one m times. A tick that is back at r is used before r + P, so
 * the tasks requested more than m Q in [g, r + P). Windows are longer by P.
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
                               takt_duration_t budget, bool is_strict, takt_effort_t *effort) {
    const uint64_t lag = is_strict ? period : 0;
    uint64_t periods = 1;
    uint64_t window = 0;
    uint64_t jobs = 0;
    uint64_t work = 0;
    while (takt_effort_step(effort) && takt_checked_times(periods, period, &window) &&
           takt_checked_plus(window, lag, &window) && count_jobs(tasks, count, window, &jobs, &work) &&
           jobs <= TAKT_SPORADIC_RETURNS) {
        if (takt_ceiling(work, budget) <= periods) {
            return jobs;
        }
        periods = takt_ceiling(work, budget);
    }
    return UINT64_MAX;
}
