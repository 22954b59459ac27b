/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The bytes of a fuzzer as numbers, and the check that stops it.
 *
 * Every input is a legal one: what has been used up reads as 0, and numbers are taken modulo their limit. */
#ifndef TAKT_TESTS_FUZZ_INPUT_H
#define TAKT_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct input {
    const uint8_t *next;
    size_t left;
} input_t;

static inline uint32_t input_byte(input_t *input) {
    if (input->left == 0) {
        return 0;
    }
    input->left--;
    return *input->next++;
}

/* 0 .. limit-1; limit is 1 .. 256. */
static inline uint32_t input_below(input_t *input, uint32_t limit) { return input_byte(input) % limit; }

/* Any number of `bytes` bytes, the first one lowest. */
static inline uint64_t input_number(input_t *input, uint32_t bytes) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        number |= (uint64_t)input_byte(input) << (8u * i);
    }
    return number;
}

/* Holds, or ends the fuzzer with the input that broke it. */
#define HOLDS(condition) holds((condition), #condition, __FILE__, __LINE__)

static inline void holds(bool condition, const char *text, const char *file, int line) {
    if (!condition) {
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
        abort();
    }
}

#endif
