/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The sink of recorder.h, and the file that it becomes.
 *
 * The description is taken where it is known: all that there is before the start at the first record, a thread that is
 * created later at its record, a resource where it is locked. */
#include "firmware/recorder.h"

#include "core/plain.h"
#include "core/server.h"
#include "kernel/kernel.h"
#include "kernel/port.h"
#include "system/image.h"

/* ---- the description: locked ---------------------------------------------------------------------- */

static bool is_same(const char *one, const char *other) {
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

/* Other signs than those of ASCII could be cut in the middle. */
static char sign_of(char sign) {
    const bool is_plain = sign >= ' ' && sign <= '~' && sign != '"' && sign != '\\';
    return is_plain ? sign : '_';
}

static void copy_name(char *to, const char *name) {
    uint32_t at = 0;
    for (; name != NULL && name[at] != '\0' && at < TAKT_RECORDER_NAME_BYTES - 2; at++) {
        to[at] = sign_of(name[at]);
    }
    if (at == 0) {
        to[at++] = '_';
    }
    to[at] = '\0';
}

static void mark_reused(char *name) {
    uint32_t end = 0;
    while (name[end] != '\0') {
        end++;
    }
    if (name[end - 1u] != '+') {
        name[end] = '+';
        name[end + 1u] = '\0';
    }
}

/* Notes `server` with those around it; returns its number, 0 of the root. */
static uint32_t note_server(takt_recorder_t *recorder, const takt_server_t *server) {
    const takt_server_t *each = server;
    for (; !takt_server_is_root(each); each = each->entity.parent) {
        const uint32_t number = takt_entity_number(&each->entity);
        if (recorder->servers[number] == NULL) {
            recorder->servers[number] = each;
            recorder->offsets[number] = each->replenishment.instant;
        }
    }
    recorder->root = each;
    return takt_server_is_root(server) ? 0u : takt_entity_number(&server->entity);
}

static void note_thread(takt_recorder_t *recorder, uint32_t number) {
    const takt_thread_t *thread = recorder->threads[number];
    takt_recorded_thread_t *known = &recorder->known[number];
    char name[TAKT_RECORDER_NAME_BYTES];
    const uint32_t server = note_server(recorder, thread->plain.entity.parent);
    copy_name(name, thread->name);
    if (thread->plain.entity.task != NULL) {
        recorder->status = TAKT_ERROR_JOBS;
    } else if (known->name[0] == '\0') {
        *known = (takt_recorded_thread_t){.level = thread->plain.entity.level, .server = server};
        copy_name(known->name, thread->name);
    } else if (known->server != server) {
        recorder->status = TAKT_ERROR_OBJECT;
    } else if (!is_same(known->name, name)) {
        mark_reused(known->name);
    }
    recorder->limit = number >= recorder->limit ? number + 1u : recorder->limit;
}

static void note_all(takt_recorder_t *recorder) {
    for (uint32_t number = 0; number < TAKT_KERNEL_ENTITY_LIMIT; number++) {
        if (recorder->threads[number] != NULL) {
            note_thread(recorder, number);
        }
    }
}

static void note_resources(takt_recorder_t *recorder, uint32_t number) {
    const takt_thread_t *thread = number < TAKT_KERNEL_ENTITY_LIMIT ? recorder->threads[number] : NULL;
    const takt_resource_t *held = thread != NULL ? thread->plain.held : NULL;
    for (; held != NULL; held = held->outer) {
        if (held->number >= TAKT_RECORDER_RESOURCES) {
            recorder->status = TAKT_ERROR_FULL;
            return;
        }
        recorder->resources[held->number] = held;
        recorder->resource_servers[held->number] = recorder->known[number].server;
        recorder->resource_count =
            held->number >= recorder->resource_count ? held->number + 1u : recorder->resource_count;
    }
}

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    takt_recorder_t *recorder = TAKT_CONTAINER_OF(trace, takt_recorder_t, trace);
    if (recorder->is_ended) {
        return;
    }
    if (recorder->count == recorder->length) {
        recorder->is_full = true;
        return;
    }
    if (recorder->count == 0) {
        note_all(recorder);
    } else if (record->kind == TAKT_RECORD_CREATE) {
        note_thread(recorder, record->entity);
    }
    note_resources(recorder, record->entity);
    recorder->records[recorder->count++] = *record;
}

takt_status_t takt_recorder_begin(takt_recorder_t *recorder, takt_record_t *records, uint32_t length) {
    if (recorder == NULL || records == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (length == 0) {
        return TAKT_ERROR_LENGTH;
    }
    *recorder = (takt_recorder_t){.trace = {.record = keep}, .records = records, .length = length};
    const takt_status_t status = takt_kernel_list_to(recorder->threads);
    return status == TAKT_OK ? takt_kernel_trace_to(&recorder->trace) : status;
}

takt_status_t takt_recorder_end(takt_recorder_t *recorder) {
    TAKT_REQUIRE(recorder != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(recorder->records != NULL, TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    recorder->is_ended = true;
    recorder->end = recorder->is_full ? recorder->records[recorder->count - 1u].now : takt_kernel_now();
    takt_port_unlock(level);
    return TAKT_OK;
}

/* ---- the file -------------------------------------------------------------------------------------- */

enum { PREAMBLE_BYTES = 16, WORD_BYTES = 8 };

static const char magic[8] = "TAKTTRC";
static const char software[] = "{\"software\":\"takt recorder\",\"platform\":\"";

/* Puts bytes, or counts them only. */
typedef struct writer {
    const takt_recorder_t *recorder;
    const takt_recording_t *about;
    takt_recorder_put_t put; /* NULL: it counts */
    uint32_t count;
    bool has_failed;
} writer_t;

static void put(writer_t *writer, const void *bytes, uint32_t count) {
    writer->count += count;
    if (writer->put != NULL && !writer->has_failed && count > 0) {
        writer->has_failed = !writer->put(bytes, count);
    }
}

static void put_word(writer_t *writer, uint64_t word) { put(writer, &word, WORD_BYTES); }

static void put_row(writer_t *writer, takt_table_t table, const void *row) {
    for (uint32_t i = 0; i < takt_layouts[table].field_count; i++) {
        put_word(writer, takt_image_word(&takt_layouts[table].fields[i], row));
    }
}

static uint32_t server_count(const takt_recorder_t *recorder) {
    uint32_t count = 0;
    while (recorder->servers[count + 1u] != NULL) {
        count++;
    }
    return count;
}

static uint32_t thread_count(const takt_recorder_t *recorder) {
    return recorder->limit - 1u - server_count(recorder);
}

static uint32_t parent_of(const takt_server_t *server) {
    return takt_server_is_root(server->entity.parent) ? 0u
                                                      : takt_entity_number(&server->entity.parent->entity);
}

static takt_server_spec_t spec_of_server(const takt_recorder_t *recorder, uint32_t number) {
    const takt_server_t *server = recorder->servers[number];
    return (takt_server_spec_t){
        .kind = server->kind,
        .policy = server->policy,
        .parent = (int32_t)parent_of(server) - 1,
        .period = server->job.period,
        .capacity = server->capacity,
        .offset = recorder->offsets[number],
        .level = (uint32_t)server->job.level,
        .levels = TAKT_KERNEL_IDLE_LEVEL,
        .order_rows = TAKT_KERNEL_ORDER_ROWS,
        .time_rows = TAKT_KERNEL_TIME_ROWS,
    };
}

/* One that no thread has locked is as any other. */
static takt_resource_spec_t spec_of_resource(const takt_recorder_t *recorder, uint32_t number) {
    while (recorder->resources[number] == NULL) {
        number++;
    }
    const takt_resource_t *resource = recorder->resources[number];
    return (takt_resource_spec_t){.protocol = (takt_protocol_t)resource->protocol,
                                  .ceiling = resource->ceiling,
                                  .server = (int32_t)recorder->resource_servers[number] - 1};
}

static void put_tables(writer_t *writer) {
    const takt_recorder_t *recorder = writer->recorder;
    const takt_program_t run = {.horizon = recorder->end, .resolution_ns = writer->about->resolution_ns};
    const takt_system_spec_t root = {.policy = recorder->root->policy,
                                     .levels = TAKT_KERNEL_IDLE_LEVEL,
                                     .order_rows = TAKT_KERNEL_ORDER_ROWS,
                                     .time_rows = TAKT_KERNEL_TIME_ROWS,
                                     .cpu_count = 1,
                                     .bulk = 1};
    put_row(writer, TAKT_TABLE_RUN, &run);
    put_row(writer, TAKT_TABLE_SYSTEM, &root);
    for (uint32_t i = 1; i <= server_count(recorder); i++) {
        const takt_server_spec_t server = spec_of_server(recorder, i);
        put_row(writer, TAKT_TABLE_SERVERS, &server);
    }
    for (uint32_t i = recorder->limit - thread_count(recorder); i < recorder->limit; i++) {
        const takt_recorded_thread_t *thread = &recorder->known[i];
        const takt_thread_spec_t spec = {.level = thread->level, .server = thread->server};
        put_row(writer, TAKT_TABLE_THREADS, &spec);
    }
    for (uint32_t i = 0; i < recorder->resource_count; i++) {
        const takt_resource_spec_t resource = spec_of_resource(recorder, i);
        put_row(writer, TAKT_TABLE_RESOURCES, &resource);
    }
}

static uint32_t rows_of(const takt_recorder_t *recorder, uint32_t table) {
    switch (table) {
    case TAKT_TABLE_RUN:
    case TAKT_TABLE_SYSTEM:
        return 1;
    case TAKT_TABLE_SERVERS:
        return server_count(recorder);
    case TAKT_TABLE_THREADS:
        return thread_count(recorder);
    case TAKT_TABLE_RESOURCES:
        return recorder->resource_count;
    default:
        return 0;
    }
}

static void put_image(writer_t *writer) {
    uint64_t words = 3u + TAKT_TABLE_COUNT;
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        words += (uint64_t)rows_of(writer->recorder, table) * takt_layouts[table].field_count;
    }
    put_word(writer, TAKT_IMAGE_MAGIC);
    put_word(writer, TAKT_IMAGE_VERSION);
    put_word(writer, words);
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        put_word(writer, rows_of(writer->recorder, table));
    }
    put_tables(writer);
}

/* ---- its names -------------------------------------------------------------------------------------- */

static void put_text(writer_t *writer, const char *text) {
    for (; *text != '\0'; text++) {
        put(writer, text, 1);
    }
}

static void put_name(writer_t *writer, const char *name) {
    for (; *name != '\0'; name++) {
        const char sign = sign_of(*name);
        put(writer, &sign, 1);
    }
}

/* Writes `before` and a number from 1 on. */
static void put_numbered(writer_t *writer, const char *before, uint32_t number) {
    char digits[11];
    uint32_t at = sizeof digits - 1u;
    digits[at] = '\0';
    for (; number > 0; number /= 10u) {
        digits[--at] = (char)('0' + number % 10u);
    }
    put_text(writer, before);
    put_text(writer, &digits[at]);
}

static void put_numbered_list(writer_t *writer, const char *before, uint32_t count) {
    for (uint32_t i = 1; i <= count; i++) {
        put_text(writer, i > 1 ? ",\"" : "\"");
        put_numbered(writer, before, i);
        put_text(writer, "\"");
    }
}

static void put_names(writer_t *writer) {
    const takt_recorder_t *recorder = writer->recorder;
    const uint32_t first = recorder->limit - thread_count(recorder);
    put_text(writer, software);
    put_name(writer, writer->about->platform);
    put_text(writer, "\",\"system\":\"");
    put_name(writer, writer->about->program);
    put_text(writer, "\",\"tasks\":[],\"changes\":[],\"policies\":[],\"servers\":[");
    put_numbered_list(writer, "server_", server_count(recorder));
    put_text(writer, "],\"resources\":[");
    put_numbered_list(writer, "resource_", recorder->resource_count);
    put_text(writer, "],\"threads\":[");
    for (uint32_t i = first; i < recorder->limit; i++) {
        put_text(writer, i > first ? ",\"" : "\"");
        put_text(writer, recorder->known[i].name);
        put_text(writer, "\"");
    }
    put_text(writer, "]}");
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void put_header(writer_t *writer, uint32_t length) {
    static const uint64_t zeros[4];
    const uint16_t numbers[2] = {TAKT_TRACE_VERSION, sizeof(takt_record_t)};
    put(writer, magic, sizeof magic);
    put(writer, numbers, sizeof numbers);
    put(writer, &length, sizeof length);
    put_image(writer);
    put_names(writer);
    put(writer, zeros, -writer->count % (uint32_t)sizeof zeros);
}

static void put_records(writer_t *writer) {
    const takt_recorder_t *recorder = writer->recorder;
    const takt_record_t end = recorder->is_full ? takt_trace_overflow(recorder->end, recorder->count)
                                                : takt_trace_end(recorder->end, recorder->count);
    for (uint32_t i = 0; i < recorder->count; i++) {
        put(writer, &recorder->records[i], sizeof *recorder->records);
    }
    put(writer, &end, sizeof end);
}

/* Every number is a server's or a thread's. */
static takt_status_t check(const takt_recorder_t *recorder) {
    if (!recorder->is_ended || recorder->count == 0) {
        return TAKT_ERROR_ORDER;
    }
    for (uint32_t i = 1u + server_count(recorder); i < recorder->limit; i++) {
        if (recorder->known[i].name[0] == '\0') {
            return TAKT_ERROR_OBJECT;
        }
    }
    return recorder->status;
}

takt_status_t takt_recorder_write(const takt_recorder_t *recorder, const takt_recording_t *about,
                                  takt_recorder_put_t put_bytes) {
    if (recorder == NULL || about == NULL || about->program == NULL || about->platform == NULL ||
        put_bytes == NULL) {
        return TAKT_ERROR_NULL;
    }
    const takt_status_t status = check(recorder);
    if (status != TAKT_OK) {
        return status;
    }
    writer_t counting = {.recorder = recorder, .about = about};
    put_image(&counting);
    put_names(&counting);
    writer_t writer = {.recorder = recorder, .about = about, .put = put_bytes};
    put_header(&writer, counting.count);
    put_records(&writer);
    return writer.has_failed ? TAKT_TIMEOUT : TAKT_OK;
}
