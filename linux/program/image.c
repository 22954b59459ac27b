/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The image of a run. */
#include <stdlib.h>

#include "linux/program/internal.h"

#define TAKT_PROGRAM_CASE(constant, message) \
    case TAKT_PROGRAM_##constant:            \
        return message;

const char *takt_program_message(takt_program_status_t status) {
    switch (status) {
        TAKT_PROGRAM_STATUSES(TAKT_PROGRAM_CASE)
    default:
        return "no status";
    }
}

static bool has_drawn(const takt_program_t *program) {
    bool is_drawn = false;
    for (uint32_t i = 0; i < program->rows[TAKT_TABLE_STREAMS]; i++) {
        is_drawn |= program->streams[i].kind != TAKT_STREAM_LISTED;
    }
    return is_drawn;
}

takt_program_status_t takt_program_read(takt_program_run_t *run, takt_program_t *program, void **memory) {
    takt_image_t image = {.words = run->words, .count = run->count};
    uint64_t bytes = 0;
    *memory = NULL;
    run->image = takt_image_size(&image, &bytes);
    if (run->image != TAKT_IMAGE_OK) {
        return TAKT_PROGRAM_IMAGE;
    }
    *memory = calloc(1, (size_t)bytes + 1u);
    if (*memory == NULL) {
        return TAKT_PROGRAM_MEMORY;
    }
    run->image = takt_image_read(&image, program, *memory);
    if (run->image != TAKT_IMAGE_OK) {
        return TAKT_PROGRAM_IMAGE;
    }
    if (program->spec.task_count == 0) {
        return TAKT_PROGRAM_TASKS;
    }
    return has_drawn(program) ? TAKT_PROGRAM_DRAWN : TAKT_PROGRAM_OK;
}
