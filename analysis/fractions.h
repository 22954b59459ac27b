/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares a sum of fractions with 1, exactly: the first question of every test. */
#ifndef TAKT_ANALYSIS_FRACTIONS_H
#define TAKT_ANALYSIS_FRACTIONS_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* A share of the processor: C / T, C / min(D, T), or Q / P. */
typedef struct takt_fraction {
    uint64_t numerator;   /* 0 .. TAKT_ANALYSIS_TIME_MAX */
    uint64_t denominator; /* 1 .. TAKT_ANALYSIS_TIME_MAX */
} takt_fraction_t;

typedef enum takt_comparison {
    TAKT_LESS = 0,
    TAKT_EQUAL = 1,
    TAKT_GREATER = 2,
    TAKT_ORDER_UNKNOWN = 3, /* the effort is used up */
} takt_comparison_t;

/* The verdict of a test that accepts a sum of at most 1. */
TAKT_INLINE takt_verdict_t takt_verdict_of_sum(takt_comparison_t order) {
    return order == TAKT_ORDER_UNKNOWN ? TAKT_UNDECIDED : takt_verdict_of(order != TAKT_GREATER);
}

/* Compares the sum of `count` fractions with 1, exactly. To compare with another share Q / P, add (P - Q) / P.
 * `rest` has `count` values. Takes one step for each digit: one, unless the sum is 1 or nearly so. */
TAKT_MUST_USE takt_comparison_t takt_fractions_compare(const takt_fraction_t *fractions, uint32_t count,
                                                       uint64_t *rest, takt_effort_t *effort);

TAKT_C_END

#endif
