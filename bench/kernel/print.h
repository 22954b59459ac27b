/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Decimal numbers and lines over semihosting, for benches and tests on the board. */
#ifndef TAKT_BENCH_KERNEL_PRINT_H
#define TAKT_BENCH_KERNEL_PRINT_H

#include "firmware/semihost.h"

static inline void print_number(uint32_t number) {
    char digits[11];
    char *first = &digits[10];
    *first = 0;
    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    takt_semihost_print(first);
}

/* One line "name a b". */
static inline void print_line(const char *name, uint32_t a, uint32_t b) {
    takt_semihost_print(name);
    takt_semihost_print(" ");
    print_number(a);
    takt_semihost_print(" ");
    print_number(b);
    takt_semihost_print("\n");
}

#endif
