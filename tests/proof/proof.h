/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What every harness has: arbitrary values, assumptions and claims, in CBMC's words.
 *
 * A harness builds an arbitrary state within its bounds, makes one call, or a bounded number of them, and
 * claims what must hold then. README.md says how they are run. Not for programs: only CBMC knows these
 * functions. */
#ifndef TAKT_TESTS_PROOF_H
#define TAKT_TESTS_PROOF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Any value, another one at each call. */
bool nondet_bool(void);
uint8_t nondet_uint8(void);
uint16_t nondet_uint16(void);
uint32_t nondet_uint32(void);
uint64_t nondet_uint64(void);

#define ASSUME(condition) __CPROVER_assume(condition)
#define CLAIM(condition, text) __CPROVER_assert(condition, text)

/* Any value below `limit`. */
static inline uint32_t any_below(uint32_t limit) {
    const uint32_t value = nondet_uint32();
    ASSUME(value < limit);
    return value;
}

/* An object of its own: the solver sees at once that two of them do not overlap, which it does not of the elements of
 * an array. */
static inline void *any_object(size_t bytes) {
    void *object = malloc(bytes);
    ASSUME(object != NULL);
    return object;
}

#endif
