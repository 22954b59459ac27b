/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Processor demand against a supply bound, in integer time: for all L from the least deadline on
 *
 *   (1)  sum of h_j(L) + B(L) <= sbf(L)
 *
 * Sources: Baruah, Rosier, Howell 1990 and Shin and Lee 2003, theorem 4.1 (dbf <= sbf); F. Zhang and A. Burns, QPA,
 * 2009 (from the end, L jumps to the demand); Spuri 1998 (blocking); Abeni and Buttazzo 1998, theorem 1 (bandwidth);
 * T. M. Ghazalie and T. P. Baker 1995 (deferrable servers under EDF). What a child demands in L ticks, with deadlines
 * in them:
 *
 *   task             (floor((L + J - D) / T) + 1) C, 0 if L + J < D
 *   idling, polling  floor(L / P) Q
 *   deferrable       floor(L / P) Q + min(Q, L mod P): the end of a period, of which at most Q ticks are used, and then whole ones
 *   sporadic         2 floor(L / P) Q, by (b) of servers_seen.c
 *   bandwidth        floor(L Q / P)
 *   kernel           ceil((L + J) / T) C: all that comes, since it does not wait; it has no deadline to miss
 *
 * An interval in which a child misses its deadline contains its own period, so intervals shorter than the least
 * deadline do not count. There deferrable servers may request too much, without harm: one that gets work x ticks
 * after its replenishment still has Q - x by the end of the period, as an interval longer by x shows. Part of a
 * bandwidth server's budget may be due in any interval. (1) is sharper for deferrable servers than the sum of U + sum
 * of U_j (P_j - Q_j) / P_i <= 1 of algorithms.md 6.6 where that has the own excess too, and admits all kinds at once.
 *
 * The intervals that count are shorter than the longest busy period (2), where the shares are less than that of the
 * supply: its least fixed point, with T(w) the least t with sbf(t) >= w; at equal shares, shorter than (3), after
 * which all repeats:
 *
 *   (2)  L = T(max B + sum of r_j(L)),  r_j(L) the requests of j in L ticks, whatever its deadlines
 *   (3)  lcm(P, T_j) + max(T(1), D_j - T_j, the length from which on B(L) stays)
 *
 * Where no child demands more of an interval than its share of it, which is so for bandwidth servers, for idling, polling
 * and sporadic ones and for tasks with D - J >= T, and the supply is full without blocking, the shares alone tell (4).
 *
 * L descends: demand with B and supply ascend in L as long as the same sections and regions count (a region gives way to
 * the demand of its own task), so that from L on to T(demand(L)) below it nothing fails; and by one tick where that is L
 * itself. Exact for tasks on the full supply with attained blocking; else sufficient. */
#include "analysis/server_edf.h"
#include "core/wide.h"

/* A child as a task. A sporadic server is one of double the budget; of a bandwidth server a part may be due in any
 * interval. */
typedef struct child {
    takt_sporadic_t task;
    takt_child_kind_t kind;
} child_t;

static child_t child_at(const takt_children_t *children, uint32_t place) {
    child_t child = {children->tasks[place], takt_kind_of(children, place)};
    if (child.kind == TAKT_CHILD_SPORADIC) {
        child.task.wcet *= 2u;
    }
    if (child.kind == TAKT_CHILD_BANDWIDTH) {
        child.task.deadline = 1;
    }
    return child;
}

/* ---- what is demanded ---------------------------------------------------------------------------------------- */

/* floor(L / P) Q + min(Q, L mod P) */
static uint64_t deferrable_demand(const takt_sporadic_t *server, uint64_t interval) {
    const uint64_t rest = interval % server->period;
    return interval / server->period * server->wcet + (rest < server->wcet ? rest : server->wcet);
}

/* floor(L Q / P) */
static uint64_t bandwidth_demand(const takt_sporadic_t *server, uint64_t interval) {
    const takt_wide_t period = {0, server->period};
    return takt_wide_quotient(takt_wide_product(interval, server->wcet), period);
}

static bool child_demand(const child_t *child, uint64_t interval, uint64_t *demand) {
    switch (child->kind) {
    case TAKT_CHILD_DEFERRABLE:
        *demand = deferrable_demand(&child->task, interval);
        return true;
    case TAKT_CHILD_KERNEL:
        return takt_checked_times(takt_ceiling(interval + child->task.jitter, child->task.period),
                                  child->task.wcet, demand);
    case TAKT_CHILD_BANDWIDTH:
        *demand = bandwidth_demand(&child->task, interval);
        return true;
    default:
        return takt_checked_times(takt_jobs_due(&child->task, interval), child->task.wcet, demand);
    }
}

bool takt_children_demand_in(const takt_children_t *children, uint64_t interval, uint64_t *demand) {
    *demand = 0;
    for (uint32_t i = 0; i < children->count; i++) {
        const child_t child = child_at(children, i);
        uint64_t more = 0;
        if (!child_demand(&child, interval, &more) || !takt_checked_plus(*demand, more, demand)) {
            return false;
        }
    }
    return true;
}

/* r_j of (2). */
static bool child_request(const child_t *child, uint64_t interval, uint64_t *work) {
    const takt_sporadic_t *task = &child->task;
    const uint64_t early = child->kind == TAKT_CHILD_DEFERRABLE ? task->period - task->wcet : task->jitter;
    if (child->kind == TAKT_CHILD_BANDWIDTH) {
        *work = bandwidth_demand(task, interval) + task->wcet;
        return true;
    }
    return takt_checked_times(takt_ceiling(interval + early, task->period), task->wcet, work);
}

static bool add_requests(const takt_children_t *children, uint64_t interval, uint64_t *work) {
    for (uint32_t i = 0; i < children->count; i++) {
        const child_t child = child_at(children, i);
        uint64_t more = 0;
        if (!child_request(&child, interval, &more) || !takt_checked_plus(*work, more, work)) {
            return false;
        }
    }
    return true;
}

/* ---- which intervals count ------------------------------------------------------------------------------------- */

/* (2). */
static bool find_busy_period(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                             uint64_t *end, takt_effort_t *effort) {
    const uint64_t blocked = takt_edf_blocking_longest(blocking, children->count);
    const takt_supply_t supply = takt_supply_of(children);
    uint64_t before = 0;
    *end = 1;
    while (*end != before) {
        uint64_t work = blocked;
        before = *end;
        if (!takt_effort_step(effort) || !add_requests(children, before, &work) ||
            !takt_supply_time(&supply, work, end) || *end > TAKT_ANALYSIS_TIME_MAX) {
            return false;
        }
    }
    return true;
}

/* (3). */
static bool find_repetition(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                            uint64_t *end) {
    const takt_supply_t supply = takt_supply_of(children);
    uint64_t common = supply.period;
    uint64_t begin = 0;
    const bool is_known =
        takt_supply_time(&supply, 1, &begin) && takt_common_period(children->tasks, children->count, &common);
    const uint64_t steady = takt_edf_blocking_last(children->tasks, children->count, blocking);
    begin = steady > begin ? steady : begin;
    for (uint32_t i = 0; i < children->count; i++) {
        const takt_sporadic_t *task = &children->tasks[i];
        const uint64_t late = task->deadline > task->period ? task->deadline - task->period : 0;
        begin = late > begin ? late : begin;
    }
    return is_known && takt_checked_plus(common, begin, end) && *end <= TAKT_ANALYSIS_TIME_MAX;
}

static takt_comparison_t compare_shares(const takt_children_t *children, takt_fraction_t *fractions,
                                        uint64_t *rest, takt_effort_t *effort) {
    const takt_supply_t supply = takt_supply_of(children);
    for (uint32_t i = 0; i < children->count; i++) {
        const child_t child = child_at(children, i);
        fractions[i] = (takt_fraction_t){child.task.wcet, child.task.period};
    }
    fractions[children->count] = (takt_fraction_t){supply.period - supply.budget, supply.period};
    return takt_fractions_compare(fractions, children->count + 1u, rest, effort);
}

static uint64_t least_deadline(const takt_children_t *children) {
    uint64_t least = TAKT_ANALYSIS_TIME_MAX;
    for (uint32_t i = 0; i < children->count; i++) {
        const child_t child = child_at(children, i);
        const takt_sporadic_t *task = &child.task;
        const uint64_t deadline = task->deadline > task->jitter ? task->deadline - task->jitter : 0;
        least = child.kind != TAKT_CHILD_KERNEL && deadline < least ? deadline : least;
    }
    return least;
}

/* ---- demand against supply ----------------------------------------------------------------------------------- */

/* All intervals from the least deadline to before `behind`, downwards. */
static takt_children_demand_t look_down(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                                        uint64_t behind, takt_effort_t *effort) {
    const takt_supply_t supply = takt_supply_of(children);
    const uint64_t begin = least_deadline(children);
    uint64_t demand = 0;
    uint64_t least = 0;
    while (behind > begin) {
        const uint64_t interval = behind - 1u;
        const takt_blocking_piece_t piece =
            takt_edf_blocking_at(children->tasks, children->count, blocking, interval);
        if (!takt_effort_step(effort) || !takt_children_demand_in(children, interval, &demand) ||
            !takt_checked_plus(demand, piece.ticks, &demand)) {
            return (takt_children_demand_t){TAKT_UNDECIDED, 0, 0, 0};
        }
        if (!takt_supply_time(&supply, demand, &least) || least > interval) {
            return (takt_children_demand_t){TAKT_UNSCHEDULABLE, interval, demand,
                                            takt_supply_bound(&supply, interval)};
        }
        behind = least < interval ? least + 1u : interval;
        behind = piece.from > behind ? piece.from : behind;
    }
    return (takt_children_demand_t){TAKT_SCHEDULABLE, 0, 0, 0};
}

/* (4). */
static bool is_in_proportion(const takt_children_t *children, const takt_edf_blocking_t *blocking) {
    const takt_supply_t supply = takt_supply_of(children);
    bool is_so = supply.budget == supply.period && supply.gap + supply.loss == 0 &&
                 takt_edf_blocking_longest(blocking, children->count) == 0;
    for (uint32_t i = 0; i < children->count && is_so; i++) {
        const takt_sporadic_t *task = &children->tasks[i];
        const takt_child_kind_t kind = takt_kind_of(children, i);
        is_so = kind != TAKT_CHILD_DEFERRABLE && kind != TAKT_CHILD_KERNEL &&
                task->deadline >= task->period && task->deadline - task->period >= task->jitter;
    }
    return is_so;
}

takt_children_demand_t takt_children_demand(const takt_children_t *children,
                                            const takt_edf_blocking_t *blocking, takt_fraction_t *fractions,
                                            uint64_t *rest, takt_effort_t *effort) {
    const takt_comparison_t order = compare_shares(children, fractions, rest, effort);
    uint64_t end = 0;
    if (order == TAKT_GREATER) {
        return (takt_children_demand_t){TAKT_UNSCHEDULABLE, 0, 0, 0};
    }
    if (order != TAKT_ORDER_UNKNOWN && is_in_proportion(children, blocking)) {
        return (takt_children_demand_t){TAKT_SCHEDULABLE, 0, 0, 0};
    }
    const bool is_known = order == TAKT_LESS
                              ? find_busy_period(children, blocking, &end, effort)
                              : order == TAKT_EQUAL && find_repetition(children, blocking, &end);
    if (!is_known) {
        return (takt_children_demand_t){TAKT_UNDECIDED, 0, 0, 0};
    }
    return look_down(children, blocking, end + 1u, effort);
}
