/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "linux/daemon/uses.h"

enum { WORD = sizeof(uint64_t), PENDING = TAKT_USES_TABLES + TAKT_FUNCTIONS };

/* Rows of words that are not read yet. Each table and each list is put in once. */
typedef struct pending {
    uint32_t rows[PENDING];
    uint32_t count;
} pending_t;

/* Returns the table that has the address `word`; the number of tables if none has. */
static uint64_t table_of(const takt_uses_t *uses, uint64_t word) {
    uint64_t table = uses->tables;
    if (word >= uses->starts[0] && word < uses->starts[uses->tables]) {
        do {
            table--;
        } while (uses->starts[table] > word);
    }
    return table;
}

/* Puts in what a word may refer to, unless it is known. */
static void note(takt_uses_t *uses, pending_t *pending, uint64_t word) {
    const uint64_t function = word - TAKT_FIRST_FUNCTION;
    const uint64_t table = table_of(uses, word);
    if (function < uses->functions && !uses->is_used[function]) {
        uses->is_used[function] = true;
        pending->rows[pending->count++] = (uint32_t)(uses->tables + function);
    } else if (table < uses->tables && !uses->is_reached[table]) {
        uses->is_reached[table] = true;
        pending->rows[pending->count++] = (uint32_t)table;
    }
}

void takt_uses_add(takt_uses_t *uses, const uint64_t *words, uint64_t count) {
    pending_t pending = {.count = 0};
    for (uint64_t i = 0; i < count; i++) {
        note(uses, &pending, words[i]);
    }
    while (pending.count > 0) {
        const uint64_t *starts = uses->starts + pending.rows[--pending.count];
        for (uint64_t at = starts[0]; at + WORD <= starts[1]; at += WORD) {
            note(uses, &pending, *(const uint64_t *)(uintptr_t)at);
        }
    }
}

bool takt_uses_begin(takt_uses_t *uses, uint64_t tables, uint64_t bytes) {
    const uint64_t *end = (const uint64_t *)(uintptr_t)(tables + bytes);
    if (bytes % WORD != 0 || bytes < 2 * WORD) {
        return false;
    }
    uses->functions = end[-1];
    uses->tables = end[-2];
    const uint64_t count = uses->tables + uses->functions + 2; /* of starts */
    if (uses->tables == 0 || uses->tables > TAKT_USES_TABLES || uses->functions > TAKT_FUNCTIONS ||
        bytes < (count + 2) * WORD) {
        return false;
    }
    uses->starts = end - 2 - count;
    const uint64_t *of_programs = uses->starts + uses->tables + uses->functions;
    takt_uses_add(uses, (const uint64_t *)(uintptr_t)of_programs[0],
                  (of_programs[1] - of_programs[0]) / WORD);
    return true;
}
