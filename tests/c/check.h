/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* CHECK, random numbers and the closing line of a C test: all that these programs need of a framework.
 *
 * A failing check prints where, what and the seed that repeats it, and ends the program with 1. Environment:
 * TAKT_SEED chooses the seed, TAKT_SYSTEMS the number of random sequences (the long runs of `make soak`).
 * cmocka and Unity are in Debian, but their suites, mocks and assertion families would stay unused, and
 * neither knows seeds. */
#ifndef TAKT_TESTS_CHECK_H
#define TAKT_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct check_run {
    uint64_t seed;   /* of the sequence that is running */
    uint64_t state;  /* of the random numbers */
    uint64_t checks; /* passed so far */
} check_run_t;

static check_run_t check_run;

/* Holds or ends the program. */
#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)

static inline void check_that(bool holds, const char *condition, const char *file, int line) {
    if (!holds) {
        fprintf(stderr, "%s:%d: check failed: %s (repeat with TAKT_SEED=%" PRIu64 " TAKT_SYSTEMS=1)\n", file,
                line, condition, check_run.seed);
        exit(1);
    }
    check_run.checks++;
}

/* Starts a sequence whose random numbers follow from `seed`. */
static inline void check_seed(uint64_t seed) {
    check_run.seed = seed;
    check_run.state = seed;
}

/* Source: splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t check_random(void) {
    uint64_t word = check_run.state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* 0 .. limit-1; limit >= 1. */
static inline uint64_t check_below(uint64_t limit) { return check_random() % limit; }

static inline uint64_t check_number_from(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

/* Runs `sequence` under consecutive seeds, `count` of them unless TAKT_SYSTEMS says otherwise. */
static inline void check_sequences(void (*sequence)(void), uint64_t count) {
    const uint64_t first = check_number_from("TAKT_SEED", 1);
    const uint64_t sequences = check_number_from("TAKT_SYSTEMS", count);
    for (uint64_t seed = first; seed < first + sequences; seed++) {
        check_seed(seed);
        sequence();
    }
}

/* The last line of main. */
static inline int check_report(const char *name) {
    printf("%s: %" PRIu64 " checks passed\n", name, check_run.checks);
    return 0;
}

#endif
