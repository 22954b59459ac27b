/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demand under EDF, and the range of interval lengths to check, in integer time: for all L from the least deadline on
 *
 *   (1)  sum of h_j(L) + B(L) <= sbf(L)
 *
 * Sources: Baruah, Rosier, Howell 1990 (the demand bound function, the bound by U < 1); Shin and Lee 2003, theorem 4.1
 * (demand against supply); Spuri 1996, Ripoll, Crespo, Mok 1996 (the busy period); Zhang, Burns 2009 (both together; release
 * jitter as in Spuri 1996: D - J in the place of D); Abeni and Buttazzo 1998, theorem 1 (bandwidth); Ghazalie and Baker
 * 1995 (deferrable servers under EDF). The processor alone is the supply sbf(L) = L. What a child demands in L ticks, with
 * deadlines in them:
 *
 *   task             (floor((L + J - D) / T) + 1) C, 0 if L + J < D
 *   idling, polling  floor(L / P) Q
 *   deferrable       floor(L / P) Q + min(Q, L mod P): the end of a period, of which at most Q ticks are used, and then whole ones
 *   sporadic         2 floor(L / P) Q, by (b) of servers_seen.c
 *   sporadic-strict  as deferrable, see below
 *   bandwidth        floor(L Q / P)
 *   kernel           ceil((L + J) / T) C: all that comes, since it does not wait; it has no deadline to miss
 *
 * An interval in which a child misses its deadline contains its own period, so intervals shorter than the least
 * deadline do not count. There deferrable servers may request too much, without harm: one that gets work x ticks
 * after its replenishment still has Q - x by the end of the period, as an interval longer by x shows. Part of a
 * bandwidth server's budget may be due in any interval. (1) is sharper for deferrable servers than the sum of U + sum
 * of U_j (P_j - Q_j) / P_i <= 1 of algorithms.md 6.6 where that has the own excess too, and admits all kinds at once.
 * Exact for tasks on the processor with attained blocking; else sufficient.
 *
 * A strict sporadic server has the deadline t_a + P in an interval from t_a on, at most P after the instant r of any tick
 * used in it (servers_seen.c). In [s, s + L), if no earlier work with such a deadline was pending at s, r >= s, and the
 * instants r of one tick are P apart: each tick is used at most once with r in [s + i P, s + (i + 1) P), and in the last
 * L mod P ticks at most so many are used. All others then request at most L less that, so that the m'th tick of the
 * interval is used by t_a + P - Q + m: the interval ends within P, the budget of P is used within P, and its supply is
 * that of a periodic server.
 *
 * With e = T + J - D of a task, P - Q of a deferrable or strict server, T + J - 1 of the kernel and 0 of the others, the demand of
 * an interval L >= max(-e) is at most sum C (L + e) / T; and sbf(L) is at least (L - gap) Q / P - loss. So with U the
 * demanded share and the missing one, 1 - Q / P, together, and K = sum C e / T + gap Q / P + loss, demand exceeds supply
 * only where L (1 - U) < K + B. Where no child demands more of an interval than its share of it and all else in K + B is 0,
 * no interval counts. Where U is 1 or nearly so the line is far, and two others hold:
 * - the busy period, from which the demand of the rest is that of a shorter interval: with T(w) the least t with
 *   sbf(t) >= w, and what the children request of L ticks whatever their deadlines, the least fixed point of L = T(B +
 *   requests);
 * - one hyperperiod H, the supply's period included, beyond the last deadline and step and the begin of the supply, since
 *   there demand and supply grow by the same with H.
 *
 * Everything is rounded so that the range becomes longer, never shorter. U is summed up in units of 2^-40, rounded up;
 * where that is not below 1, exactly. Left out: ranges by other shapes than the line above. They would be shorter, and cost
 * what they save.
 *
 * Why nothing overflows: U <= 1, so that the demand of L is at most the largest L + e, which is the reach. */
#include "analysis/demand.h"

#include "core/wide.h"

#define SHARE_BITS 40u
#define INVERSE_BITS 63u

/* From here up to 1, U is treated as nearly 1: 1 - 1/64. */
#define NEAR_SHARE ((UINT64_C(1) << SHARE_BITS) - (UINT64_C(1) << (SHARE_BITS - 6u)))

/* From here on a range is long, since shares of long periods are rounded by much. */
#define LONG_RANGE (UINT64_C(1) << 60)

/* Sums over all children and the supply. */
typedef struct sums {
    uint64_t load; /* U, rounded up, in units of 2^-40 */
    takt_wide_t above,
        below; /* the parts of sum C e / T by the sign of e, in units of 2^-63; both raise K by rounding */
    takt_duration_t blocking; /* max B */
    uint64_t lag;             /* gap Q / P + loss */
    uint64_t latest;          /* max -e, at least 0 */
    int64_t shortest;         /* min D - J */
    takt_duration_t least_period;
    uint64_t longest; /* max T + J */
    bool is_over;     /* some C > T */
    bool has_servers; /* whose demand is no line */
} sums_t;

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* What is due of a child in each period. */
static takt_duration_t wcet_of(const takt_children_t *children, uint32_t place) {
    const takt_duration_t wcet = children->tasks[place].wcet;
    return takt_kind_of(children, place) == TAKT_CHILD_SPORADIC ? 2u * wcet : wcet;
}

/* A number of ticks in units of 2^-63. */
static takt_wide_t wide_of(uint64_t ticks) { return (takt_wide_t){ticks >> 1, ticks << INVERSE_BITS}; }

/* C e / T, into one of the parts of K; beyond T either way e counts as T. Above, that is so only of a task with J > D,
 * which fails at once, and of the kernel, whose whole jobs are added. */
static void add_excess(sums_t *sums, int64_t e, uint64_t period, uint64_t wcet, uint64_t inverse) {
    if (e > 0) {
        const uint64_t ahead = smaller_of((uint64_t)e, period);
        sums->above = takt_wide_plus(sums->above, takt_wide_product(wcet, ahead * (inverse + 1u)));
    } else if (e < 0) {
        const uint64_t behind = smaller_of((uint64_t)-e, period);
        sums->below = takt_wide_plus(sums->below, takt_wide_product(wcet, behind * inverse));
        sums->latest = larger_of(sums->latest, (uint64_t)-e);
    }
}

/* A part of each period, in units of 2^-40, rounded up. */
static uint64_t share_of(uint64_t ticks, uint64_t inverse) {
    return (ticks * (inverse + 1u) >> (INVERSE_BITS - SHARE_BITS)) + 1u;
}

/* A child as its demand grows. */
typedef struct child {
    uint64_t due;     /* in each period */
    int64_t e;        /* of the line */
    int64_t earliest; /* the least interval that contains a deadline; INT64_MAX: it has none */
    uint64_t whole;   /* ticks that add_excess leaves of C e / T */
    bool is_line;     /* whole jobs are due: else takt_demand_of_servers has its demand */
} child_t;

/* Any child but a task. */
TAKT_RARE static child_t other_of(const takt_sporadic_t *child, takt_child_kind_t kind) {
    const uint64_t wcet = smaller_of(child->wcet, child->period);
    const uint64_t jobs = (child->period + child->jitter - 1u) / child->period;
    switch (kind) {
    case TAKT_CHILD_DEFERRABLE:
    case TAKT_CHILD_SEPARATED:
        return (child_t){child->wcet, (int64_t)(child->period - wcet), (int64_t)child->period, 0, false};
    case TAKT_CHILD_SPORADIC:
        return (child_t){2u * child->wcet, 0, (int64_t)child->period, 0, true};
    case TAKT_CHILD_BANDWIDTH:
        return (child_t){child->wcet, 0, 1, 0, false};
    case TAKT_CHILD_KERNEL:
        return (child_t){child->wcet, (int64_t)(child->period + child->jitter) - 1, INT64_MAX, jobs * wcet,
                         true};
    default:
        return (child_t){child->wcet, 0, (int64_t)child->period, 0, true};
    }
}

static void add_child(sums_t *sums, const takt_sporadic_t *task, takt_child_kind_t kind,
                      takt_demand_line_t *line) {
    const uint64_t inverse = (UINT64_C(1) << INVERSE_BITS) / task->period;
    uint64_t due = task->wcet;
    int64_t earliest = (int64_t)task->deadline - (int64_t)task->jitter;
    int64_t e = (int64_t)task->period - earliest;
    line->wcet = due;
    if (kind != TAKT_CHILD_TASK) {
        const child_t other = other_of(task, kind);
        due = other.due;
        earliest = other.earliest;
        e = other.e;
        line->wcet = other.is_line ? due : 0;
        sums->has_servers |= !other.is_line;
        sums->above = takt_wide_plus(sums->above, wide_of(other.whole));
    }
    line->inverse = inverse;
    line->ahead = e;
    line->period = task->period;
    sums->is_over |= due > task->period;
    sums->load += share_of(smaller_of(due, task->period), inverse);
    sums->shortest = earliest < sums->shortest ? earliest : sums->shortest;
    sums->least_period = smaller_of(sums->least_period, task->period);
    sums->longest = larger_of(sums->longest, task->period + task->jitter);
    add_excess(sums, e, task->period, smaller_of(due, task->period), inverse);
}

/* floor(L Q / P) */
static uint64_t part_of(uint64_t interval, takt_duration_t budget, takt_duration_t period) {
    return takt_wide_quotient(takt_wide_product(interval, budget), (takt_wide_t){0, period});
}

/* What the supply lacks to a whole processor, in units of 2^-40. */
static uint64_t missing_of(const takt_supply_t *supply) {
    const takt_duration_t missing = supply->period - supply->budget;
    return missing > 0 ? share_of(missing, (UINT64_C(1) << INVERSE_BITS) / supply->period) : 0;
}

/* gap Q / P + loss, rounded up. */
static uint64_t lag_of(const takt_supply_t *supply) {
    return supply->loss + (supply->gap > 0 ? part_of(supply->gap, supply->budget, supply->period) + 1u : 0);
}

static sums_t sum_up(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                     takt_demand_line_t *lines) {
    const takt_child_kind_t *kinds = children->kinds;
    const uint32_t count = children->count;
    sums_t sums = {.blocking = takt_edf_blocking_longest(blocking, count)};
    sums.shortest = INT64_MAX;
    sums.least_period = TAKT_ANALYSIS_TIME_MAX;
    for (uint32_t i = 0; i < count; i++) {
        add_child(&sums, &children->tasks[i], kinds != NULL ? kinds[i] : TAKT_CHILD_TASK, &lines[i]);
    }
    if (children->supply != NULL) {
        sums.lag = lag_of(children->supply);
        sums.load += missing_of(children->supply);
    }
    return sums;
}

/* K + B in ticks, rounded up. */
static uint64_t excess_of(const sums_t *sums) {
    const takt_wide_t above = takt_wide_plus(sums->above, wide_of(sums->blocking + sums->lag));
    if (!takt_wide_is_less(sums->below, above)) {
        return 0;
    }
    const takt_wide_t excess = takt_wide_minus(above, sums->below);
    return (excess.high << 1 | excess.low >> INVERSE_BITS) + 1u;
}

/* (K + B) / (1 - U), rounded up; TAKT_ANALYSIS_LIMIT if it is too large, or U may be 1. */
static uint64_t reach_of_line(uint64_t excess, uint64_t load) {
    const uint32_t bits = takt_bits_of(excess);
    const uint32_t cut = bits + SHARE_BITS > 63u ? bits + SHARE_BITS - 63u : 0;
    const uint64_t left = load < UINT64_C(1) << SHARE_BITS ? (UINT64_C(1) << SHARE_BITS) - load : 0;
    if (excess == 0) {
        return 0;
    }
    if (cut >= SHARE_BITS || left >> cut == 0) {
        return TAKT_ANALYSIS_LIMIT;
    }
    return (excess << (SHARE_BITS - cut)) / (left >> cut);
}

takt_comparison_t takt_demand_order(const takt_children_t *children, takt_fraction_t *shares, uint64_t *rests,
                                    takt_effort_t *effort) {
    const takt_supply_t *supply = children->supply;
    uint32_t count = children->count;
    for (uint32_t i = 0; i < count; i++) {
        shares[i] = (takt_fraction_t){wcet_of(children, i), children->tasks[i].period};
    }
    if (supply != NULL) {
        shares[count++] = (takt_fraction_t){supply->period - supply->budget, supply->period};
    }
    return takt_fractions_compare(shares, count, rests, effort);
}

static takt_comparison_t order_of_load(const takt_children_t *children, takt_demand_room_t *room,
                                       const sums_t *sums, takt_effort_t *effort) {
    if (sums->is_over) {
        return TAKT_GREATER;
    }
    return sums->load < UINT64_C(1) << SHARE_BITS
               ? TAKT_LESS
               : takt_demand_order(children, room->shares, room->rests, effort);
}

/* Whether no child demands more of an interval than its share of it. */
static bool is_in_proportion(const sums_t *sums) {
    return (sums->above.high | sums->above.low | sums->blocking | sums->lag) == 0;
}

/* A short range is not worth another bound. */
static void find_end(const sums_t *sums, takt_demand_range_t *range) {
    const uint64_t excess = excess_of(sums);
    const uint64_t line = larger_of(reach_of_line(excess, sums->load), sums->latest);
    range->longest = is_in_proportion(sums) ? 0 : line;
    range->is_far = excess > 0 && (sums->load >= NEAR_SHARE || line >= LONG_RANGE);
}

void takt_demand_range(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                       takt_demand_room_t *room, takt_effort_t *effort, takt_demand_range_t *range) {
    const sums_t sums = sum_up(children, blocking, room->lines);
    range->order = order_of_load(children, room, &sums, effort);
    range->load = takt_verdict_of_sum(range->order);
    range->has_servers = sums.has_servers;
    range->shortest = sums.shortest > 0 ? (uint64_t)sums.shortest : 0;
    range->blocking = sums.blocking;
    range->least_period = sums.least_period;
    range->ahead = sums.longest + sums.blocking;
    find_end(&sums, range);
}

/* ---- servers whose demand is no line ----------------------------------------------------------------- */

/* floor(L / P) Q + min(Q, L mod P) */
static uint64_t deferrable_demand(const takt_sporadic_t *server, takt_duration_t interval) {
    return interval / server->period * server->wcet + smaller_of(interval % server->period, server->wcet);
}

uint64_t takt_demand_of_servers(const takt_children_t *children, takt_duration_t interval) {
    uint64_t demand = 0;
    for (uint32_t i = 0; i < children->count; i++) {
        const takt_sporadic_t *server = &children->tasks[i];
        const takt_child_kind_t kind = takt_kind_of(children, i);
        if (kind == TAKT_CHILD_DEFERRABLE || kind == TAKT_CHILD_SEPARATED) {
            demand += deferrable_demand(server, interval);
        } else if (kind == TAKT_CHILD_BANDWIDTH) {
            demand += part_of(interval, server->wcet, server->period);
        }
    }
    return demand;
}

/* ---- far ranges ------------------------------------------------------------------------------------- */

/* H beyond the last deadline, jitter and step, and the begin of the supply. */
static uint64_t repetition(const takt_children_t *children, const takt_edf_blocking_t *blocking) {
    const takt_supply_t supply = takt_supply_of(children);
    uint64_t deadline = takt_edf_blocking_last(children->tasks, children->count, blocking);
    uint64_t jitter = 0;
    uint64_t begin = 0;
    uint64_t end = supply.period;
    const bool is_known =
        takt_common_period(children->tasks, children->count, &end) && takt_supply_time(&supply, 1, &begin);
    for (uint32_t i = 0; i < children->count; i++) {
        deadline = larger_of(deadline, children->tasks[i].deadline);
        jitter = larger_of(jitter, children->tasks[i].jitter);
    }
    const bool is_short = is_known && takt_checked_plus(end, deadline, &end) &&
                          takt_checked_plus(end, jitter, &end) && takt_checked_plus(end, begin - 1u, &end);
    return is_short ? end : TAKT_ANALYSIS_LIMIT;
}

/* C ceil((L + J) / T), which fits: C <= T where U is at most a whole, and L, J and T together are below 2^64. */
static uint64_t requests(const takt_sporadic_t *task, takt_duration_t wcet, takt_duration_t jitter,
                         uint64_t length) {
    return takt_ceiling(length + jitter, task->period) * wcet;
}

/* What a child requests of any `length` ticks at most, whatever its deadlines. */
static uint64_t requests_of(const takt_children_t *children, uint32_t place, uint64_t length) {
    const takt_sporadic_t *child = &children->tasks[place];
    switch (takt_kind_of(children, place)) {
    case TAKT_CHILD_DEFERRABLE:
    case TAKT_CHILD_SEPARATED:
        return requests(child, child->wcet, child->period - child->wcet, length);
    case TAKT_CHILD_SPORADIC:
        return requests(child, 2u * child->wcet, 0, length);
    case TAKT_CHILD_BANDWIDTH: /* L Q / P and a budget that is left */
        return requests(child, child->wcet, child->period, length);
    default:
        return requests(child, child->wcet, child->jitter, length);
    }
}

/* *done = T(B + requests); false if a number reaches the limit. */
static bool find_done(const takt_children_t *children, takt_duration_t blocking, uint64_t length,
                      uint64_t *done) {
    uint64_t work = blocking;
    bool is_known = true;
    for (uint32_t i = 0; i < children->count && is_known; i++) {
        const uint64_t more = requests_of(children, i, length);
        is_known = more < TAKT_ANALYSIS_LIMIT && takt_checked_plus(work, more, &work);
    }
    *done = work;
    return is_known && (children->supply == NULL || takt_supply_time(children->supply, work, done));
}

/* The busy period, unless it is longer than `end`. */
static uint64_t busy_period(const takt_children_t *children, takt_duration_t blocking, uint64_t end,
                            takt_effort_t *effort) {
    uint64_t length = 1;
    uint64_t done = 0;
    while (takt_effort_step(effort) && find_done(children, blocking, length, &done) && done < end) {
        if (done <= length) {
            return length;
        }
        length = done;
    }
    return end;
}

takt_duration_t takt_edf_span(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                              takt_comparison_t order, takt_effort_t *effort) {
    const uint64_t end = repetition(children, blocking);
    if (order == TAKT_EQUAL) {
        return end;
    }
    return busy_period(children, takt_edf_blocking_longest(blocking, children->count), end, effort);
}
