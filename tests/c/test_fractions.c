/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sums of fractions compared with 1: exactly, against the sum over one common denominator. */
#include "analysis/fractions.h"
#include "tests/c/check.h"

#define MANY 64u

static takt_comparison_t order_of(const takt_fraction_t *fractions, uint32_t count) {
    uint64_t rest[MANY];
    takt_effort_t effort = 1000000;
    return takt_fractions_compare(fractions, count, rest, &effort);
}

/* Over one common denominator, which is small enough here. */
static takt_comparison_t order_by_hand(const takt_fraction_t *fractions, uint32_t count) {
    uint64_t common = 1;
    for (uint32_t i = 0; i < count; i++) {
        common *= fractions[i].denominator;
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += fractions[i].numerator * (common / fractions[i].denominator);
    }
    return sum < common ? TAKT_LESS : sum == common ? TAKT_EQUAL : TAKT_GREATER;
}

static void thirds_are_one(void) {
    const takt_fraction_t thirds[] = {{1, 3}, {1, 3}, {1, 3}};
    CHECK(order_of(thirds, 3) == TAKT_EQUAL);
    CHECK(order_of(thirds, 2) == TAKT_LESS);
    CHECK(order_of(thirds, 0) == TAKT_LESS);
}

static void huge_denominators_are_told_apart(void) {
    const uint64_t t = TAKT_ANALYSIS_TIME_MAX;
    const takt_fraction_t one[] = {{t - 1u, t}, {1, t}};
    const takt_fraction_t more[] = {{t - 1u, t}, {1, t - 1u}};
    const takt_fraction_t less[] = {{t - 2u, t - 1u}, {1, t}};
    CHECK(order_of(one, 2) == TAKT_EQUAL);
    CHECK(order_of(more, 2) == TAKT_GREATER);
    CHECK(order_of(less, 2) == TAKT_LESS);
}

static void wholes_count(void) {
    const takt_fraction_t two[] = {{2, 1}};
    const takt_fraction_t one[] = {{7, 7}};
    const takt_fraction_t more[] = {{7, 7}, {1, TAKT_ANALYSIS_TIME_MAX}};
    CHECK(order_of(two, 1) == TAKT_GREATER);
    CHECK(order_of(one, 1) == TAKT_EQUAL);
    CHECK(order_of(more, 2) == TAKT_GREATER);
}

static void without_effort_nothing_is_known(void) {
    const takt_fraction_t half[] = {{1, 2}};
    uint64_t rest[1];
    takt_effort_t effort = 0;
    CHECK(takt_fractions_compare(half, 1, rest, &effort) == TAKT_ORDER_UNKNOWN);
}

static uint32_t seen[3];

static void a_random_sum_is_that_over_a_common_denominator(void) {
    takt_fraction_t fractions[4];
    const uint32_t count = (uint32_t)check_below(5);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t denominator = 1u + check_below(12);
        fractions[i] = (takt_fraction_t){check_below(denominator + 1u), denominator};
    }
    const takt_comparison_t expected = order_by_hand(fractions, count);
    CHECK(order_of(fractions, count) == expected);
    seen[expected]++;
}

int main(void) {
    thirds_are_one();
    huge_denominators_are_told_apart();
    wholes_count();
    without_effort_nothing_is_known();
    check_sequences(a_random_sum_is_that_over_a_common_denominator, 50000);
    CHECK(check_run.checks < 50000 ||
          (seen[TAKT_LESS] > 0 && seen[TAKT_EQUAL] > 0 && seen[TAKT_GREATER] > 0));
    return check_report("fractions");
}
