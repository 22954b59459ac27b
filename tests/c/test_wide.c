/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Wide products, sums and quotients of core/wide.h against the compiler's numbers of 128 bits, at random and at the ends. */
#include "core/wide.h"

#include "check.h"

__extension__ typedef unsigned __int128 number_t;

enum { SEQUENCES = 20000 };

static number_t number_of(takt_wide_t wide) { return (number_t)wide.high << 64 | wide.low; }

static takt_wide_t wide_of(number_t number) {
    return (takt_wide_t){(uint64_t)(number >> 64), (uint64_t)number};
}

/* Of any length up to `bits`, often one of the ends. */
static number_t draw(uint32_t bits) {
    const uint32_t length = 1u + (uint32_t)check_below(bits);
    const number_t most = length == 128 ? ~(number_t)0 : ((number_t)1 << length) - 1u;
    const number_t any = ((number_t)check_random() << 64 | check_random()) & most;
    const number_t ends[] = {any, most, most - most / 2u, 0};
    return ends[check_below(8) < 5 ? 0 : check_below(4)];
}

static void check_products(void) {
    const uint64_t a = (uint64_t)draw(64), b = (uint64_t)draw(64);
    CHECK(number_of(takt_wide_product(a, b)) == (number_t)a * b);
    const number_t most = b == 0 ? ~(number_t)0 : ~(number_t)0 / b;
    const number_t wide = draw(128) & most;
    const number_t factor = wide <= most ? wide : most;
    CHECK(number_of(takt_wide_times(wide_of(factor), b)) == factor * b);
}

static void check_sums(void) {
    const number_t a = draw(127), b = draw(127);
    CHECK(number_of(takt_wide_plus(wide_of(a), wide_of(b))) == a + b);
    CHECK(takt_wide_is_less(wide_of(a), wide_of(b)) == (a < b));
    const number_t more = a < b ? b : a, less = a < b ? a : b;
    CHECK(number_of(takt_wide_minus(wide_of(more), wide_of(less))) == more - less);
}

static void check_quotients(void) {
    const uint64_t dividend = (uint64_t)draw(64);
    const uint64_t narrow = 1u + (uint64_t)(draw(63) & (((number_t)1 << 63) - 1u));
    CHECK(takt_quotient(dividend, narrow) == dividend / narrow);
    const uint64_t small = dividend >> 1;
    CHECK(takt_quotient_up(small, narrow) == small / narrow + (small % narrow != 0));
    const number_t divisor = draw(127) / 2u + 1u;
    const number_t most = divisor >> 64 == 0 ? (divisor << 64) - 1u : ~(number_t)0;
    const number_t any = draw(128);
    const number_t wide = any < most ? any : most;
    CHECK(takt_wide_quotient(wide_of(wide), wide_of(divisor)) == (uint64_t)(wide / divisor));
}

static void check_all(void) {
    check_products();
    check_sums();
    check_quotients();
}

int main(void) {
    check_sequences(check_all, SEQUENCES);
    return check_report("test_wide");
}
