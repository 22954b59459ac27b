/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of relations, and the walk over it. */
#include "system/relations.h"

#define TAKT_RELATION_ROW(name, table, message) {#name, message, takt_keeps_##name, TAKT_TABLE_##table},

static const struct {
    const char *name;
    const char *message;
    bool (*keeps)(const takt_program_t *program, uint32_t row);
    takt_table_t table;
} relations[TAKT_RELATIONS] = {TAKT_RELATION_LIST(TAKT_RELATION_ROW)};

const char *takt_relation_message(takt_relation_t relation) { return relations[relation].message; }

const char *takt_relation_name(takt_relation_t relation) { return relations[relation].name; }

static bool is_kept(const takt_program_t *program, takt_relation_t relation, takt_place_t *place) {
    for (uint32_t row = 0; row < program->rows[relations[relation].table]; row++) {
        if (!relations[relation].keeps(program, row)) {
            *place = (takt_place_t){(uint32_t)relations[relation].table, row, 0};
            return false;
        }
    }
    return true;
}

takt_relation_t takt_check(const takt_program_t *program, takt_place_t *place) {
    takt_relation_t relation = 0;
    while (relation < TAKT_RELATIONS && is_kept(program, relation, place)) {
        relation++;
    }
    return relation;
}
