/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocking tolerance and longest non-preemptive regions.
 *
 * Sources: Yao, Buttazzo, Bertogna 2009, and Bini and Buttazzo 2004 (fixed priorities); Baruah 2005 (EDF). In integer time,
 * where a job that blocks has begun its region at least a tick before:
 *
 *   (1)  beta_i = max over 0 < t <= D_i - J_i of t - C_i - sum over hp(i) of ceil((t + J_j) / T_j) C_j
 *   (2)  Q_k = min over hp(k) of beta_i + 1                                          fixed priorities
 *   (3)  Q_k = min over t < D_k - J_k with dbf(t) > 0 of t - dbf(t) + 1              EDF
 *   (4)  dbf(t) = sum over D_j - J_j <= t of (floor((t + J_j - D_j) / T_j) + 1) C_j
 *
 * In (1) the demand steps up right after m T_j - J_j, so the maximum is at one of these, or at the end. In (3) it steps
 * up at D_j - J_j + m T_j, and the minimum is there. Bound: that many steps. All sums are below t.
 *
 * Left out: the tolerance of the jobs after the first, for D > T; the recursive choice of fewer points. When not to use it:
 * where regions are known, use response times. */
#include "analysis/blocking_tolerance.h"

#include "analysis/edf_blocking.h"

/* Subtracts `jobs` times `wcet` from `left`; false if it would become negative. */
static bool take(uint64_t jobs, takt_duration_t wcet, uint64_t *left) {
    if (jobs != 0 && wcet > *left / jobs) {
        return false;
    }
    *left -= jobs * wcet;
    return true;
}

/* ---- fixed priorities ---------------------------------------------------------------------------------------- */

/* The slack of t in (1); false if it is negative. */
static bool slack_at(const takt_sporadic_t *tasks, uint32_t task, uint64_t t, uint64_t *slack) {
    *slack = t;
    bool is_left = take(1, tasks[task].wcet, slack);
    for (uint32_t j = 0; j < task && is_left; j++) {
        is_left = take(takt_ceiling(t + tasks[j].jitter, tasks[j].period), tasks[j].wcet, slack);
    }
    return is_left;
}

/* The first testing point after t; `end` if that is earlier. */
static uint64_t point_after(const takt_sporadic_t *tasks, uint32_t task, uint64_t t, uint64_t end) {
    uint64_t first = end;
    for (uint32_t j = 0; j < task; j++) {
        const uint64_t jobs = (t + tasks[j].jitter) / tasks[j].period + 1u;
        const uint64_t point = jobs * tasks[j].period - tasks[j].jitter;
        first = point < first ? point : first;
    }
    return first;
}

takt_verdict_t takt_blocking_tolerance_find(const takt_sporadic_t *tasks, uint32_t task,
                                            takt_duration_t *tolerance, takt_effort_t *effort) {
    const bool has_time = tasks[task].deadline > tasks[task].jitter;
    const uint64_t end = has_time ? tasks[task].deadline - tasks[task].jitter : 0;
    bool is_schedulable = false;
    *tolerance = 0;
    for (uint64_t t = 0; t < end;) {
        uint64_t slack = 0;
        if (!takt_effort_step(effort)) {
            return TAKT_UNDECIDED;
        }
        t = point_after(tasks, task, t, end);
        if (slack_at(tasks, task, t, &slack)) {
            is_schedulable = true;
            *tolerance = slack > *tolerance ? slack : *tolerance;
        }
    }
    return takt_verdict_of(is_schedulable);
}

takt_verdict_t takt_fp_regions_find(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t *regions,
                                    takt_effort_t *effort) {
    takt_duration_t longest = TAKT_ANALYSIS_TIME_MAX;
    takt_verdict_t verdict = TAKT_SCHEDULABLE;
    for (uint32_t k = 0; k < count && verdict == TAKT_SCHEDULABLE; k++) {
        takt_duration_t tolerance = 0;
        regions[k] = tasks[k].wcet < longest ? tasks[k].wcet : longest;
        verdict = takt_blocking_tolerance_find(tasks, k, &tolerance, effort);
        longest = tolerance + 1u < longest ? tolerance + 1u : longest;
    }
    return verdict;
}

/* ---- EDF ------------------------------------------------------------------------------------------------------- */

/* t - dbf(t); false if it is negative. */
static bool edf_slack_at(const takt_sporadic_t *tasks, uint32_t count, uint64_t t, uint64_t *slack) {
    bool is_left = true;
    *slack = t;
    for (uint32_t j = 0; j < count && is_left; j++) {
        is_left = take(takt_jobs_due(&tasks[j], t), tasks[j].wcet, slack);
    }
    return is_left;
}

/* The first deadline after t; `end` if that is earlier. */
static uint64_t deadline_after(const takt_sporadic_t *tasks, uint32_t count, uint64_t t, uint64_t end) {
    uint64_t first = end;
    for (uint32_t j = 0; j < count; j++) {
        const uint64_t due =
            takt_jobs_due(&tasks[j], t) * tasks[j].period + tasks[j].deadline - tasks[j].jitter;
        first = due < first ? due : first;
    }
    return first;
}

/* The length up to which some task has no job due. */
static uint64_t longest_wait(const takt_sporadic_t *tasks, uint32_t count) {
    uint64_t longest = 0;
    for (uint32_t j = 0; j < count; j++) {
        const bool has_time = tasks[j].deadline > tasks[j].jitter;
        const uint64_t wait = has_time ? tasks[j].deadline - tasks[j].jitter : 0;
        longest = wait > longest ? wait : longest;
    }
    return longest;
}

/* While a job due by t waits, a job of a task with no deadline by t may run for at most `slack`. */
static void shorten(const takt_sporadic_t *tasks, uint32_t count, uint64_t t, uint64_t slack,
                    takt_duration_t *regions) {
    for (uint32_t k = 0; k < count; k++) {
        if (slack < t && takt_jobs_due(&tasks[k], t) == 0 && regions[k] > slack + 1u) {
            regions[k] = slack + 1u;
        }
    }
}

takt_verdict_t takt_edf_regions_find(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t *regions,
                                     takt_effort_t *effort) {
    const uint64_t end = longest_wait(tasks, count);
    for (uint32_t k = 0; k < count; k++) {
        regions[k] = tasks[k].wcet;
    }
    for (uint64_t t = 0; t < end; t = deadline_after(tasks, count, t, end)) {
        uint64_t slack = 0;
        if (!takt_effort_step(effort)) {
            return TAKT_UNDECIDED;
        }
        if (!edf_slack_at(tasks, count, t, &slack)) {
            return TAKT_UNSCHEDULABLE;
        }
        shorten(tasks, count, t, slack, regions);
    }
    return TAKT_SCHEDULABLE;
}
