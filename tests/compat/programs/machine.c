/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the small programs call besides FreeRTOS' interface. */
#include "tests/compat/programs/machine.h"

#include "tests/conformance/conformance.h"

void machine_begin(void) { board_begin(); }

void machine_print(const char *text) { board_print(text); }

void machine_print_number(unsigned long number) {
    char digits[12];
    char *first = &digits[sizeof digits - 1];
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    board_print(first);
}

void machine_stop(void) { board_exit(0); }

void program_assert(const char *file, int line);

void program_assert(const char *file, int line) {
    board_print(file);
    machine_print_number((unsigned long)line);
    board_exit(1);
}
