/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replay under random and damaged records: it ends with a verdict, and what was simulated is identical. */
#include "any_input.h"

enum { SEQUENCES = 4000 };

int main(void) {
    check_sequences(try_any_input, SEQUENCES);
    return check_report("test_any_records");
}
