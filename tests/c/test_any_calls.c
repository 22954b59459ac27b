/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The dispatcher under random calls: the invariants of tests/fuzz hold after each, and its trace replays. */
#include "any_input.h"

enum { SEQUENCES = 1500 };

int main(void) {
    check_sequences(try_any_input, SEQUENCES);
    return check_report("test_any_calls");
}
