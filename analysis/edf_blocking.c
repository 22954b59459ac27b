/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* B(L) of edf_blocking.h, by a search of all steps and regions. It is computed only where demand is near the interval's
 * length, not at every length. */
#include "analysis/edf_blocking.h"

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static takt_blocking_piece_t piece_of_steps(const takt_edf_blocking_t *blocking, takt_duration_t interval) {
    takt_blocking_piece_t piece = {0, 0};
    for (uint32_t k = 0; k < blocking->count && blocking->steps[k].from <= interval; k++) {
        piece = (takt_blocking_piece_t){blocking->steps[k].from, blocking->steps[k].ticks};
    }
    return piece;
}

/* The demand added by the region of a task with a later deadline, in place of the task's own earlier jobs. */
static takt_duration_t excess_of(const takt_sporadic_t *task, takt_duration_t region,
                                 takt_duration_t interval) {
    const uint64_t jobs = takt_jobs_due(task, interval);
    const bool is_less = jobs > (region - 1u) / task->wcet;
    return is_less ? 0 : region - 1u - jobs * task->wcet;
}

static takt_blocking_piece_t piece_of_regions(const takt_sporadic_t *tasks, uint32_t count,
                                              const takt_duration_t *regions, takt_duration_t interval) {
    takt_blocking_piece_t piece = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (tasks[i].deadline <= interval) {
            piece.from = larger_of(piece.from, tasks[i].deadline);
        } else {
            piece.ticks = larger_of(piece.ticks, excess_of(&tasks[i], regions[i], interval));
        }
    }
    return piece;
}

takt_blocking_piece_t takt_edf_blocking_at(const takt_sporadic_t *tasks, uint32_t count,
                                           const takt_edf_blocking_t *blocking, takt_duration_t interval) {
    takt_blocking_piece_t piece = piece_of_steps(blocking, interval);
    if (blocking->regions != NULL) {
        const takt_blocking_piece_t other = piece_of_regions(tasks, count, blocking->regions, interval);
        piece.from = larger_of(piece.from, other.from);
        piece.ticks = larger_of(piece.ticks, other.ticks);
    }
    return piece;
}

takt_duration_t takt_edf_blocking_longest(const takt_edf_blocking_t *blocking, uint32_t count) {
    takt_duration_t longest = 0;
    for (uint32_t k = 0; k < blocking->count; k++) {
        longest = larger_of(longest, blocking->steps[k].ticks);
    }
    for (uint32_t i = 0; blocking->regions != NULL && i < count; i++) {
        longest = larger_of(longest, blocking->regions[i] - 1u);
    }
    return longest;
}

takt_duration_t takt_edf_blocking_last(const takt_sporadic_t *tasks, uint32_t count,
                                       const takt_edf_blocking_t *blocking) {
    takt_duration_t last = blocking->count > 0 ? blocking->steps[blocking->count - 1u].from : 0;
    for (uint32_t i = 0; blocking->regions != NULL && i < count; i++) {
        last = larger_of(last, tasks[i].deadline);
    }
    return last;
}
