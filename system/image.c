/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words of image.h.
 *
 * One loop reads all tables, by their layouts. What rows own of other tables is handed out at the end. */
#include "system/image.h"

#include "core/protocol.h"
#include "policy/table.h"
#include "system/arena.h"

/* ---- layouts -------------------------------------------------------------------------------------- */

#define TAKT_FIELD_LAYOUT(record, type, member, key, kind, unit, least, most, initial, analysis, meaning) \
    {offsetof(record, member), sizeof(((record *)0)->member), TAKT_FIELD_##kind, least, most},
#define TAKT_TABLE_FIELDS(place, record, list, least, most, meaning) \
    static const takt_field_t fields_of_##place[] = {TAKT_##list##_FIELDS(TAKT_FIELD_LAYOUT, record)};
#define TAKT_TABLE_LAYOUT(place, record, list, least, most, meaning) \
    {fields_of_##place, sizeof fields_of_##place / sizeof *fields_of_##place, sizeof(record), least, most},

TAKT_TABLES(TAKT_TABLE_FIELDS)

const takt_layout_t takt_layouts[TAKT_TABLE_COUNT] = {TAKT_TABLES(TAKT_TABLE_LAYOUT)};

#define TAKT_IMAGE_MESSAGE(name, message) message,

const char *takt_image_message(takt_image_status_t status) {
    static const char *const messages[] = {TAKT_IMAGE_STATUS_LIST(TAKT_IMAGE_MESSAGE)};
    return messages[status];
}

/* ---- names ---------------------------------------------------------------------------------------- */

uint64_t takt_name_hash(const char *name) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name != 0; name++) {
        hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static const takt_policy_t *policy_of(const takt_image_t *image, uint64_t word) {
    if (word >= 1 && word <= image->policy_count) {
        return image->policies[word - 1u];
    }
    for (size_t i = 0; i < takt_policy_count; i++) {
        if (takt_name_hash(takt_policies[i]->name) == word) {
            return takt_policies[i];
        }
    }
    return NULL;
}

static const takt_server_kind_t *server_kind_of(uint64_t word) {
    for (size_t i = 0; i < takt_server_kind_count; i++) {
        if (takt_name_hash(takt_server_kinds[i]->name) == word) {
            return takt_server_kinds[i];
        }
    }
    return NULL;
}

static const takt_bandwidth_kind_t *bandwidth_of(uint64_t word) {
    for (size_t i = 0; i < takt_bandwidth_kind_count; i++) {
        if (takt_name_hash(takt_bandwidth_kinds[i]->name) == word) {
            return takt_bandwidth_kinds[i];
        }
    }
    return NULL;
}

/* TAKT_PROTOCOLS if there is none. */
static uint32_t protocol_of(uint64_t word) {
    uint32_t protocol = 0;
    while (protocol < TAKT_PROTOCOLS && takt_name_hash(takt_protocols[protocol]->name) != word) {
        protocol++;
    }
    return protocol;
}

/* ---- words ---------------------------------------------------------------------------------------- */

enum { COUNTS_AT = 3, TABLES_AT = COUNTS_AT + TAKT_TABLE_COUNT };

typedef struct reader {
    takt_image_t *image;
    const uint64_t *counts; /* rows of each table */
    uint64_t at;
    char *rows[TAKT_TABLE_COUNT];
} reader_t;

/* Little-endian, as are all machines that read images. */
static void store(char *member, uint64_t value, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        member[i] = (char)(uint8_t)(value >> (8u * i));
    }
}

static takt_image_status_t store_pointer(char *member, const void *pointer, uint64_t word) {
    store(member, (uintptr_t)pointer, sizeof pointer);
    return pointer == NULL && word != 0 ? TAKT_IMAGE_UNKNOWN_POLICY : TAKT_IMAGE_OK;
}

static takt_image_status_t store_protocol(char *member, uint64_t word, uint32_t size) {
    const uint32_t protocol = protocol_of(word);
    store(member, protocol, size);
    return protocol < TAKT_PROTOCOLS ? TAKT_IMAGE_OK : TAKT_IMAGE_UNKNOWN_POLICY;
}

static takt_image_status_t store_number(char *member, uint64_t word, uint64_t value, uint32_t size,
                                        uint64_t least, uint64_t most) {
    store(member, value, size);
    return word >= least && word <= most ? TAKT_IMAGE_OK : TAKT_IMAGE_WRONG_VALUE;
}

/* An index into `table`; 0 if the table is empty, which takt_check checks. */
static takt_image_status_t store_place(const reader_t *reader, char *member, uint64_t word, uint32_t size,
                                       takt_table_t table) {
    const uint64_t count = reader->counts[table];
    return store_number(member, word, word, size, 0, count > 0 ? count - 1u : 0u);
}

static takt_image_status_t store_stream(const reader_t *reader, char *member, uint64_t word) {
    if (word > reader->counts[TAKT_TABLE_STREAMS]) {
        return TAKT_IMAGE_WRONG_VALUE;
    }
    const takt_stream_t *streams = (const takt_stream_t *)(const void *)reader->rows[TAKT_TABLE_STREAMS];
    return store_pointer(member, word > 0 ? &streams[word - 1u] : NULL, 0);
}

static takt_image_status_t pass(const reader_t *reader, const takt_field_t *field, char *member,
                                uint64_t word) {
    switch (field->kind) {
    case TAKT_FIELD_HOME:
        return store_number(member, word, word - 1u, field->size, 0, reader->counts[TAKT_TABLE_SERVERS]);
    case TAKT_FIELD_TASK_PLACE:
        return store_place(reader, member, word, field->size, TAKT_TABLE_TASKS);
    case TAKT_FIELD_RESOURCE_PLACE:
        return store_place(reader, member, word, field->size, TAKT_TABLE_RESOURCES);
    case TAKT_FIELD_STREAM:
        return store_stream(reader, member, word);
    case TAKT_FIELD_POLICY:
        return store_pointer(member, policy_of(reader->image, word), word);
    case TAKT_FIELD_SERVER_KIND:
        return store_pointer(member, server_kind_of(word), word);
    case TAKT_FIELD_BANDWIDTH:
        return store_pointer(member, bandwidth_of(word), word);
    case TAKT_FIELD_PROTOCOL:
        return store_protocol(member, word, field->size);
    default:
        return store_number(member, word, word, field->size, field->least, field->most);
    }
}

static takt_image_status_t pass_row(reader_t *reader, const takt_layout_t *layout, char *row) {
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const takt_field_t *field = &layout->fields[i];
        const takt_image_status_t status =
            pass(reader, field, row + field->offset, reader->image->words[reader->at++]);
        if (status != TAKT_IMAGE_OK) {
            reader->image->place.field = i;
            return status;
        }
    }
    return TAKT_IMAGE_OK;
}

static takt_image_status_t pass_table(reader_t *reader, uint32_t table) {
    const takt_layout_t *layout = &takt_layouts[table];
    for (uint32_t row = 0; row < reader->counts[table]; row++) {
        const takt_image_status_t status =
            pass_row(reader, layout, reader->rows[table] + (size_t)row * layout->size);
        if (status != TAKT_IMAGE_OK) {
            reader->image->place.table = table;
            reader->image->place.row = row;
            return status;
        }
    }
    return TAKT_IMAGE_OK;
}

/* Listed values stay where they are. */
static takt_image_status_t pass_values(reader_t *reader) {
    const uint64_t count = reader->counts[TAKT_TABLE_VALUES];
    for (uint64_t i = 0; i < count; i++) {
        if (reader->image->words[reader->at++] > TAKT_TIME_MOST) {
            reader->image->place = (takt_place_t){TAKT_TABLE_VALUES, (uint32_t)i, 0};
            return TAKT_IMAGE_WRONG_VALUE;
        }
    }
    return TAKT_IMAGE_OK;
}

/* ---- what rows own of other tables ----------------------------------------------------------------- */

static bool own_items(const reader_t *reader) {
    takt_task_spec_t *tasks = (takt_task_spec_t *)(void *)reader->rows[TAKT_TABLE_TASKS];
    const takt_item_t *next = (const takt_item_t *)(const void *)reader->rows[TAKT_TABLE_ITEMS];
    uint64_t left = reader->counts[TAKT_TABLE_ITEMS];
    for (uint32_t i = 0; i < reader->counts[TAKT_TABLE_TASKS]; i++) {
        if (tasks[i].body_count > left) {
            return false;
        }
        tasks[i].body = next;
        next += tasks[i].body_count;
        left -= tasks[i].body_count;
    }
    return left == 0;
}

static bool own_slots(const reader_t *reader) {
    takt_window_spec_t *windows = (takt_window_spec_t *)(void *)reader->rows[TAKT_TABLE_WINDOWS];
    const takt_slot_t *next = (const takt_slot_t *)(const void *)reader->rows[TAKT_TABLE_SLOTS];
    uint64_t left = reader->counts[TAKT_TABLE_SLOTS];
    for (uint32_t i = 0; i < reader->counts[TAKT_TABLE_WINDOWS]; i++) {
        if (windows[i].parameters.slot_count > left) {
            return false;
        }
        windows[i].parameters.slots = next;
        next += windows[i].parameters.slot_count;
        left -= windows[i].parameters.slot_count;
    }
    return left == 0;
}

static bool own_values(const reader_t *reader, const uint64_t *next) {
    takt_stream_t *streams = (takt_stream_t *)(void *)reader->rows[TAKT_TABLE_STREAMS];
    uint64_t left = reader->counts[TAKT_TABLE_VALUES];
    for (uint32_t i = 0; i < reader->counts[TAKT_TABLE_STREAMS]; i++) {
        if (streams[i].count > left) {
            return false;
        }
        streams[i].values = next;
        next += streams[i].count;
        left -= streams[i].count;
    }
    return left == 0;
}

/* ---- what follows from other fields ------------------------------------------------------------------ */

/* Whole budgets: neither wcet nor demand limits a job. */
#define TAKT_NO_LIMIT (TAKT_TIME_MOST + 1u)

static void complete_task(takt_task_spec_t *task) {
    if (task->is_greedy) {
        task->wcet = TAKT_NO_LIMIT;
        task->demand = TAKT_NO_LIMIT;
    }
}

static void complete_change(takt_change_spec_t *change, takt_task_spec_t *task, bool is_rated) {
    const bool is_parameters = change->kind == TAKT_CHANGE_PARAMETERS;
    task->changes |= !is_rated || is_parameters;
    if (is_parameters && task->is_greedy) {
        change->wcet = TAKT_NO_LIMIT;
        change->demand = TAKT_NO_LIMIT;
    }
}

static void complete(const reader_t *reader, takt_system_spec_t *spec) {
    takt_task_spec_t *tasks = (takt_task_spec_t *)(void *)reader->rows[TAKT_TABLE_TASKS];
    takt_change_spec_t *changes = (takt_change_spec_t *)(void *)reader->rows[TAKT_TABLE_CHANGES];
    spec->cpu_count = spec->cpu_count > 1 ? spec->cpu_count : 0u;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        complete_task(&tasks[i]);
    }
    for (uint32_t i = 0; i < spec->change_count; i++) {
        if (changes[i].kind != TAKT_CHANGE_POLICY && changes[i].task < spec->task_count) {
            complete_change(&changes[i], &tasks[changes[i].task], spec->rates != NULL);
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* The first row of `table`; NULL if it has none. */
static const void *first(const reader_t *reader, takt_table_t table) {
    return reader->counts[table] > 0 ? reader->rows[table] : NULL;
}

static uint32_t rows_of(const reader_t *reader, takt_table_t table) {
    return (uint32_t)reader->counts[table];
}

static void link_tables(const reader_t *reader, takt_program_t *program) {
    takt_system_spec_t *spec = &program->spec;
    spec->servers = first(reader, TAKT_TABLE_SERVERS);
    spec->server_count = rows_of(reader, TAKT_TABLE_SERVERS);
    spec->tasks = first(reader, TAKT_TABLE_TASKS);
    spec->task_count = rows_of(reader, TAKT_TABLE_TASKS);
    spec->threads = first(reader, TAKT_TABLE_THREADS);
    spec->thread_count = rows_of(reader, TAKT_TABLE_THREADS);
    spec->resources = first(reader, TAKT_TABLE_RESOURCES);
    spec->resource_count = rows_of(reader, TAKT_TABLE_RESOURCES);
    spec->uses = first(reader, TAKT_TABLE_USES);
    spec->use_count = rows_of(reader, TAKT_TABLE_USES);
    spec->changes = first(reader, TAKT_TABLE_CHANGES);
    spec->change_count = rows_of(reader, TAKT_TABLE_CHANGES);
    spec->windows = first(reader, TAKT_TABLE_WINDOWS);
    spec->rates = first(reader, TAKT_TABLE_RATES);
    program->costs = first(reader, TAKT_TABLE_COSTS);
    program->architecture = first(reader, TAKT_TABLE_ARCHITECTURE);
    program->inputs = first(reader, TAKT_TABLE_INPUTS);
    program->input_count = rows_of(reader, TAKT_TABLE_INPUTS);
    program->items = first(reader, TAKT_TABLE_ITEMS);
    program->streams = first(reader, TAKT_TABLE_STREAMS);
    program->rows = reader->counts;
}

/* Whether rows of `table` are copied into memory of their own. */
static bool is_copied(uint32_t table) {
    return table != TAKT_TABLE_RUN && table != TAKT_TABLE_SYSTEM && table != TAKT_TABLE_VALUES;
}

/* Each table, then the scratch memory; `arena` may only count. */
static uint32_t *lay_out(reader_t *reader, takt_arena_t *arena) {
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        if (is_copied(table)) {
            reader->rows[table] = takt_arena_take(arena, reader->counts[table], takt_layouts[table].size);
        }
    }
    const uint64_t scratch = reader->counts[TAKT_TABLE_SERVERS] + reader->counts[TAKT_TABLE_RESOURCES];
    return takt_arena_take(arena, scratch, sizeof(uint32_t));
}

/* Whether the counts are those of an image of so many words. */
static takt_image_status_t check_counts(takt_image_t *image) {
    const uint64_t *counts = image->words + COUNTS_AT;
    uint64_t needed = TABLES_AT;
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        const takt_layout_t *layout = &takt_layouts[table];
        if (counts[table] < layout->least || counts[table] > layout->most) {
            return TAKT_IMAGE_WRONG_VALUE;
        }
        needed += counts[table] * layout->field_count;
    }
    const uint64_t windows = counts[TAKT_TABLE_WINDOWS];
    if (needed != image->count) {
        return TAKT_IMAGE_WRONG_LENGTH;
    }
    return windows == 0 || windows == counts[TAKT_TABLE_TASKS] ? TAKT_IMAGE_OK : TAKT_IMAGE_WRONG_VALUE;
}

takt_image_status_t takt_image_size(takt_image_t *image, uint64_t *bytes) {
    *bytes = 0;
    if (image->count < 1 || image->words[0] != TAKT_IMAGE_MAGIC) {
        return TAKT_IMAGE_NO_IMAGE;
    }
    if (image->count < 2 || image->words[1] != TAKT_IMAGE_VERSION) {
        return TAKT_IMAGE_OTHER_VERSION;
    }
    if (image->count < TABLES_AT || image->words[2] != image->count) {
        return TAKT_IMAGE_WRONG_LENGTH;
    }
    image->place = (takt_place_t){TAKT_TABLE_COUNT, 0, 0};
    const takt_image_status_t status = check_counts(image);
    if (status == TAKT_IMAGE_OK) {
        reader_t reader; /* not cleared: rows that are not laid out are not read */
        reader.counts = image->words + COUNTS_AT;
        takt_arena_t arena = {NULL, 0};
        (void)lay_out(&reader, &arena);
        *bytes = arena.used;
    }
    return status;
}

static takt_image_status_t pass_tables(reader_t *reader) {
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        const takt_image_status_t status =
            table == TAKT_TABLE_VALUES ? pass_values(reader) : pass_table(reader, table);
        if (status != TAKT_IMAGE_OK) {
            return status;
        }
    }
    return TAKT_IMAGE_OK;
}

takt_image_status_t takt_image_read(takt_image_t *image, takt_program_t *program, void *memory) {
    reader_t reader; /* not cleared, as that calls memset; all rows are written below */
    reader.image = image;
    reader.counts = image->words + COUNTS_AT;
    reader.at = TABLES_AT;
    takt_arena_t arena = {memory, 0};
    program->scratch = lay_out(&reader, &arena);
    reader.rows[TAKT_TABLE_RUN] = (char *)program;
    reader.rows[TAKT_TABLE_SYSTEM] = (char *)&program->spec;
    const takt_image_status_t status = pass_tables(&reader);
    if (status != TAKT_IMAGE_OK) {
        return status;
    }
    const uint64_t *values = image->words + image->count - reader.counts[TAKT_TABLE_VALUES] -
                             reader.counts[TAKT_TABLE_INPUTS] * takt_layouts[TAKT_TABLE_INPUTS].field_count;
    link_tables(&reader, program);
    if (!own_items(&reader) || !own_slots(&reader) || !own_values(&reader, values)) {
        return TAKT_IMAGE_WRONG_VALUE;
    }
    complete(&reader, &program->spec);
    return TAKT_IMAGE_OK;
}
