/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Writes an image of tables of C, as takt_layouts tells: what a host does in Python. */
#ifndef TAKT_TESTS_IMAGE_WRITER_H
#define TAKT_TESTS_IMAGE_WRITER_H

#include "system/image.h"

#include <string.h>

#include "core/protocol.h"
#include "policy/table.h"
#include "check.h"

/* Where the tables begin. */
enum { IMAGE_COUNTS_AT = 3, IMAGE_TABLES_AT = IMAGE_COUNTS_AT + TAKT_TABLE_COUNT };

typedef struct image_table {
    const void *rows;
    uint32_t count;
} image_table_t;

typedef struct image_tables {
    image_table_t of[TAKT_TABLE_COUNT];
} image_tables_t;

static inline uint64_t image_stream(const image_tables_t *tables, const char *member) {
    const takt_stream_t *first = tables->of[TAKT_TABLE_STREAMS].rows;
    const takt_stream_t *stream;
    memcpy(&stream, member, sizeof stream);
    return stream != NULL ? (uint64_t)(stream - first) + 1u : 0u;
}

static inline uint64_t image_word(const image_tables_t *tables, const takt_field_t *field, const char *row) {
    return field->kind == TAKT_FIELD_STREAM ? image_stream(tables, row + field->offset)
                                            : takt_image_word(field, row);
}

static inline uint64_t image_put_table(const image_tables_t *tables, uint32_t table, uint64_t *words) {
    const takt_layout_t *layout = &takt_layouts[table];
    uint64_t used = 0;
    for (uint32_t row = 0; row < tables->of[table].count; row++) {
        const char *at = (const char *)tables->of[table].rows + (size_t)row * layout->size;
        for (uint32_t i = 0; i < layout->field_count; i++) {
            words[used++] = image_word(tables, &layout->fields[i], at);
        }
    }
    return used;
}

/* Writes all tables to `words`; returns how many words these are. */
static inline uint64_t image_put(const image_tables_t *tables, uint64_t *words) {
    uint64_t used = IMAGE_TABLES_AT;
    words[0] = TAKT_IMAGE_MAGIC;
    words[1] = TAKT_IMAGE_VERSION;
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        words[IMAGE_COUNTS_AT + table] = tables->of[table].count;
        used += image_put_table(tables, table, words + used);
    }
    words[2] = used;
    return used;
}

/* The tables that `program` has in rows; those of streams, values, items and slots are as they were. */
static inline void image_take(image_tables_t *tables, const takt_program_t *program) {
    const takt_system_spec_t *spec = &program->spec;
    tables->of[TAKT_TABLE_RUN] = (image_table_t){program, 1};
    tables->of[TAKT_TABLE_SYSTEM] = (image_table_t){spec, 1};
    tables->of[TAKT_TABLE_RATES] = (image_table_t){spec->rates, spec->rates != NULL};
    tables->of[TAKT_TABLE_COSTS] = (image_table_t){program->costs, program->costs != NULL};
    tables->of[TAKT_TABLE_ARCHITECTURE] =
        (image_table_t){program->architecture, program->architecture != NULL};
    tables->of[TAKT_TABLE_SERVERS] = (image_table_t){spec->servers, spec->server_count};
    tables->of[TAKT_TABLE_TASKS] = (image_table_t){spec->tasks, spec->task_count};
    tables->of[TAKT_TABLE_THREADS] = (image_table_t){spec->threads, spec->thread_count};
    tables->of[TAKT_TABLE_RESOURCES] = (image_table_t){spec->resources, spec->resource_count};
    tables->of[TAKT_TABLE_USES] = (image_table_t){spec->uses, spec->use_count};
    tables->of[TAKT_TABLE_CHANGES] = (image_table_t){spec->changes, spec->change_count};
    tables->of[TAKT_TABLE_WINDOWS] =
        (image_table_t){spec->windows, spec->windows != NULL ? spec->task_count : 0u};
    tables->of[TAKT_TABLE_INPUTS] = (image_table_t){program->inputs, program->input_count};
}

/* The word of a field of a row. */
static inline uint64_t *image_at(uint64_t *words, uint32_t table, uint32_t row, uint32_t field) {
    uint64_t at = IMAGE_TABLES_AT;
    for (uint32_t before = 0; before < table; before++) {
        at += words[IMAGE_COUNTS_AT + before] * takt_layouts[before].field_count;
    }
    return &words[at + (uint64_t)row * takt_layouts[table].field_count + field];
}

/* Reads `count` words into `program`; the memory, or NULL, and `status` says why. */
static inline void *image_read(takt_image_t *image, takt_program_t *program, takt_image_status_t *status) {
    uint64_t bytes;
    memset(program, 0, sizeof *program);
    *status = takt_image_size(image, &bytes);
    if (*status != TAKT_IMAGE_OK) {
        CHECK(bytes == 0);
        return NULL;
    }
    CHECK(bytes % 16u == 0);
    void *memory = calloc(1, (size_t)bytes + 1u);
    CHECK(memory != NULL);
    *status = takt_image_read(image, program, memory);
    if (*status != TAKT_IMAGE_OK) {
        free(memory);
        return NULL;
    }
    return memory;
}

#endif
