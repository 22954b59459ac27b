/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A fuzzer of tests/fuzz on random bytes, without the tool that looks for new paths: what it checks is checked in every build. */
#ifndef TAKT_TESTS_ANY_INPUT_H
#define TAKT_TESTS_ANY_INPUT_H

#include <stddef.h>

#include "check.h"

enum { INPUT_BYTES = 600 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void try_any_input(void) {
    uint8_t bytes[INPUT_BYTES];
    const size_t size = 1u + (size_t)check_below(INPUT_BYTES);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)check_random();
    }
    CHECK(LLVMFuzzerTestOneInput(bytes, size) == 0);
}

#endif
