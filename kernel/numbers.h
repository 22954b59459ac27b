/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Free entity numbers: those of deleted entities, for reuse. Private to kernel/.
 *
 * A set of numbers below TAKT_KERNEL_ENTITY_LIMIT, kept as a tree of words. A bit in a row says that the word below is
 * not empty; the bottom row has one bit per number. Give and take are O(rows): at most 4 words, 2 with the default
 * geometry.
 *
 * Invariant: the last word is 0 if and only if the set is empty. Callers hold the lock. */
#ifndef TAKT_KERNEL_NUMBERS_H
#define TAKT_KERNEL_NUMBERS_H

#include "core/bits.h"
#include "kernel/geometry.h"

#define TAKT_NUMBERS_ABOVE(words) ((words) > 1 ? ((words) + 31) / 32 : 0)

enum {
    TAKT_NUMBERS_ROW_0 = (TAKT_KERNEL_ENTITY_LIMIT + 31) / 32, /* words of each row; 0 above the top row */
    TAKT_NUMBERS_ROW_1 = TAKT_NUMBERS_ABOVE(TAKT_NUMBERS_ROW_0),
    TAKT_NUMBERS_ROW_2 = TAKT_NUMBERS_ABOVE(TAKT_NUMBERS_ROW_1),
    TAKT_NUMBERS_ROW_3 = TAKT_NUMBERS_ABOVE(TAKT_NUMBERS_ROW_2),
    TAKT_NUMBERS_WORDS = TAKT_NUMBERS_ROW_0 + TAKT_NUMBERS_ROW_1 + TAKT_NUMBERS_ROW_2 + TAKT_NUMBERS_ROW_3,
};

/* Zeroed memory is an empty set. */
typedef struct takt_numbers {
    uint32_t words[TAKT_NUMBERS_WORDS]; /* rows, bottom row first */
} takt_numbers_t;

TAKT_INLINE bool takt_numbers_is_empty(const takt_numbers_t *numbers) {
    return numbers->words[TAKT_NUMBERS_WORDS - 1] == 0;
}

/* Adds `number`, which is not in the set. */
void takt_numbers_give(takt_numbers_t *numbers, uint32_t number);

/* Removes and returns the least number; the set is not empty. */
uint32_t takt_numbers_take(takt_numbers_t *numbers);

#endif
