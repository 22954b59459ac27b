/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The set of numbers.h. */
#include "kernel/numbers.h"

enum { WORD_BITS = 32, ROWS = 4 };

/* Index of the first word of each row; rows above the top are not used. */
static const uint32_t row_starts[ROWS] = {
    0,
    TAKT_NUMBERS_ROW_0,
    TAKT_NUMBERS_ROW_0 + TAKT_NUMBERS_ROW_1,
    TAKT_NUMBERS_ROW_0 + TAKT_NUMBERS_ROW_1 + TAKT_NUMBERS_ROW_2,
};

enum {
    TOP = (TAKT_NUMBERS_ROW_1 > 0) + (TAKT_NUMBERS_ROW_2 > 0) + (TAKT_NUMBERS_ROW_3 > 0),
};

static uint32_t *word_of(takt_numbers_t *numbers, uint32_t row, uint32_t place) {
    return &numbers->words[row_starts[row] + place / WORD_BITS];
}

void takt_numbers_give(takt_numbers_t *numbers, uint32_t number) {
    uint32_t place = number;
    for (uint32_t row = 0; row <= TOP; row++) {
        *word_of(numbers, row, place) |= takt_bit(place % WORD_BITS);
        place /= WORD_BITS;
    }
}

static uint32_t least_of(takt_numbers_t *numbers) {
    uint32_t place = 0;
    for (uint32_t row = TOP + 1u; row > 0; row--) {
        place = place * WORD_BITS + takt_leading_zeros(numbers->words[row_starts[row - 1u] + place]);
    }
    return place;
}

uint32_t takt_numbers_take(takt_numbers_t *numbers) {
    const uint32_t number = least_of(numbers);
    uint32_t place = number;
    uint32_t left = 0;
    for (uint32_t row = 0; row <= TOP && left == 0; row++) {
        uint32_t *word = word_of(numbers, row, place);
        *word &= ~takt_bit(place % WORD_BITS);
        left = *word;
        place /= WORD_BITS;
    }
    return number;
}
