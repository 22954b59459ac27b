/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Recorder: keeps the frames of a run (frames.def) as columns in memory. Hosted. */
#ifndef TAKT_SIM_RECORDER_H
#define TAKT_SIM_RECORDER_H

#include "sim/sim.h"

enum { TAKT_COLUMNS_MOST = 6 }; /* of a frame */

#define TAKT_FRAME_NUMBER(FRAME, ...) TAKT_FRAME_##FRAME,
typedef enum takt_frame_number { TAKT_FRAMES(TAKT_FRAME_NUMBER) TAKT_FRAME_COUNT } takt_frame_number_t;

/* A column as frames.def describes it. */
typedef struct takt_column_text {
    const char *name, *kind, *unit, *meaning;
    uint32_t width; /* bytes of a value: 1, 4 or 8 */
} takt_column_text_t;

typedef struct takt_frame_text {
    const char *name, *option, *meaning;
    uint32_t column_count;
    const takt_column_text_t *columns;
} takt_frame_text_t;

extern const takt_frame_text_t takt_frame_texts[TAKT_FRAME_COUNT];

/* The rows of a frame: one array per column, made by malloc. */
typedef struct takt_frame {
    uint64_t rows, room;
    void *columns[TAKT_COLUMNS_MOST];
} takt_frame_t;

/* Zeroed at first. */
typedef struct takt_recorder {
    takt_frame_t frames[TAKT_FRAME_COUNT];
    uint64_t *last_budgets; /* per server: row of its last budget + 1; 0: none */
    uint32_t server_count;
    bool is_short_of_memory; /* rows are missing */
} takt_recorder_t;

/* Returns sinks, with `recorder` as context, that keep frame i if bit i of `kept` is set. */
takt_sim_sinks_t takt_recorder_sinks(takt_recorder_t *recorder, uint32_t kept);

/* Frees the columns that are still in `recorder`. */
void takt_recorder_destroy(takt_recorder_t *recorder);

#endif
