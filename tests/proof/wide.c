/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The wide products and quotients of core/wide.h, against the compiler's 128-bit integers.
 *
 * Sums, differences and comparisons: for all values. Products and quotients: two multipliers, or two dividers, of
 * full width are beyond a SAT solver, so a factor is a power of two, or both are the largest; what is claimed of
 * a quotient is its definition, quotient * divisor <= dividend < (quotient + 1) * divisor, or that it is 0, 1 or 2 of one
 * of the largest divisors.
 *
 * Bounds: DIVISOR_BITS of a divisor and of a quotient, or of the distance from the largest divisor. */
#include "core/wide.h"
#include "tests/proof/proof.h"

#ifndef DIVISOR_BITS
#define DIVISOR_BITS 4
#endif
#define QUOTIENT_BITS DIVISOR_BITS

typedef unsigned __int128 wide_t;

static wide_t of(takt_wide_t a) { return (wide_t)a.high << 64 | a.low; }

static takt_wide_t any_wide(void) { return (takt_wide_t){nondet_uint64(), nondet_uint64()}; }

static uint64_t any_of_bits(uint32_t bits) { return nondet_uint64() & ((UINT64_C(1) << bits) - 1); }

void prove_wide_sum(void) {
    const takt_wide_t a = any_wide();
    const takt_wide_t b = any_wide();
    const wide_t sum = of(a) + of(b);
    if (sum >= of(a)) {
        CLAIM(of(takt_wide_plus(a, b)) == sum, "a sum below 2^128 is the sum");
    }
    CLAIM(takt_wide_is_less(a, b) == (of(a) < of(b)), "less is less");
    if (of(a) >= of(b)) {
        CLAIM(of(takt_wide_minus(a, b)) == of(a) - of(b),
              "a difference that is not negative is the difference");
    }
}

static void claim_product(uint64_t a, uint64_t b) {
    CLAIM(of(takt_wide_product(a, b)) == (wide_t)a * b, "a product is the product");
    CLAIM(of(takt_wide_product(b, a)) == (wide_t)a * b, "the other way round, too");
}

/* By every power of two, anything; and the largest factors, where all that is carried is largest. */
void prove_wide_product(void) {
    const uint64_t a = nondet_uint64();
    for (uint32_t bit = 0; bit < 64; bit++) {
        const uint64_t b = UINT64_C(1) << bit;
        CLAIM(of(takt_wide_product(a, b)) == (wide_t)a << bit, "a product is the product");
    }
    for (uint64_t less = 0; less < 4; less++) {
        const uint64_t b = UINT64_MAX - less;
        CLAIM(of(takt_wide_product(UINT64_MAX, b)) == (wide_t)UINT64_MAX * b,
              "nothing that is carried is lost");
    }
}

void prove_quotient(void) {
    const uint64_t divisor = any_of_bits(DIVISOR_BITS);
    ASSUME(divisor > 0);
    const uint64_t dividend = any_of_bits(DIVISOR_BITS + QUOTIENT_BITS);
    const uint64_t quotient = takt_quotient(dividend, divisor);
    CLAIM(quotient <= dividend, "a quotient is not more than what is divided");
    const wide_t product = (wide_t)quotient * divisor;
    CLAIM(product <= dividend && dividend - product < divisor, "a quotient is rounded down");
    const uint64_t up = takt_quotient_up(dividend, divisor);
    CLAIM((wide_t)up * divisor >= dividend && (wide_t)up * divisor - dividend < divisor, "or rounded up");
}

/* The largest divisors that there may be, where the rest comes near the top of the word. */
void prove_quotient_of_large(void) {
    const uint64_t divisor = (UINT64_C(1) << 63) - any_of_bits(DIVISOR_BITS);
    const uint64_t dividend = nondet_uint64();
    const uint64_t quotient = takt_quotient(dividend, divisor);
    CLAIM(quotient == (dividend >= divisor ? (dividend - divisor >= divisor ? 2 : 1) : 0), "0, 1 or 2 times");
}

void prove_wide_quotient(void) {
    const uint64_t divisor = any_of_bits(DIVISOR_BITS);
    ASSUME(divisor > 0);
    const takt_wide_t dividend = {0, any_of_bits(DIVISOR_BITS + QUOTIENT_BITS)};
    CLAIM(takt_wide_quotient(dividend, (takt_wide_t){0, divisor}) == takt_quotient(dividend.low, divisor),
          "a wide quotient is the quotient");
}

/* Likewise of the largest divisors. */
void prove_wide_quotient_of_large(void) {
    const wide_t divisor = ((wide_t)1 << 127) - any_of_bits(DIVISOR_BITS);
    const takt_wide_t dividend = any_wide();
    const uint64_t quotient =
        takt_wide_quotient(dividend, (takt_wide_t){(uint64_t)(divisor >> 64), (uint64_t)divisor});
    const bool is_once = of(dividend) >= divisor;
    CLAIM(quotient == (is_once ? (of(dividend) - divisor >= divisor ? 2 : 1) : 0), "0, 1 or 2 times");
}
