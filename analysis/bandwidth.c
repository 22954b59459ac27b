/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Response bounds of tasks in constant and total bandwidth servers, when the servers meet their deadlines under EDF.
 *
 * Sources: L. Abeni and G. Buttazzo, Integrating multimedia applications in hard real-time systems, RTSS 1998 (cbs; a
 * task with C <= Q and T >= P meets D = P there); M. Spuri and G. Buttazzo 1994 and 1996 (tbs); Z. Deng and J. Liu
 * 1997 (cus).
 *
 * A cbs server begins anew at t0, with Q and the deadline t0 + P, when it gets work and what is left of its budget is
 * too much for the time up to its deadline. From then on the n-th tick of work is done by t0 + ceil(n / Q) P, until
 * it begins anew; and it does so at the first work after the instant by which all that came since t0 is due. So
 *
 *   (1)  one task, jobs in order:  R_k = ceil((k + 1) C / Q) P - k T + J, until that is at most T + J less k T; k < Q suffices, since
 *        R_(k+Q) = R_k + C P - Q T
 *   (2)  any tasks in any order:   R <= L = least L > 0 with L = ceil(sum of n_j(L) C_j / Q) P
 *   (3)  tbs, cus:                 R <= L = least L > 0 with L = sum of n_j(L) ceil(C_j P / Q)
 *
 * with n_j(L) = ceil((L + J_j) / T_j). Both kinds of cbs have the same deadlines; hard-cbs only waits for them.
 *
 * A cbs server has no supply bound from which the response of one of several tasks would follow: what one of them was
 * given ahead of time, while the processor was otherwise idle, is missing to the other later. Hard-cbs never runs
 * ahead: takt_supply_periodic with R = P holds for it, and the tests of response_times.h and qpa.h are
 * sharper than (2).
 *
 * Bound: Q jobs in (1), the effort in (2) and (3). */
#include "analysis/bandwidth.h"
#include "core/wide.h"

static const takt_response_t undecided = {0, 0, false, false};

/* *end = ceil(work / Q) P. */
static bool find_due(uint64_t work, takt_duration_t period, takt_duration_t budget, uint64_t *end) {
    return takt_checked_times(takt_ceiling(work, budget), period, end);
}

/* R_k of (1), and in *is_last whether its successor finds the server idle. */
static bool find_job(const takt_sporadic_t *task, takt_duration_t period, takt_duration_t budget,
                     uint64_t job, uint64_t *response, bool *is_last) {
    uint64_t end = 0;
    uint64_t next = 0;
    const bool is_known = takt_checked_times(job + 1u, task->wcet, &end) &&
                          find_due(end, period, budget, &end) && takt_checked_plus(end, task->jitter, &end) &&
                          takt_checked_times(job + 1u, task->period, &next);
    *response = is_known ? end - job * task->period : 0;
    *is_last = end <= next;
    return is_known;
}

takt_response_t takt_cbs_response(const takt_sporadic_t *task, takt_duration_t period, takt_duration_t budget,
                                  takt_effort_t *effort) {
    takt_response_t worst = {0, 0, true, true};
    uint64_t response = 0;
    bool is_last = false;
    if (takt_wide_is_less(takt_wide_product(budget, task->period), takt_wide_product(task->wcet, period))) {
        return (takt_response_t){0, 0, false, true};
    }
    for (uint64_t job = 0; job < budget && !is_last; job++) {
        if (!takt_effort_step(effort) || !find_job(task, period, budget, job, &response, &is_last)) {
            return undecided;
        }
        if (response > worst.ticks) {
            worst.ticks = response;
            worst.job = job;
        }
    }
    return worst;
}

/* The sum of n_j(L) C_j. */
static bool find_work(const takt_sporadic_t *tasks, uint32_t count, uint64_t window, uint64_t *work) {
    bool is_known = true;
    *work = 0;
    for (uint32_t j = 0; j < count && is_known; j++) {
        is_known = takt_sporadic_requests(&tasks[j], window, work);
    }
    return is_known;
}

takt_response_t takt_cbs_busy_period(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                                     takt_duration_t budget, takt_effort_t *effort) {
    uint64_t before = 0;
    uint64_t end = 1;
    uint64_t work = 0;
    while (end != before) {
        before = end;
        if (!takt_effort_step(effort) || !find_work(tasks, count, before, &work) ||
            !find_due(work, period, budget, &end) || end > TAKT_ANALYSIS_TIME_MAX) {
            return undecided;
        }
    }
    return (takt_response_t){end, 0, true, true};
}

/* *length = ceil(C P / Q). */
static bool find_length(takt_duration_t wcet, takt_duration_t period, takt_duration_t budget,
                        uint64_t *length) {
    const takt_wide_t product =
        takt_wide_plus(takt_wide_product(wcet, period), (takt_wide_t){0, budget - 1u});
    const bool fits = product.high < budget;
    *length = fits ? takt_wide_quotient(product, (takt_wide_t){0, budget}) : 0;
    return fits && *length < TAKT_ANALYSIS_LIMIT;
}

/* The sum of n_j(L) ceil(C_j P / Q). */
static bool find_lengths(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                         takt_duration_t budget, uint64_t window, uint64_t *end) {
    bool is_known = true;
    *end = 0;
    for (uint32_t j = 0; j < count && is_known; j++) {
        uint64_t more = 0;
        is_known = find_length(tasks[j].wcet, period, budget, &more) &&
                   takt_checked_times(takt_ceiling(window + tasks[j].jitter, tasks[j].period), more, &more) &&
                   takt_checked_plus(*end, more, end);
    }
    return is_known;
}

takt_response_t takt_total_bandwidth_busy_period(const takt_sporadic_t *tasks, uint32_t count,
                                                 takt_duration_t period, takt_duration_t budget,
                                                 takt_effort_t *effort) {
    uint64_t before = 0;
    uint64_t end = 1;
    while (end != before) {
        before = end;
        if (!takt_effort_step(effort) || !find_lengths(tasks, count, period, budget, before, &end) ||
            end > TAKT_ANALYSIS_TIME_MAX) {
            return undecided;
        }
    }
    return (takt_response_t){end, 0, true, true};
}
