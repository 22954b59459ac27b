/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of relations, and the walk over it and over the matrix. */
#include "system/relations.h"

typedef enum takt_relation_rank {
    PLAIN = 0,
    BASIC = 1,
} takt_relation_rank_t;

#define TAKT_RELATION_ROW(name, table, rank, message) \
    {#name, message, takt_keeps_##name, TAKT_TABLE_##table, rank},

static const struct {
    const char *name;
    const char *message;
    bool (*keeps)(const takt_program_t *program, uint32_t row);
    takt_table_t table;
    takt_relation_rank_t rank;
} relations[TAKT_FIRST_PAIR] = {TAKT_RELATION_LIST(TAKT_RELATION_ROW)};

static bool is_pair(takt_relation_t relation) { return relation >= TAKT_FIRST_PAIR; }

static const takt_pair_t *pair_of(takt_relation_t relation) {
    return &takt_pairs[relation - TAKT_FIRST_PAIR];
}

const char *takt_relation_message(takt_relation_t relation) {
    return is_pair(relation) ? pair_of(relation)->message : relations[relation].message;
}

const char *takt_relation_name(takt_relation_t relation) {
    return is_pair(relation) ? pair_of(relation)->name : relations[relation].name;
}

/* True if relations after `relation` may rely on it. */
static bool is_basic(takt_relation_t relation) {
    return !is_pair(relation) && relations[relation].rank == BASIC;
}

/* Writes the first row from `row` on that violates `relation` to `place`. Returns false if there is none. */
static bool find_row(const takt_program_t *program, takt_relation_t relation, uint32_t row,
                     takt_place_t *place) {
    const takt_table_t table = relations[relation].table;
    while (row < program->rows[table] && relations[relation].keeps(program, row)) {
        row++;
    }
    *place = (takt_place_t){(uint32_t)table, row, 0};
    return row < program->rows[table];
}

/* Likewise for a pair. A trait of the system is determined once. */
static bool find_pair(const takt_program_t *program, const takt_pair_t *pair, uint32_t row,
                      takt_place_t *place) {
    const takt_table_t table = pair->other->table;
    const bool is_of_system = pair->one->table == TAKT_TABLE_SYSTEM;
    const uint32_t count = is_of_system && !pair->one->has(program, 0) ? 0 : (uint32_t)program->rows[table];
    while (row < count &&
           !((is_of_system || pair->one->has(program, row)) && pair->other->has(program, row))) {
        row++;
    }
    *place = (takt_place_t){(uint32_t)table, row, 0};
    return row < count;
}

static takt_relation_t check_from(const takt_program_t *program, takt_relation_t relation, uint32_t row,
                                  takt_place_t *place) {
    while (relation < TAKT_RELATIONS &&
           !(is_pair(relation) ? find_pair(program, pair_of(relation), row, place)
                               : find_row(program, relation, row, place))) {
        relation++;
        row = 0;
    }
    return relation;
}

takt_relation_t takt_check(const takt_program_t *program, takt_place_t *place) {
    return check_from(program, 0, 0, place);
}

takt_relation_t takt_check_next(const takt_program_t *program, takt_relation_t relation,
                                takt_place_t *place) {
    const uint32_t row = place->row + 1u;
    if (is_basic(relation)) {
        return find_row(program, relation, row, place) ? relation : TAKT_RELATIONS;
    }
    return check_from(program, relation, row, place);
}
