/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Frames of a run in memory; see recorder.h. */
#include "sim/recorder.h"

#include <stdlib.h>

enum { FIRST_ROWS = 64 };

#define COLUMN_TEXT(type, stored, column, kind, unit, meaning) \
    {#column, #kind, unit, meaning, sizeof(stored)},
#define COLUMN_TEXTS(FRAME, ...)                                                                  \
    static const takt_column_text_t columns_of_##FRAME[] = {TAKT_##FRAME##_COLUMNS(COLUMN_TEXT)}; \
    _Static_assert(sizeof columns_of_##FRAME / sizeof *columns_of_##FRAME <= TAKT_COLUMNS_MOST,   \
                   "TAKT_COLUMNS_MOST");
#define FRAME_TEXT(FRAME, frame, sink, option, meaning) \
    {#frame, #option, meaning, sizeof columns_of_##FRAME / sizeof *columns_of_##FRAME, columns_of_##FRAME},

TAKT_FRAMES(COLUMN_TEXTS)

const takt_frame_text_t takt_frame_texts[TAKT_FRAME_COUNT] = {TAKT_FRAMES(FRAME_TEXT)};

/* Makes every column of a frame longer; false if there is no memory. */
TAKT_RARE static bool grow(takt_recorder_t *recorder, takt_frame_number_t number) {
    takt_frame_t *frame = &recorder->frames[number];
    const uint64_t room = frame->room > 0 ? 2u * frame->room : FIRST_ROWS;
    for (uint32_t i = 0; i < takt_frame_texts[number].column_count; i++) {
        void *column = realloc(frame->columns[i], room * takt_frame_texts[number].columns[i].width);
        if (column == NULL) {
            recorder->is_short_of_memory = true;
            return false;
        }
        frame->columns[i] = column;
    }
    frame->room = room;
    return true;
}

#define STORE(type, stored, column, ...) ((stored *)*place++)[row] = (stored)column;

/* For each frame add_FRAME, which appends a row. */
#define ADD(FRAME, ...)                                                                  \
    static void add_##FRAME(void *context TAKT_##FRAME##_COLUMNS(TAKT_SINK_PARAMETER)) { \
        takt_recorder_t *recorder = context;                                             \
        takt_frame_t *frame = &recorder->frames[TAKT_FRAME_##FRAME];                     \
        if (frame->rows == frame->room && !grow(recorder, TAKT_FRAME_##FRAME)) {         \
            return;                                                                      \
        }                                                                                \
        const uint64_t row = frame->rows++;                                              \
        void *const *place = frame->columns;                                             \
        TAKT_##FRAME##_COLUMNS(STORE)                                                    \
    }

TAKT_FRAMES(ADD)

/* Makes room for the last rows of `count` servers; false if there is no memory. */
static bool has_servers(takt_recorder_t *recorder, uint32_t count) {
    if (count <= recorder->server_count) {
        return true;
    }
    uint64_t *rows = realloc(recorder->last_budgets, count * sizeof *rows);
    if (rows == NULL) {
        recorder->is_short_of_memory = true;
        return false;
    }
    for (uint32_t i = recorder->server_count; i < count; i++) {
        rows[i] = 0;
    }
    recorder->last_budgets = rows;
    recorder->server_count = count;
    return true;
}

/* True if a budget follows from the last row of its server: it falls from there on if it is charged. */
static bool follows(const takt_recorder_t *recorder, takt_instant_t now, uint32_t server,
                    takt_duration_t budget, bool is_charged) {
    void *const *columns = recorder->frames[TAKT_FRAME_BUDGETS].columns;
    const uint64_t row = recorder->last_budgets[server] - 1u;
    if (row == UINT64_MAX || (((const uint8_t *)columns[3])[row] != 0) != is_charged) {
        return false;
    }
    const takt_duration_t used = is_charged ? now - ((const uint64_t *)columns[0])[row] : 0u;
    const takt_duration_t before = ((const uint64_t *)columns[2])[row];
    return before >= used && before - used == budget;
}

static void add_changed_budget(void *context, takt_instant_t now, uint32_t server, takt_duration_t budget,
                               bool is_charged) {
    takt_recorder_t *recorder = context;
    if (has_servers(recorder, server + 1u) && !follows(recorder, now, server, budget, is_charged)) {
        add_BUDGETS(context, now, server, budget, is_charged);
        recorder->last_budgets[server] = recorder->frames[TAKT_FRAME_BUDGETS].rows;
    }
}

/* Keeps the last sum of an instant, if it is another one than before the instant. */
static void add_changed_sum(void *context, takt_instant_t now, uint64_t reserved) {
    takt_recorder_t *recorder = context;
    takt_frame_t *frame = &recorder->frames[TAKT_FRAME_LEDGER];
    const uint64_t *instants = frame->columns[0], *sums = frame->columns[1];
    if (frame->rows > 0 && instants[frame->rows - 1u] == now) {
        frame->rows--;
    }
    if (frame->rows == 0 || sums[frame->rows - 1u] != reserved) {
        add_LEDGER(context, now, reserved);
    }
}

takt_sim_sinks_t takt_recorder_sinks(takt_recorder_t *recorder, uint32_t kept) {
    takt_sim_sinks_t sinks = {.context = recorder};
#define SINK(FRAME, frame, sink, ...) \
    sinks.sink = (kept >> TAKT_FRAME_##FRAME & 1u) != 0 ? add_##FRAME : NULL;
    TAKT_FRAMES(SINK)
#undef SINK
    sinks.budget = sinks.budget != NULL ? add_changed_budget : NULL;
    sinks.ledger = sinks.ledger != NULL ? add_changed_sum : NULL;
    return sinks;
}

void takt_recorder_destroy(takt_recorder_t *recorder) {
    for (uint32_t i = 0; i < TAKT_FRAME_COUNT; i++) {
        for (uint32_t column = 0; column < TAKT_COLUMNS_MOST; column++) {
            free(recorder->frames[i].columns[column]);
        }
    }
    free(recorder->last_budgets);
}
