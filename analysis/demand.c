/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demand under EDF, and the range of interval lengths to check.
 *
 * Sources: Baruah, Rosier, Howell 1990 (the demand bound function, the bound by U < 1); Spuri 1996, Ripoll, Crespo, Mok
 * 1996 (the busy period); Zhang, Burns 2009 (both together; release jitter as in Spuri 1996: D - J in the place of D).
 * With e = T + J - D of each task, the demand of an interval L >= max(-e) is at most sum C (L + e) / T. So it exceeds L - B
 * only where L (1 - U) < K + B, K = sum C e / T. Where U is 1 or nearly so that is far, and two others hold:
 * - the busy period, from which the demand of the rest is that of a shorter interval;
 * - one hyperperiod H beyond the last deadline and step, since demand(L + H) <= demand(L) + H there.
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

/* Sums over all tasks. */
typedef struct sums {
    uint64_t load; /* U, rounded up, in units of 2^-40 */
    takt_wide_t above,
        below;        /* the parts of K by the sign of e, in units of 2^-63; both raise K by rounding */
    int64_t latest;   /* max -e */
    int64_t shortest; /* min D - J */
    takt_duration_t least_period, longest_period;
    takt_duration_t jitter; /* the longest */
    bool is_over;           /* some C > T */
} sums_t;

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* C e / T, into one of the parts of K; beyond T either way e counts as T, which happens above only if J > D. */
static void add_excess(sums_t *sums, const takt_demand_line_t *line) {
    if (line->ahead > 0) {
        const uint64_t ahead = smaller_of((uint64_t)line->ahead, line->period);
        sums->above =
            takt_wide_plus(sums->above, takt_wide_product(line->wcet, ahead * (line->inverse + 1u)));
    } else if (line->ahead < 0) {
        const uint64_t behind = smaller_of((uint64_t)-line->ahead, line->period);
        sums->below = takt_wide_plus(sums->below, takt_wide_product(line->wcet, behind * line->inverse));
    }
}

static void add_task(sums_t *sums, const takt_sporadic_t *task, takt_demand_line_t *line) {
    const uint64_t inverse = (UINT64_C(1) << INVERSE_BITS) / task->period;
    const uint64_t wcet = smaller_of(task->wcet, task->period);
    const int64_t ahead = (int64_t)(task->period + task->jitter) - (int64_t)task->deadline;
    const int64_t nearest = (int64_t)task->deadline - (int64_t)task->jitter;
    *line = (takt_demand_line_t){inverse, ahead, task->period, task->wcet};
    sums->is_over |= task->wcet > task->period;
    sums->load += (wcet * (inverse + 1u) >> (INVERSE_BITS - SHARE_BITS)) + 1u;
    sums->latest = -ahead > sums->latest ? -ahead : sums->latest;
    sums->shortest = nearest < sums->shortest ? nearest : sums->shortest;
    sums->least_period = smaller_of(sums->least_period, task->period);
    sums->longest_period = larger_of(sums->longest_period, task->period);
    sums->jitter = larger_of(sums->jitter, task->jitter);
    add_excess(sums, line);
}

static sums_t sum_up(const takt_sporadic_t *tasks, uint32_t count, takt_demand_line_t *lines) {
    sums_t sums = {0};
    sums.shortest = INT64_MAX;
    sums.least_period = TAKT_ANALYSIS_TIME_MAX;
    for (uint32_t i = 0; i < count; i++) {
        add_task(&sums, &tasks[i], &lines[i]);
    }
    return sums;
}

/* K + B in ticks, rounded up. */
static uint64_t excess_of(const sums_t *sums, takt_duration_t blocking) {
    const takt_wide_t blocked = {blocking >> 1, blocking << INVERSE_BITS};
    const takt_wide_t above = takt_wide_plus(sums->above, blocked);
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

static takt_comparison_t order_of_load(const takt_sporadic_t *tasks, uint32_t count, takt_demand_room_t *room,
                                       const sums_t *sums, takt_effort_t *effort) {
    if (sums->is_over) {
        return TAKT_GREATER;
    }
    if (sums->load < UINT64_C(1) << SHARE_BITS) {
        return TAKT_LESS;
    }
    for (uint32_t i = 0; i < count; i++) {
        room->shares[i] = (takt_fraction_t){tasks[i].wcet, tasks[i].period};
    }
    return takt_fractions_compare(room->shares, count, room->rests, effort);
}

/* The end of the range; a short range is not worth another bound. */
static uint64_t longest_of(const takt_sporadic_t *tasks, uint32_t count, const takt_edf_blocking_t *blocking,
                           const sums_t *sums, takt_comparison_t order, takt_effort_t *effort) {
    const uint64_t excess = excess_of(sums, takt_edf_blocking_longest(blocking, count));
    const uint64_t line = larger_of(reach_of_line(excess, sums->load), (uint64_t)sums->latest);
    if (sums->load < NEAR_SHARE || excess == 0) {
        return line;
    }
    return smaller_of(line, takt_edf_span(tasks, count, blocking, order, effort));
}

takt_demand_range_t takt_demand_range(const takt_sporadic_t *tasks, uint32_t count,
                                      const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                      takt_effort_t *effort) {
    const sums_t sums = sum_up(tasks, count, room->lines);
    const takt_comparison_t order = order_of_load(tasks, count, room, &sums, effort);
    takt_demand_range_t range = {.load = takt_verdict_of_sum(order)};
    if (range.load != TAKT_SCHEDULABLE) {
        return range;
    }
    range.shortest = sums.shortest > 0 ? (uint64_t)sums.shortest : 0;
    range.longest = longest_of(tasks, count, blocking, &sums, order, effort);
    range.blocking = takt_edf_blocking_longest(blocking, count);
    range.least_period = sums.least_period;
    const bool is_short = takt_checked_plus(sums.longest_period, sums.jitter, &range.reach) &&
                          takt_checked_plus(range.reach, range.blocking, &range.reach) &&
                          range.longest < TAKT_ANALYSIS_LIMIT &&
                          takt_checked_plus(range.reach, range.longest, &range.reach);
    range.load = is_short ? TAKT_SCHEDULABLE : TAKT_UNDECIDED;
    return range;
}

/* ---- far ranges ------------------------------------------------------------------------------------- */

/* H beyond the last deadline, jitter and step. */
static uint64_t repetition(const takt_sporadic_t *tasks, uint32_t count,
                           const takt_edf_blocking_t *blocking) {
    uint64_t deadline = takt_edf_blocking_last(tasks, count, blocking);
    uint64_t jitter = 0;
    uint64_t end = 1;
    const bool is_known = takt_common_period(tasks, count, &end);
    for (uint32_t i = 0; i < count; i++) {
        deadline = larger_of(deadline, tasks[i].deadline);
        jitter = larger_of(jitter, tasks[i].jitter);
    }
    const bool is_short =
        is_known && takt_checked_plus(end, deadline, &end) && takt_checked_plus(end, jitter, &end);
    return is_short ? end : TAKT_ANALYSIS_LIMIT;
}

/* B + sum ceil((L + J) / T) C; false if a number reaches the limit. */
static bool work_by(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t blocking, uint64_t length,
                    uint64_t *work) {
    bool is_known = true;
    *work = blocking;
    for (uint32_t i = 0; i < count && is_known; i++) {
        is_known = takt_sporadic_requests(&tasks[i], length, work);
    }
    return is_known;
}

/* The busy period, unless it is longer than `end`. */
static uint64_t busy_period(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t blocking,
                            uint64_t end, takt_effort_t *effort) {
    uint64_t length = 1;
    uint64_t work = 0;
    while (takt_effort_step(effort) && work_by(tasks, count, blocking, length, &work) && work < end) {
        if (work <= length) {
            return length;
        }
        length = work;
    }
    return end;
}

takt_duration_t takt_edf_span(const takt_sporadic_t *tasks, uint32_t count,
                              const takt_edf_blocking_t *blocking, takt_comparison_t order,
                              takt_effort_t *effort) {
    const uint64_t end = repetition(tasks, count, blocking);
    if (order == TAKT_EQUAL) {
        return end;
    }
    return busy_period(tasks, count, takt_edf_blocking_longest(blocking, count), end, effort);
}
