/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel's own work in response times and processor demand.
 *
 * Sources: Katcher, Arakawa, Strosnider 1993, and Burns, Tindell, Wellings 1995 (kernel costs as interference and blocking); Jeffay
 * and Stone 1993 (EDF beneath interrupt handlers); Baruah 2005 (blocking under EDF); Zhang and Burns 2009 (QPA). The cost model is
 * that of SPEC.md, 5; with r release, s scheduling, c context switch, p point:
 *
 * A pass of the kernel pays s and c at most once, and only if a job was released or completed in it, or one yields at a point. A
 * job that yields does so for one that was released while it could not be displaced, and that release paid neither s nor c. So
 *
 *   (1)  each release costs r + s + c at most, of whatever task: an interrupt, as a task above all others
 *   (2)  each completion costs s + c at most, which delays others only, and each point of an own job p
 *   (3)  each tick costs `tick`: one more interrupt
 *   (4)  the delay of a job by less urgent ones is counted from an instant at which nothing is pending but these, and at which one
 *        of them may complete, s + c, or yield, p + s + c, and choose another; what then begins a region runs for all of it,
 *        since a release that comes while the kernel works is too late; and ends it with p, or with s + c
 *   (7)  a wake-up w is paid by a pass that chooses after the processor has idled. While a job is pending the processor does not
 *        idle, so the count has one at most, at its beginning.
 *
 * Fixed priorities: (1) and (3) become tasks in front, which also preempt last regions; (2) is added to the wcet; (4) and (7)
 * are the blocking, in place of q - 1. If nothing costs anything, what comes out is the set that went in. EDF: for each deadline t of the
 * longest busy period, with n_j(t) jobs due in t ticks
 *
 *   (5)  h(t) = b + sum of n_j(t) (C_j + m_j p + s + c) + ceil((t + J_j) / T_j) (r + s + c) + ceil(t / P) tick + q(t) <= t
 *   (6)  q(t) = max of q_j and its end over j with n_j(t) = 0: of a task with jobs due, these cost no less
 *
 * b being the completion or point of (4) and w, in h without s + c: the completion of the job that is due at t comes too late to delay
 * it, and pays for that one. h does not fall: where a region drops out of q, its job is due. So a t that holds clears all
 * others down to h(t).
 *
 * Bound: U < 1, by (1) to (3), is decided first; then the busy period is at most (B + sum of C (1 + J / T)) / (1 - U), and the number of
 * deadlines in it bounds the rest. Left out: servers, resources, thresholds, suspension, late jobs that are aborted or skipped,
 * pulling points, and that costs of one pass may be shared, which makes all of this sufficient only. When not to use it:
 * nothing costs anything; the plain tests are exact. */
#include "analysis/overheads.h"

#include "analysis/edf_blocking.h"

/* Costs by their causes. */
typedef struct causes {
    takt_duration_t completion;
    takt_duration_t release;
} causes_t;

static causes_t causes_of(const takt_overheads_t *costs) {
    const takt_duration_t completion = costs->scheduling + costs->context_switch;
    return (causes_t){completion, completion + costs->release};
}

static bool is_free(const takt_overheads_t *costs) {
    return costs->context_switch == 0 && costs->release == 0 && costs->scheduling == 0 && costs->point == 0 &&
           costs->tick == 0 && costs->wake_up == 0;
}

static uint64_t value_of(const uint64_t *column, uint32_t task, uint64_t otherwise) {
    return column != NULL ? column[task] : otherwise;
}

/* Execution and points of a job; TAKT_ANALYSIS_LIMIT if they do not fit. */
static uint64_t path_of(const takt_overhead_set_t *set, uint32_t task) {
    uint64_t sum = 0;
    return takt_checked_times(value_of(set->points, task, 0), set->costs.point, &sum) &&
                   takt_checked_plus(sum, set->tasks[task].wcet, &sum)
               ? sum
               : TAKT_ANALYSIS_LIMIT;
}

/* The end of the longest stretch that a job of a task keeps others waiting for once they have come, with its beginning. */
static uint64_t region_of(const takt_overhead_set_t *set, uint32_t task) {
    const uint64_t longest = value_of(set->longest, task, 0);
    const uint64_t completion = causes_of(&set->costs).completion;
    const bool is_point_longer = value_of(set->points, task, 0) > 0 && set->costs.point > completion;
    if (longest == 0) {
        return 0;
    }
    return longest - (is_free(&set->costs) ? 1u : 0u) + (is_point_longer ? set->costs.point : completion);
}

/* What a job does that is not to run any more when the count begins: it completes, or yields at a point. */
static uint64_t passing_of(const takt_overhead_set_t *set, uint32_t task) {
    return causes_of(&set->costs).completion + (value_of(set->points, task, 0) > 0 ? set->costs.point : 0);
}

static uint64_t greater_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Whether sums of a few of these, and of a time, stay below TAKT_ANALYSIS_LIMIT. */
static bool is_small(const takt_overhead_set_t *set) {
    const takt_overheads_t *costs = &set->costs;
    const uint64_t most = TAKT_ANALYSIS_TIME_MAX / 16u;
    bool is_small = costs->context_switch <= most && costs->release <= most && costs->scheduling <= most &&
                    costs->point <= most && costs->tick <= most && costs->wake_up <= most;
    for (uint32_t i = 0; i < set->count && is_small; i++) {
        is_small = path_of(set, i) <= TAKT_ANALYSIS_TIME_MAX / 2u;
    }
    return is_small;
}

/* ---- fixed priorities ---------------------------------------------------------------------------------------- */

/* (1) or (3): puts an interrupt in front as a task, whose deadline is not checked. */
static void put_interrupt(const takt_draft_t *draft, uint32_t *above, uint32_t *count, takt_duration_t wcet,
                          const takt_sporadic_t *like) {
    if (wcet > 0) {
        draft->tasks[*count] = (takt_sporadic_t){wcet, like->period, TAKT_ANALYSIS_TIME_MAX, like->jitter};
        draft->ends[*count] = (takt_fp_end_t){wcet, 1, 0};
        draft->blocking[*count] = 0;
        above[*count] = *count;
        *count += 1u;
    }
}

static uint32_t put_interrupts(const takt_overhead_set_t *set, const takt_draft_t *draft, uint32_t *above) {
    const takt_sporadic_t tick = {1, set->costs.tick_period, 1, 0};
    const takt_duration_t release = causes_of(&set->costs).release;
    uint32_t count = 0;
    put_interrupt(draft, above, &count, set->costs.tick, &tick);
    for (uint32_t i = 0; i < set->count; i++) {
        put_interrupt(draft, above, &count, release, &set->tasks[i]);
    }
    return count;
}

/* (2). */
static void put_task(const takt_overhead_set_t *set, uint32_t task, const takt_draft_t *draft,
                     uint32_t *above, uint32_t interrupts) {
    const uint64_t path = path_of(set, task);
    takt_sporadic_t *put = &draft->tasks[interrupts + task];
    *put = set->tasks[task];
    put->wcet = path + causes_of(&set->costs).completion;
    draft->ends[interrupts + task] = (takt_fp_end_t){path, value_of(set->last, task, 1), interrupts};
    above[interrupts + task] = interrupts + (set->above != NULL ? set->above[task] : task);
}

/* (4) and (7), of the task at index `first` - 1 and its equals: tasks from `first` on are less urgent. */
static uint64_t blocking_from(const takt_overhead_set_t *set, uint32_t first) {
    uint64_t region = 0;
    uint64_t passing = 0;
    for (uint32_t j = first; j < set->count; j++) {
        region = greater_of(region, region_of(set, j));
        passing = greater_of(passing, passing_of(set, j));
    }
    return region + passing + set->costs.wake_up;
}

bool takt_overheads_expand(const takt_overhead_set_t *set, const takt_draft_t *draft, uint32_t *above,
                           takt_children_t *expanded) {
    if (!is_small(set)) {
        return false;
    }
    const uint32_t interrupts = put_interrupts(set, draft, above);
    for (uint32_t i = 0; i < set->count; i++) {
        put_task(set, i, draft, above, interrupts);
        const uint32_t others = above[interrupts + i] - interrupts;
        draft->blocking[interrupts + i] = blocking_from(set, others > i ? others : i + 1u);
    }
    *expanded = (takt_children_t){.tasks = draft->tasks,
                                  .count = interrupts + set->count,
                                  .blocking = draft->blocking,
                                  .ends = draft->ends,
                                  .above = above};
    return true;
}

/* ---- EDF ------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const takt_overhead_set_t *set;
    causes_t causes;
    uint64_t passing; /* b */
    uint64_t region;  /* the longest of all */
    takt_effort_t *effort;
} search_t;

/* *sum += jobs cost; false if that is not below TAKT_ANALYSIS_LIMIT. */
static bool add(uint64_t *sum, uint64_t jobs, uint64_t cost) {
    uint64_t product = 0;
    return takt_checked_times(jobs, cost, &product) && takt_checked_plus(*sum, product, sum);
}

static uint64_t arrivals_in(const takt_sporadic_t *task, uint64_t t) {
    return takt_ceiling(t + task->jitter, task->period);
}

/* The cost of a job without its release. */
static uint64_t job_of(const search_t *search, uint32_t task) {
    return path_of(search->set, task) + search->causes.completion;
}

/* Adds the costs of releases and timer ticks in t ticks. */
static bool add_interrupts(const search_t *search, uint64_t t, uint64_t *sum) {
    const takt_overhead_set_t *set = search->set;
    bool is_known =
        set->costs.tick == 0 || add(sum, takt_ceiling(t, set->costs.tick_period), set->costs.tick);
    for (uint32_t j = 0; j < set->count && is_known; j++) {
        is_known = add(sum, arrivals_in(&set->tasks[j], t), search->causes.release);
    }
    return is_known;
}

/* Adds all jobs that are released in t ticks. */
static bool add_arrivals(const search_t *search, uint64_t t, uint64_t *sum) {
    bool is_known = true;
    for (uint32_t j = 0; j < search->set->count && is_known; j++) {
        is_known = add(sum, arrivals_in(&search->set->tasks[j], t), job_of(search, j));
    }
    return is_known;
}

/* Adds all jobs that are due in t ticks, and a region of another. */
static bool add_due(const search_t *search, uint64_t t, uint64_t *sum) {
    const takt_overhead_set_t *set = search->set;
    uint64_t region = 0;
    bool is_known = true;
    for (uint32_t j = 0; j < set->count && is_known; j++) {
        const uint64_t jobs = takt_jobs_due(&set->tasks[j], t);
        region = jobs == 0 ? greater_of(region, region_of(set, j)) : region;
        is_known = add(sum, jobs, job_of(search, j));
    }
    return is_known && takt_checked_plus(*sum, region, sum);
}

/* The length of the longest busy period; false: undecided. */
static bool find_busy_period(const search_t *search, uint64_t *length) {
    uint64_t before = 0;
    uint64_t sum = search->passing + search->region + 1u;
    while (sum != before) {
        before = sum;
        sum = search->passing + search->region;
        if (!takt_effort_step(search->effort) || !add_interrupts(search, before, &sum) ||
            !add_arrivals(search, before, &sum)) {
            return false;
        }
    }
    *length = sum;
    return true;
}

/* The last deadline before t; 0 if there is none. */
static uint64_t deadline_before(const takt_overhead_set_t *set, uint64_t t) {
    uint64_t last = 0;
    for (uint32_t j = 0; j < set->count && t > 0; j++) {
        const takt_sporadic_t *task = &set->tasks[j];
        const uint64_t jobs = takt_jobs_due(task, t - 1u);
        last =
            jobs == 0 ? last : greater_of(last, (jobs - 1u) * task->period + task->deadline - task->jitter);
    }
    return last;
}

/* (5) for all deadlines before `end`, backwards. */
static takt_verdict_t look_back(const search_t *search, uint64_t end) {
    for (uint64_t t = deadline_before(search->set, end); t > 0;) {
        uint64_t demand = search->passing - search->causes.completion;
        if (!takt_effort_step(search->effort)) {
            return TAKT_UNDECIDED;
        }
        if (!add_interrupts(search, t, &demand) || !add_due(search, t, &demand) || demand > t) {
            return TAKT_UNSCHEDULABLE;
        }
        t = deadline_before(search->set, demand);
    }
    return TAKT_SCHEDULABLE;
}

/* Every job fits its window, and U < 1 with all costs. */
static takt_verdict_t leave_time(const search_t *search, takt_fraction_t *fractions, uint64_t *rest) {
    const takt_overhead_set_t *set = search->set;
    const bool has_ticks = set->costs.tick > 0;
    bool has_time = true;
    for (uint32_t j = 0; j < set->count; j++) {
        const takt_sporadic_t *task = &set->tasks[j];
        fractions[j] = (takt_fraction_t){job_of(search, j) + search->causes.release, task->period};
        has_time = has_time && task->deadline >= task->jitter + task->wcet;
    }
    fractions[set->count] = (takt_fraction_t){set->costs.tick, has_ticks ? set->costs.tick_period : 1};
    const takt_comparison_t order = takt_fractions_compare(fractions, set->count + 1u, rest, search->effort);
    return order == TAKT_ORDER_UNKNOWN ? TAKT_UNDECIDED : takt_verdict_of(has_time && order == TAKT_LESS);
}

static search_t begin(const takt_overhead_set_t *set, takt_effort_t *effort) {
    search_t search = {set, causes_of(&set->costs), 0, 0, effort};
    for (uint32_t j = 0; j < set->count; j++) {
        search.passing = greater_of(search.passing, passing_of(set, j));
        search.region = greater_of(search.region, region_of(set, j));
    }
    search.passing += set->costs.wake_up;
    return search;
}

takt_verdict_t takt_overheads_edf_decide(const takt_overhead_set_t *set, takt_fraction_t *fractions,
                                         uint64_t *rest, takt_effort_t *effort) {
    search_t search = begin(set, effort);
    uint64_t end = 0;
    if (!is_small(set)) {
        return TAKT_UNDECIDED;
    }
    const takt_verdict_t verdict = leave_time(&search, fractions, rest);
    if (verdict != TAKT_SCHEDULABLE) {
        return verdict;
    }
    return find_busy_period(&search, &end) ? look_back(&search, end + 1u) : TAKT_UNDECIDED;
}
