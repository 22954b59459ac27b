/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Numbers that have come back: those of deleted entities, for the next ones. Private to kernel/.
 *
 * A set of numbers below TAKT_KERNEL_ENTITY_LIMIT: a tree of words in which a bit of a row says that the word below has one.
 * The bottom row has a bit for each number. To give and to take is O(rows): at most 4 words, 2 of the geometry that builds
 * have unless they define another one.
 *
 * Invariant: the last word is 0 exactly if the set is empty. Callers hold the lock. */
#ifndef TAKT_KERNEL_NUMBERS_H
#define TAKT_KERNEL_NUMBERS_H

#include "core/bits.h"
#include "kernel/geometry.h"

#define TAKT_NUMBERS_ABOVE(words) ((words) > 1 ? ((words) + 31) / 32 : 0)

enum {
    TAKT_NUMBERS_ROW_0 = (TAKT_KERNEL_ENTITY_LIMIT + 31) / 32, /* words of each row, 0 above the top */
    TAKT_NUMBERS_ROW_1 = TAKT_NUMBERS_ABOVE(TAKT_NUMBERS_ROW_0),
    TAKT_NUMBERS_ROW_2 = TAKT_NUMBERS_ABOVE(TAKT_NUMBERS_ROW_1),
    TAKT_NUMBERS_ROW_3 = TAKT_NUMBERS_ABOVE(TAKT_NUMBERS_ROW_2),
    TAKT_NUMBERS_WORDS = TAKT_NUMBERS_ROW_0 + TAKT_NUMBERS_ROW_1 + TAKT_NUMBERS_ROW_2 + TAKT_NUMBERS_ROW_3,
};

/* Zeroed: an empty set. */
typedef struct takt_numbers {
    uint32_t words[TAKT_NUMBERS_WORDS]; /* the rows from the bottom on */
} takt_numbers_t;

TAKT_INLINE bool takt_numbers_is_empty(const takt_numbers_t *numbers) {
    return numbers->words[TAKT_NUMBERS_WORDS - 1] == 0;
}

/* Puts `number`, which is not there, into the set. */
void takt_numbers_give(takt_numbers_t *numbers, uint32_t number);

/* Takes the least number out of the set, which is not empty. */
uint32_t takt_numbers_take(takt_numbers_t *numbers);

#endif
