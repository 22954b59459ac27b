/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Response times under fixed priorities and a supply bound, in integer time, for arbitrary deadlines.
 *
 * Sources: Shin and Lee 2003, theorem 4.2, and Davis and Burns 2005 (a task's demand has been supplied at the least t
 * with demand(t) <= sbf(t)); jobs of the whole active period as in Bril, Lukkien, Verhaegh 2009; jitter as in Audsley
 * et al. 1993. With T(w) the least t with sbf(t) >= w, n_j(x) = ceil((x + J_j) / T_j) releases of j in [0, x), for k
 * = 0, 1, ...:
 *
 *   (1)  S_k = least x = T(B + (k + 1) C - last + 1 + sum of n_j(x) C_j)    the last region begins at S_k - 1
 *   (2)  R_k = T(B + (k + 1) C + sum of n_j(S_k) C_j) + J - k T             without preemption
 *   (3)  L_k = least x = T(B + (k + 1) C + sum of n_j(x) C_j)               k + 1 jobs are done
 *   (4)  k is the last job if L_k + J <= (k + 1) T, or if all jobs of a hyperperiod were checked.
 *
 * With heads sbf is the least of several: work that comes finds what is left of a budget, and how much that is and when
 * the next one comes depends on each other.
 *
 * A server among the others has no more than the least of its own term and the sum of those of its tasks.
 *
 * Sound for a last region in a server: an actual supply is never behind sbf, so the region begins at S_k - 1 at the
 * latest, after no more work of others than (1) has; T is monotone. Sufficient only: the supply may not be able to be
 * so late just when the tasks arrive together. Exact for the full supply.
 *
 * Bound: below the share of the supply, (1) to (3) are at most (gap + loss + (B + sum of C (1 + J / T)) P / Q) / (1 -
 * U P / Q); at the share, one hyperperiod more than that of its first job, or there is none and the effort or the
 * limit says so.
 *
 * Not for supplies that are better known than by a bound (a table of windows, for instance). */
#include "analysis/supply_response.h"

/* T(work); of several ways to begin the latest. False: it does not fit. */
static bool find_time(const takt_supplied_t *supplied, uint64_t work, uint64_t *t) {
    takt_supply_t after = *supplied->supply;
    bool is_known = supplied->head_count > 0 || takt_supply_time(&after, work, t);
    *t = supplied->head_count > 0 ? 0 : *t;
    for (uint32_t k = 0; k < supplied->head_count && is_known && work > 0; k++) {
        const takt_supply_head_t *head = &supplied->heads[k];
        uint64_t at = 0;
        after.gap = head->gap;
        is_known = work <= head->ticks ? takt_checked_plus(work, head->delay, &at)
                                       : takt_supply_time(&after, work - head->ticks, &at);
        *t = at > *t ? at : *t;
    }
    return is_known;
}

/* *work += all that the one at `place` releases in [0, x): no more than is inside. False: it does not fit. */
static bool add_released(const takt_supplied_t *supplied, uint32_t place, uint64_t x, uint64_t *work) {
    const takt_inside_t *inside = supplied->insides != NULL ? &supplied->insides[place] : NULL;
    uint64_t own = 0;
    uint64_t asked = 0;
    bool is_known = takt_sporadic_requests(&supplied->higher[place], x, &own);
    for (uint32_t k = 0; inside != NULL && k < inside->count && is_known; k++) {
        is_known = takt_sporadic_requests(&inside->tasks[k], x, &asked);
    }
    const bool is_less = inside != NULL && inside->count > 0 && asked < own;
    return is_known && takt_checked_plus(*work, is_less ? asked : own, work);
}

static bool add_all_released(const takt_supplied_t *supplied, uint64_t x, uint64_t *work) {
    bool is_known = true;
    for (uint32_t j = 0; j < supplied->count && is_known; j++) {
        is_known = add_released(supplied, j, x, work);
    }
    return is_known;
}

/* *x = the least fixed point, from *x on, of T(own + what is released before it). False: undecided. */
static bool find_supplied(const takt_supplied_t *supplied, uint64_t own, uint64_t *x, takt_effort_t *effort) {
    uint64_t before = 0;
    do {
        uint64_t work = own;
        before = *x;
        if (!takt_effort_step(effort) || !add_all_released(supplied, before, &work) ||
            !find_time(supplied, work, x)) {
            return false;
        }
    } while (*x > before);
    *x = before;
    return true;
}

/* (2). */
static bool find_finish(const takt_supplied_t *supplied, uint64_t own, uint64_t start, uint64_t *finish) {
    uint64_t work = own;
    return add_all_released(supplied, start, &work) && find_time(supplied, work, finish) &&
           takt_checked_plus(*finish, supplied->task.jitter, finish);
}

/* B + (k + 1) C. */
static bool find_own(const takt_supplied_t *supplied, uint64_t job, uint64_t *own) {
    return takt_checked_times(job + 1u, supplied->task.wcet, own) &&
           takt_checked_plus(*own, supplied->blocking, own);
}

/* (1) to (3) of a job; *x is (3) of the one before. */
static bool find_job(const takt_supplied_t *supplied, uint64_t job, uint64_t *x, uint64_t *finish,
                     takt_effort_t *effort) {
    uint64_t own = 0;
    return find_own(supplied, job, &own) && find_supplied(supplied, own - supplied->last + 1u, x, effort) &&
           find_finish(supplied, own, *x, finish) && find_supplied(supplied, own, x, effort);
}

static void take_worse(takt_response_t *worst, uint64_t ticks, uint64_t job) {
    if (ticks > worst->ticks) {
        worst->ticks = ticks;
        worst->job = job;
    }
}

takt_response_t takt_supplied_response(const takt_supplied_t *supplied, takt_effort_t *effort) {
    const takt_sporadic_t *task = &supplied->task;
    takt_response_t worst = {0, 0, true, true};
    uint64_t x = 0;
    uint64_t job = 0;
    uint64_t finish = 0;
    uint64_t next = 0;
    do {
        if (!find_job(supplied, job, &x, &finish, effort) ||
            !takt_checked_times(job + 1u, task->period, &next)) {
            return (takt_response_t){0, 0, false, false};
        }
        take_worse(&worst, finish - job * task->period, job);
        job++;
    } while (job < supplied->jobs && x + task->jitter > next);
    return worst;
}

uint64_t takt_supplied_jobs(const takt_supplied_t *supplied) {
    uint64_t common = supplied->supply->period;
    bool is_known = takt_checked_multiple(common, supplied->task.period, &common);
    for (uint32_t j = 0; j < supplied->count && is_known; j++) {
        is_known = takt_checked_multiple(common, supplied->higher[j].period, &common);
    }
    return is_known ? common / supplied->task.period : UINT64_MAX;
}
