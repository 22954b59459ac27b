/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Wide products and quotients, which core's machines have no instruction for; a division operator would call a
 * compiler library, and core has no undefined symbol. */
#ifndef TAKT_CORE_WIDE_H
#define TAKT_CORE_WIDE_H

#include "core/types.h"

typedef struct takt_wide {
    uint64_t high;
    uint64_t low;
} takt_wide_t;

TAKT_INLINE takt_wide_t takt_wide_product(uint64_t a, uint64_t b) {
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
    return (takt_wide_t){(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32),
                         other << 32 | (low & UINT32_MAX)};
}

TAKT_INLINE bool takt_wide_is_less(takt_wide_t a, takt_wide_t b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* Takes `b` from `a`, which is not less. */
TAKT_INLINE takt_wide_t takt_wide_minus(takt_wide_t a, takt_wide_t b) {
    return (takt_wide_t){a.high - b.high - (a.low < b.low ? 1u : 0u), a.low - b.low};
}

/* The sum, which is below 2^128. */
TAKT_INLINE takt_wide_t takt_wide_plus(takt_wide_t a, takt_wide_t b) {
    const uint64_t low = a.low + b.low;
    return (takt_wide_t){a.high + b.high + (low < b.low ? 1u : 0u), low};
}

/* The product, which is below 2^128. */
TAKT_INLINE takt_wide_t takt_wide_times(takt_wide_t a, uint64_t b) {
    takt_wide_t product = takt_wide_product(a.low, b);
    product.high += a.high * b;
    return product;
}

/* Divides and rounds down, bit by bit from the top: shifts by other than constants would call a library on some
 * machines. `divisor` is 1 .. 2^63. */
TAKT_INLINE uint64_t takt_quotient(uint64_t dividend, uint64_t divisor) {
    uint64_t quotient = 0;
    uint64_t rest = 0;
    for (uint32_t bit = 64; bit > 0; bit--) {
        rest = rest << 1 | dividend >> 63;
        dividend <<= 1;
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1u;
        }
    }
    return quotient;
}

/* Divides and rounds up. `dividend` + `divisor` is at most 2^64. */
TAKT_INLINE uint64_t takt_quotient_up(uint64_t dividend, uint64_t divisor) {
    return takt_quotient(dividend + divisor - 1u, divisor);
}

/* As takt_quotient; `divisor` is 1 .. 2^127, the quotient below 2^64. */
TAKT_INLINE uint64_t takt_wide_quotient(takt_wide_t dividend, takt_wide_t divisor) {
    uint64_t quotient = 0;
    takt_wide_t rest = {0, 0};
    for (uint32_t bit = 128; bit > 0; bit--) {
        rest = (takt_wide_t){rest.high << 1 | rest.low >> 63, rest.low << 1 | dividend.high >> 63};
        dividend = (takt_wide_t){dividend.high << 1 | dividend.low >> 63, dividend.low << 1};
        quotient <<= 1;
        if (!takt_wide_is_less(rest, divisor)) {
            rest = takt_wide_minus(rest, divisor);
            quotient |= 1u;
        }
    }
    return quotient;
}

#endif
