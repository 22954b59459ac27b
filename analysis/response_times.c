/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times under fixed priorities, in integer time, for arbitrary deadlines.
 *
 * Sources: Lehoczky 1990 (busy periods, arbitrary deadlines); Audsley, Burns, Richardson, Tindell, Wellings 1993 (jitter);
 * Bril, Lukkien, Verhaegh 2009 (deferred preemption: all jobs of the level-i active period); Wang and Saksena 1999
 * (thresholds). All tasks i and more urgent, j in hp(i), arrive at once with the greatest jitter, right after the longest
 * region of a less urgent one began. With n_j(x) = ceil((x + J_j) / T_j), the releases of j in [0, x), for k = 0, 1, ...:
 *
 *   (1)  S'_k = least x = B_i + k C_i + (path - last + 1) + sum over hp(i) of n_j(x) C_j    the last region begins at S'_k - 1
 *   (2)  F_k  = least x = S'_k - 1 + last + sum over the first `over` tasks of (n_j(x) - n_j(S'_k)) C_j
 *   (3)  R_k  = F_k + J_i - k T_i                                                           maximised over the ends of i
 *   (4)  L_k  = least x = B_i + (k + 1) C_i + sum over hp(i) of n_j(x) C_j                  the first k + 1 jobs are done
 *   (5)  k is the last job if L_k + J_i <= (k + 1) T_i: the next one comes at the end of the active period or later.
 *
 * The fixed points need no division as long as a task has few releases between two steps: `next` has of each task its
 * earliest release that is not in `work`, the right side; and work grows by what is released before it. (1) to (4) ascend
 * from job to job; and from task to task too, since L of the task above is never beyond (1), unless blocking shrinks by more
 * than path - last + 1: then the count begins anew.
 *
 * Bound: U <= 1 is decided first. Below 1, (4) and so all fixed points are at most (B + sum of C (1 + J / T)) / (1 - U). At
 * U = 1 the active period may have no end, but R_k repeats after H / T_i jobs, H the hyperperiod.
 *
 * Under a supply "done" is when so much has been supplied: with T(w) the least t with sbf(t) >= w, x is least with x = T(the
 * right side), in (2) too, and (5) has T(L_k) (Shin and Lee 2003, theorem 4.2; Davis and Burns 2005). With heads sbf is the
 * least of several: work that comes finds what is left of a budget, and how much that is and when the next one comes depends on
 * each other. Below the share Q / P of the supply all fixed points are at most (gap + loss + (B + sum of C (1 + J / T)) P / Q) /
 * (1 - U P / Q). An actual supply is never behind sbf, so the last region begins at S'_k - 1 at the latest, after no more
 * work of others than (1) has. Sufficient only: the supply may not be able to be so late just when the tasks arrive together.
 * Not for supplies that are better known than by a bound (a table of windows, for instance).
 *
 * Left out: what a job of equal priority, later in FIFO order, does not do; offsets; self-suspension. Not for tasks that
 * always arrive with known offsets: there this is a bound from above. */
#include "analysis/response_times.h"

#include "analysis/servers_seen.h"

#define NO_END UINT64_MAX

/* Up to this number, counting releases one by one is faster than a division. */
#define FEW 4u

/* A fixed-point iteration. Invariant: `work` contains each release before `next`, and no other; of a server whose tasks
 * are known, `next` is what `work` contains of it. */
typedef struct demand {
    const takt_sporadic_t *tasks;            /* as they delay others */
    const takt_children_t *set;              /* NULL: T(work) is the work */
    const takt_server_tasks_t *server_tasks; /* of the set, or NULL */
    uint64_t *next;
    uint32_t count;
    uint64_t work; /* TAKT_ANALYSIS_LIMIT: it does not fit */
} demand_t;

typedef struct search {
    const takt_children_t *set;
    const takt_fp_memory_t *memory;
    takt_effort_t *effort;
    demand_t demand; /* of what is more urgent than `task`, and of its jobs so far */
    uint32_t task;
    bool is_carried; /* the demand holds at the end of the active period of the task before */
} search_t;

/* The number of tasks with bounded responses. */
typedef struct extent {
    uint32_t count;
    bool is_full; /* they use the processor up */
} extent_t;

/* Whether all are tasks that have the processor to themselves. */
static bool is_plain(const takt_children_t *set) {
    return set->kinds == NULL && set->supply == NULL && set->server_tasks == NULL && set->head_count == 0;
}

static uint64_t blocking_of(const takt_children_t *set, uint32_t task) {
    return set->blocking != NULL ? set->blocking[task] : 0;
}

static uint32_t above_of(const uint32_t *above, uint32_t task) { return above != NULL ? above[task] : task; }

/* The number of tasks, the most urgent, that share the active period of a task. */
static uint32_t level_of(const uint32_t *above, uint32_t task) {
    const uint32_t others = above_of(above, task);
    return others > task ? others : task + 1u;
}

/* ---- blocking ---------------------------------------------------------------------------------------------- */

void takt_fp_blocking(const takt_duration_t *longest, const uint32_t *above, uint32_t count,
                      takt_duration_t head_start, takt_duration_t *blocking) {
    takt_duration_t most = head_start;
    uint32_t lower = count;
    for (uint32_t i = count; i-- > 0;) {
        for (; lower > level_of(above, i); lower--) {
            most = longest[lower - 1u] > most ? longest[lower - 1u] : most;
        }
        blocking[i] = most - head_start;
    }
}

/* ---- which levels are bounded ------------------------------------------------------------------------------ */

static void make_fractions(const takt_children_t *set, takt_fraction_t *fractions) {
    for (uint32_t i = 0; i < set->count; i++) {
        fractions[i] = (takt_fraction_t){set->tasks[i].wcet, set->tasks[i].period};
    }
}

/* The largest number of tasks with U <= 1; `all` compares the whole set with 1. False: the effort is used up. */
static bool find_extent(const takt_children_t *set, takt_fp_memory_t memory, takt_effort_t *effort,
                        extent_t *extent) {
    uint32_t fits = 0;
    uint32_t tried = set->count;
    make_fractions(set, memory.fractions);
    for (uint32_t beyond = set->count + 1u; fits + 1u < beyond; tried = fits + (beyond - fits) / 2u) {
        const takt_comparison_t order = takt_fractions_compare(memory.fractions, tried, memory.next, effort);
        if (order == TAKT_ORDER_UNKNOWN) {
            return false;
        }
        extent->is_full = order == TAKT_GREATER ? extent->is_full : order == TAKT_EQUAL;
        *(order == TAKT_GREATER ? &beyond : &fits) = tried;
    }
    extent->count = fits;
    return true;
}

/* The largest number of jobs of a task to check. At the whole supply one hyperperiod repeats that of the servers alone. */
static uint64_t jobs_of(const search_t *search, takt_comparison_t order) {
    const uint32_t level = level_of(search->set->above, search->task);
    const takt_sporadic_t *task = &search->set->tasks[search->task];
    uint64_t common = search->set->supply != NULL ? search->set->supply->period : 1;
    const bool is_known = order == TAKT_EQUAL && takt_checked_multiple(common, task->period, &common) &&
                          takt_common_period(search->demand.tasks, level, &common);
    return is_known ? common / task->period : NO_END;
}

/* ---- fixed points ------------------------------------------------------------------------------------------ */

static uint64_t plus_or_limit(uint64_t work, uint64_t more) {
    return more < TAKT_ANALYSIS_LIMIT - work ? work + more : TAKT_ANALYSIS_LIMIT;
}

/* The execution of a task's releases before `end`. No product overflows: C <= T, and jobs T <= lag + T. */
static uint64_t count_due(const takt_sporadic_t *task, uint64_t *next, uint64_t end) {
    const uint64_t lag = end - *next;
    const uint64_t jobs = lag > FEW * task->period ? (lag - 1u) / task->period + 1u : 1u;
    uint64_t passed = jobs * task->period;
    uint64_t more = jobs * task->wcet;
    for (; passed < lag; passed += task->period) {
        more += task->wcet;
    }
    *next += passed;
    return more;
}

/* Long executions first: they make most of the short ones due, whose releases are then counted at once. */
static uint64_t look_at_all(const demand_t *demand) {
    uint64_t work = demand->work;
    for (uint32_t j = demand->count; j-- > 0;) {
        if (demand->next[j] < work) {
            work = plus_or_limit(work, count_due(&demand->tasks[j], &demand->next[j], work));
        }
    }
    return work;
}

/* *done = T(work) where the supply begins in one way. False: it does not fit. */
static bool find_time_behind(const takt_children_t *set, const takt_supply_head_t *head, uint64_t work,
                             uint64_t *done) {
    if (work <= head->ticks) {
        return takt_checked_plus(work, head->delay, done);
    }
    const bool is_known = takt_supply_time(set->supply, work - head->ticks, done);
    return is_known && takt_checked_plus(*done - set->supply->gap, head->gap, done);
}

/* *done = T(work); of several ways to begin the latest. False: it does not fit. */
static bool find_time(const takt_children_t *set, uint64_t work, uint64_t *done) {
    uint64_t latest = 0;
    bool is_known = true;
    *done = work;
    if (set->head_count == 0) {
        return set->supply == NULL || takt_supply_time(set->supply, work, done);
    }
    for (uint32_t k = 0; k < set->head_count && is_known; k++) {
        is_known = find_time_behind(set, &set->heads[k], work, done);
        latest = *done > latest ? *done : latest;
    }
    *done = latest;
    return is_known;
}

/* Adds the releases of task `j` before `done`, of a server whose tasks are known no more than those release. */
static uint64_t look_at(const demand_t *demand, uint32_t j, uint64_t done) {
    const takt_server_tasks_t *inside = demand->server_tasks != NULL ? &demand->server_tasks[j] : NULL;
    uint64_t *next = &demand->next[j];
    if (*next == NO_END) {
        return 0;
    }
    if (inside == NULL || inside->count == 0) {
        return *next < done ? count_due(&demand->tasks[j], next, done) : 0;
    }
    const uint64_t before = *next;
    *next = takt_seen_requests(&demand->tasks[j], inside, done);
    return *next - before;
}

/* Adds what is released before the work is done. */
static uint64_t look_under_supply(const demand_t *demand) {
    uint64_t work = demand->work;
    uint64_t done = 0;
    if (!find_time(demand->set, work, &done)) {
        return TAKT_ANALYSIS_LIMIT;
    }
    for (uint32_t j = demand->count; j-- > 0;) {
        work = plus_or_limit(work, look_at(demand, j, done));
    }
    return work;
}

/* Adds own work and what is released until all of it is done. False: undecided. */
static bool advance(demand_t *demand, uint64_t own, takt_effort_t *effort) {
    uint64_t before = demand->work;
    demand->work = plus_or_limit(before, own);
    while (demand->work != before && demand->work < TAKT_ANALYSIS_LIMIT) {
        if (!takt_effort_step(effort)) {
            return false;
        }
        before = demand->work;
        demand->work = demand->set == NULL ? look_at_all(demand) : look_under_supply(demand);
    }
    return demand->work < TAKT_ANALYSIS_LIMIT;
}

/* T(work), of a demand that was advanced. */
static uint64_t end_of(const demand_t *demand) {
    uint64_t done = demand->work;
    const bool is_known = demand->set == NULL || find_time(demand->set, demand->work, &done);
    return is_known ? done : TAKT_ANALYSIS_LIMIT;
}

/* ---- one task ---------------------------------------------------------------------------------------------- */

/* (2). */
static bool find_finish(const search_t *search, const takt_fp_end_t *end, uint64_t *finish) {
    const demand_t *demand = &search->demand;
    if (end->over == 0 && demand->set == NULL) {
        return takt_effort_step(search->effort) && takt_checked_plus(demand->work - 1u, end->last, finish);
    }
    demand_t over = *demand;
    over.next = search->memory->later;
    over.count = end->over;
    over.work -= 1u;
    for (uint32_t j = 0; j < end->over; j++) {
        over.next[j] = demand->next[j];
    }
    const bool is_known = advance(&over, end->last, search->effort);
    *finish = end_of(&over);
    return is_known;
}

static void take_worse(takt_response_t *worst, uint64_t ticks, uint64_t job) {
    if (ticks > worst->ticks) {
        worst->ticks = ticks;
        worst->job = job;
    }
}

/* The ends of a task. */
typedef struct ends {
    const takt_fp_end_t *first;
    const takt_fp_end_t *behind;
} ends_t;

static ends_t ends_of(const takt_children_t *set, uint32_t task, const takt_fp_end_t *fully_preemptive) {
    if (set->ends == NULL) {
        return (ends_t){fully_preemptive, fully_preemptive + 1};
    }
    if (set->end_first == NULL) {
        return (ends_t){set->ends + task, set->ends + task + 1};
    }
    return (ends_t){set->ends + set->end_first[task], set->ends + set->end_first[task + 1u]};
}

/* (1) to (4) for job `job`, whose predecessor's (4) the demand is at. False: undecided. */
static bool find_job(search_t *search, ends_t ends, uint64_t job, takt_response_t *worst) {
    const takt_sporadic_t *task = &search->set->tasks[search->task];
    const uint64_t arrival = job * task->period;
    uint64_t own = 0;
    for (const takt_fp_end_t *end = ends.first; end != ends.behind; end++) {
        const uint64_t begun = end->path - end->last + 1u;
        uint64_t finish = 0;
        if (!advance(&search->demand, begun - own, search->effort) || !find_finish(search, end, &finish) ||
            !takt_checked_plus(finish, task->jitter, &finish)) {
            return false;
        }
        take_worse(worst, finish - arrival, job);
        own = begun;
    }
    return own == task->wcet || advance(&search->demand, task->wcet - own, search->effort);
}

/* The responses of the active period, up to the first that is more than `enough`. */
static takt_response_t find_response(search_t *search, ends_t ends, uint64_t jobs, takt_duration_t enough) {
    const takt_sporadic_t *task = &search->set->tasks[search->task];
    takt_response_t worst = {0, 0, true, true};
    uint64_t job = 0;
    do {
        if (!find_job(search, ends, job, &worst)) {
            return (takt_response_t){0, 0, false, false};
        }
        job++;
    } while (worst.ticks <= enough && job < jobs &&
             end_of(&search->demand) + task->jitter > job * task->period);
    search->demand.next[search->task] = job * task->period - task->jitter;
    return worst;
}

/* ---- from task to task ------------------------------------------------------------------------------------- */

/* Adds the other tasks' releases at 0; what a server's tasks release is counted later. */
static void begin_anew(search_t *search) {
    demand_t *demand = &search->demand;
    demand->count = above_of(search->set->above, search->task);
    demand->work = blocking_of(search->set, search->task);
    for (uint32_t j = 0; j < demand->count; j++) {
        const takt_sporadic_t *task = &demand->tasks[j];
        const uint64_t earlier = task->jitter < task->period ? 0 : task->jitter / task->period;
        const bool is_known = demand->server_tasks != NULL && demand->server_tasks[j].count > 0;
        if (j == search->task) {
            demand->next[j] = NO_END;
        } else if (is_known) {
            demand->next[j] = 0;
        } else {
            demand->work = plus_or_limit(demand->work, (earlier + 1u) * task->wcet);
            demand->next[j] = (earlier + 1u) * task->period - task->jitter;
        }
    }
}

/* Whether the demand at the end of the active period of the task before is one on the way to (1) of this. */
static bool can_carry(const search_t *search, const takt_fp_end_t *end) {
    const takt_children_t *set = search->set;
    const uint32_t task = search->task;
    return search->is_carried && above_of(set->above, task) == task &&
           blocking_of(set, task) + (end->path - end->last + 1u) >= blocking_of(set, task - 1u);
}

static void carry(search_t *search) {
    const uint64_t passed = blocking_of(search->set, search->task - 1u);
    search->demand.count = search->task;
    search->demand.work = plus_or_limit(search->demand.work - passed, blocking_of(search->set, search->task));
}

/* Compares the shares of a task and of what delays it with that of the supply. */
static takt_comparison_t order_seen(search_t *search, const takt_server_tasks_t *server_tasks) {
    const takt_children_t *set = search->set;
    search->demand.server_tasks = server_tasks;
    return takt_seen_shares(set, server_tasks, search->task, above_of(set->above, search->task),
                            *search->memory, search->effort);
}

/* The same; at the whole supply the tasks inside of servers do not count, so that one hyperperiod is all. */
static takt_comparison_t find_order(search_t *search, extent_t extent) {
    const takt_children_t *set = search->set;
    const uint32_t level = level_of(set->above, search->task);
    if (search->demand.set == NULL) {
        return level > extent.count                      ? TAKT_GREATER
               : extent.is_full && level == extent.count ? TAKT_EQUAL
                                                         : TAKT_LESS;
    }
    const takt_comparison_t order = order_seen(search, set->server_tasks);
    return order != TAKT_EQUAL || set->server_tasks == NULL ? order : order_seen(search, NULL);
}

/* The response of the next task, and the demand at the end of its active period. */
static takt_response_t next_response(search_t *search, extent_t extent, takt_duration_t enough) {
    const takt_children_t *set = search->set;
    const takt_fp_end_t fully_preemptive = {set->tasks[search->task].wcet, 1, 0};
    const ends_t ends = ends_of(set, search->task, &fully_preemptive);
    const takt_comparison_t order = find_order(search, extent);
    if (order == TAKT_GREATER || order == TAKT_ORDER_UNKNOWN) {
        return (takt_response_t){0, 0, false, order == TAKT_GREATER};
    }
    if (can_carry(search, ends.first)) {
        carry(search);
    } else {
        begin_anew(search);
    }
    return find_response(search, ends, jobs_of(search, order), enough);
}

/* A search with all as it delays others before anything is known of it; `extent` is of plain sets. False: undecided. */
static bool begin(search_t *search, extent_t *extent) {
    const takt_children_t *set = search->set;
    const bool has_servers = set->kinds != NULL;
    search->demand = (demand_t){.tasks = has_servers ? search->memory->seen : set->tasks,
                                .set = is_plain(set) ? NULL : set,
                                .next = search->memory->next};
    for (uint32_t i = 0; has_servers && i < set->count; i++) {
        search->memory->seen[i] = takt_seen_from_below(set, i, NULL);
    }
    return search->demand.set != NULL || find_extent(set, *search->memory, search->effort, extent);
}

/* Keeps what the next task needs to know of one. */
static void keep(search_t *search, const takt_response_t *response) {
    search->is_carried = search->demand.set == NULL && response->is_bounded;
    if (search->set->kinds != NULL) {
        search->memory->seen[search->task] = takt_seen_from_below(search->set, search->task, response);
    }
}

void takt_fp_responses(const takt_children_t *set, takt_fp_memory_t memory, takt_effort_t *effort,
                       takt_response_t *responses) {
    search_t search = {.set = set, .memory = &memory, .effort = effort};
    extent_t extent = {0, false};
    const bool is_known = begin(&search, &extent);
    for (; search.task < set->count; search.task++) {
        takt_response_t *response = &responses[search.task];
        *response = is_known ? next_response(&search, extent, NO_END) : (takt_response_t){0, 0, false, false};
        keep(&search, response);
    }
}

takt_response_t takt_fp_response(const takt_children_t *set, uint32_t task, takt_duration_t enough,
                                 takt_fp_memory_t memory, takt_effort_t *effort) {
    search_t search = {.set = set, .memory = &memory, .effort = effort, .task = task};
    extent_t extent = {0, false};
    return begin(&search, &extent) ? next_response(&search, extent, enough)
                                   : (takt_response_t){0, 0, false, false};
}

static takt_verdict_t verdict_of(takt_response_t response, takt_duration_t deadline) {
    return response.is_decided ? takt_verdict_of(response.is_bounded && response.ticks <= deadline)
                               : TAKT_UNDECIDED;
}

takt_verdict_t takt_fp_is_schedulable(const takt_children_t *set, takt_fp_memory_t memory,
                                      takt_effort_t *effort) {
    search_t search = {.set = set, .memory = &memory, .effort = effort};
    extent_t extent = {0, false};
    takt_verdict_t verdict = begin(&search, &extent) ? TAKT_SCHEDULABLE : TAKT_UNDECIDED;
    for (; verdict == TAKT_SCHEDULABLE && search.task < set->count; search.task++) {
        const takt_duration_t deadline = set->tasks[search.task].deadline;
        const takt_response_t response = next_response(&search, extent, deadline);
        verdict = verdict_of(response, deadline);
        keep(&search, &response);
    }
    return verdict;
}
