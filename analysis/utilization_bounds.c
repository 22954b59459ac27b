/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Utilization bounds of rate monotonic.
 *
 * Sources: Liu and Layland 1973, Theorem 5; Bini, Buttazzo and Buttazzo 2003, Theorem 1 (hyperbolic bound); Kuo and Mok 1991
 * (harmonic chains). Left out: the bounds for single ratios of periods, and the hyperbolic bound over chains.
 *
 * n (2^(1/n) - 1) is irrational for n > 1, so the first test compares (1 + U / n)^n with 2, in numbers with 62 bits behind
 * the point, rounded up at each step. One chain may fill the processor, which is a sum of whole numbers. The hyperbolic bound can be met with equality (1/2 and 1/3 do): it compares the product
 * of all T + C with twice that of all T, in as many words as they need. The least number of chains is the number of tasks less
 * a largest matching of tasks with successors (Dilworth's theorem, by Fulkerson); it grows by one augmenting path at a time.
 *
 * When not to use it: where there is time for exact response times. These tests reject many sets that are schedulable. */
#include "analysis/utilization_bounds.h"

#include "core/wide.h"

#define ONE (UINT64_C(1) << 62) /* in numbers with 62 bits behind the point */
#define TWO (UINT64_C(1) << 63)

/* min(T, D) - J, the period and deadline that the bounds use; 0 if it would be negative. */
static takt_duration_t window_of(const takt_sporadic_t *task) {
    const takt_duration_t shorter = task->deadline < task->period ? task->deadline : task->period;
    return shorter > task->jitter ? shorter - task->jitter : 0;
}

/* Every task alone fits: C / T is at most 1. */
static bool fit_alone(const takt_sporadic_t *tasks, uint32_t count) {
    bool fit = true;
    for (uint32_t i = 0; i < count; i++) {
        fit = fit && tasks[i].wcet <= window_of(&tasks[i]);
    }
    return fit;
}

/* The bounds are proved for ascending windows: in another order of priorities nothing follows from them. */
static takt_verdict_t verdict_in_order(const takt_sporadic_t *tasks, uint32_t count, bool is_within) {
    for (uint32_t i = 1; i < count; i++) {
        if (window_of(&tasks[i - 1u]) > window_of(&tasks[i])) {
            return TAKT_UNDECIDED;
        }
    }
    return takt_verdict_of(is_within);
}

/* ---- Liu and Layland ------------------------------------------------------------------------------------------ */

/* C / T <= 1, rounded up. */
static uint64_t share_of(const takt_sporadic_t *task) {
    const takt_wide_t period = {0, window_of(task)};
    const takt_wide_t scaled = takt_wide_product(task->wcet, ONE);
    const takt_wide_t up = takt_wide_plus(scaled, takt_wide_minus(period, (takt_wide_t){0, 1}));
    return takt_wide_quotient(up, period);
}

/* a b, rounded up. Both are at most TWO. */
static uint64_t times_up(uint64_t a, uint64_t b) {
    const takt_wide_t product = takt_wide_product(a, b);
    const bool has_rest = (product.low & (ONE - 1u)) != 0;
    return (product.high << 2 | product.low >> 62) + (has_rest ? 1u : 0u);
}

/* base^exponent <= 2. `base` is at most TWO. */
static bool is_power_at_most_two(uint64_t base, uint32_t exponent) {
    uint64_t power = ONE;
    for (uint32_t i = 0; i < exponent && power <= TWO; i++) {
        power = times_up(power, base);
    }
    return power <= TWO;
}

/* U <= parts (2^(1/parts) - 1). All tasks fit alone; there is a part. */
static bool keeps_to_bound(const takt_sporadic_t *tasks, uint32_t count, uint32_t parts) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count && sum <= ONE; i++) {
        sum += share_of(&tasks[i]);
    }
    return sum <= ONE && is_power_at_most_two(ONE + takt_ceiling(sum, parts), parts);
}

takt_verdict_t takt_liu_layland_decide(const takt_sporadic_t *tasks, uint32_t count) {
    const bool is_within = count == 0 || (fit_alone(tasks, count) && keeps_to_bound(tasks, count, count));
    return verdict_in_order(tasks, count, is_within);
}

/* ---- the hyperbolic bound --------------------------------------------------------------------------------------- */

/* Multiplies a number of `length` words, least first; gives its new length. */
static uint32_t multiply(uint64_t *words, uint32_t length, uint64_t factor) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < length; i++) {
        const takt_wide_t product =
            takt_wide_plus(takt_wide_product(words[i], factor), (takt_wide_t){0, carry});
        words[i] = product.low;
        carry = product.high;
    }
    words[length] = carry;
    return carry != 0 ? length + 1u : length;
}

/* a <= b, of numbers whose highest words are not 0. */
static bool is_at_most(const uint64_t *a, uint32_t a_length, const uint64_t *b, uint32_t b_length) {
    uint32_t i = a_length;
    if (a_length != b_length) {
        return a_length < b_length;
    }
    while (i > 1 && a[i - 1u] == b[i - 1u]) {
        i--;
    }
    return a[i - 1u] <= b[i - 1u];
}

takt_verdict_t takt_hyperbolic_decide(const takt_sporadic_t *tasks, uint32_t count, uint64_t *words) {
    uint64_t *sums = words;                 /* the product of all T + C */
    uint64_t *periods = words + count + 1u; /* twice that of all T */
    uint32_t sums_length = 1;
    uint32_t periods_length = 1;
    if (!fit_alone(tasks, count)) {
        return verdict_in_order(tasks, count, false);
    }
    sums[0] = 1;
    periods[0] = 2;
    for (uint32_t i = 0; i < count; i++) {
        const takt_duration_t period = window_of(&tasks[i]);
        sums_length = multiply(sums, sums_length, period + tasks[i].wcet);
        periods_length = multiply(periods, periods_length, period);
    }
    return verdict_in_order(tasks, count, is_at_most(sums, sums_length, periods, periods_length));
}

/* ---- harmonic chains -------------------------------------------------------------------------------------------- */

/* Whether `to` may follow `from` in a chain; equal periods follow in the order of the array, so that nothing goes round. */
static bool may_follow(const takt_sporadic_t *tasks, uint32_t from, uint32_t to) {
    const takt_duration_t shorter = window_of(&tasks[from]);
    const takt_duration_t longer = window_of(&tasks[to]);
    return longer % shorter == 0 && (shorter < longer || from < to);
}

/* Flips the path that ends at `last`: each task on it gets the successor that it was reached by. */
static void turn_over(takt_chain_link_t *links, uint32_t last) {
    for (uint32_t to = last; to != TAKT_NO_ENTITY;) {
        const uint32_t from = links[to].reached_from;
        const uint32_t before = links[from].successor;
        links[from].successor = to;
        links[to].predecessor = from;
        to = before;
    }
}

/* Visits from task `from` all tasks that were not reached before. True if one of them has no predecessor: it is the end
 * of a path. */
static bool reach_from(const takt_sporadic_t *tasks, uint32_t count, takt_chain_link_t *links, uint32_t from,
                       uint32_t *queued) {
    for (uint32_t to = 0; to < count; to++) {
        if (links[to].reached_from != TAKT_NO_ENTITY || !may_follow(tasks, from, to)) {
            continue;
        }
        links[to].reached_from = from;
        if (links[to].predecessor == TAKT_NO_ENTITY) {
            turn_over(links, to);
            return true;
        }
        links[*queued].queued = links[to].predecessor;
        *queued += 1u;
    }
    return false;
}

/* Finds a successor for `first`, if necessary by changing the successors of other tasks; false if impossible. */
static bool find_successor(const takt_sporadic_t *tasks, uint32_t count, takt_chain_link_t *links,
                           uint32_t first) {
    uint32_t queued = 1;
    bool is_found = false;
    for (uint32_t i = 0; i < count; i++) {
        links[i].reached_from = TAKT_NO_ENTITY;
    }
    links[0].queued = first;
    for (uint32_t i = 0; i < queued && !is_found; i++) {
        is_found = reach_from(tasks, count, links, links[i].queued, &queued);
    }
    return is_found;
}

static uint32_t least_chains(const takt_sporadic_t *tasks, uint32_t count, takt_chain_link_t *links) {
    uint32_t chains = 0;
    for (uint32_t i = 0; i < count; i++) {
        links[i].successor = TAKT_NO_ENTITY;
        links[i].predecessor = TAKT_NO_ENTITY;
    }
    for (uint32_t i = 0; i < count; i++) {
        chains += find_successor(tasks, count, links, i) ? 0 : 1u;
    }
    return chains;
}

/* U <= 1, all periods being divisors of the longest: each task has a whole number of jobs in it. All tasks fit alone. */
static bool fit_into_longest(const takt_sporadic_t *tasks, uint32_t count) {
    takt_duration_t longest = 0;
    takt_duration_t demand = 0;
    for (uint32_t i = 0; i < count; i++) {
        const takt_duration_t window = window_of(&tasks[i]);
        longest = window > longest ? window : longest;
    }
    for (uint32_t i = 0; i < count && demand <= longest; i++) {
        demand += longest / window_of(&tasks[i]) * tasks[i].wcet;
    }
    return demand <= longest;
}

takt_verdict_t takt_harmonic_decide(const takt_sporadic_t *tasks, uint32_t count, takt_chain_link_t *links,
                                    uint32_t *chains) {
    *chains = 0;
    if (!fit_alone(tasks, count)) {
        return verdict_in_order(tasks, count, false);
    }
    *chains = least_chains(tasks, count, links);
    return verdict_in_order(
        tasks, count, *chains <= 1u ? fit_into_longest(tasks, count) : keeps_to_bound(tasks, count, *chains));
}
