/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares a sum of fractions with 1, exactly, without a common denominator.
 *
 * Long division of all fractions at once, a digit of k bits at a time. After each digit the sum lies between what the
 * digits add up to and that plus `count` units of the last digit. Away from 1 the first digit decides. Where the sum is 1,
 * no digit does; but a sum other than 1 differs from it by at least one over the product of the denominators, so once the
 * digits are finer than that by the factor `count`, the sum is 1.
 *
 * Invariant: fraction i is what its digits say + rest[i] / denominator, in units of the last digit; and `missing`, what
 * the digits of all lack to 1, is 0 .. count in those units as long as nothing is decided. */
#include "analysis/fractions.h"

/* Digits are small enough for sums of 2^31 of them. */
#define DIGIT_BITS_MAX 31u

/* The number of bits of a digit: a rest, shifted by them, is below 2^63. */
static uint32_t digit_bits(const takt_fraction_t *fractions, uint32_t count) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= fractions[i].denominator;
    }
    const uint32_t free = 63u - takt_bits_of(all);
    return free < DIGIT_BITS_MAX ? free : DIGIT_BITS_MAX;
}

/* The number of fractional bits that distinguish any other sum from 1. */
static uint64_t bits_to_tell(const takt_fraction_t *fractions, uint32_t count) {
    uint64_t bits = 1u + takt_bits_of(count);
    for (uint32_t i = 0; i < count; i++) {
        bits += takt_bits_of(fractions[i].denominator);
    }
    return bits;
}

/* The whole parts, which leave the rests; more than 1 if it is so. */
static uint64_t sum_of_wholes(const takt_fraction_t *fractions, uint32_t count, uint64_t *rest) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t whole = fractions[i].numerator / fractions[i].denominator;
        rest[i] = fractions[i].numerator - whole * fractions[i].denominator;
        sum = whole > 1u || sum > 1u ? 2u : sum + whole;
    }
    return sum;
}

static bool has_rest(const uint64_t *rest, uint32_t count) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        any |= rest[i];
    }
    return any != 0;
}

/* The next digits of all. */
static uint64_t sum_of_digits(const takt_fraction_t *fractions, uint32_t count, uint64_t *rest,
                              uint32_t bits) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t shifted = rest[i] << bits;
        const uint64_t digit = shifted / fractions[i].denominator;
        rest[i] = shifted - digit * fractions[i].denominator;
        sum += digit;
    }
    return sum;
}

takt_comparison_t takt_fractions_compare(const takt_fraction_t *fractions, uint32_t count, uint64_t *rest,
                                         takt_effort_t *effort) {
    const uint32_t bits = digit_bits(fractions, count);
    const uint64_t enough = bits_to_tell(fractions, count);
    const uint64_t wholes = sum_of_wholes(fractions, count, rest);
    uint64_t missing = 1u - (wholes & 1u);
    if (wholes > 1u) {
        return TAKT_GREATER;
    }
    for (uint64_t known = 0; known < enough; known += bits) {
        if (missing == 0) {
            return has_rest(rest, count) ? TAKT_GREATER : TAKT_EQUAL;
        }
        if (!takt_effort_step(effort)) {
            return TAKT_ORDER_UNKNOWN;
        }
        const uint64_t digits = sum_of_digits(fractions, count, rest, bits);
        missing <<= bits;
        if (digits > missing) {
            return TAKT_GREATER;
        }
        missing -= digits;
        if (missing >= count) {
            return TAKT_LESS;
        }
    }
    return TAKT_EQUAL;
}
