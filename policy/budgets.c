/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Budgets: the wcet of a task enforced, whatever policy orders it.
 *
 * Source: S3, Table 2, rows RM and EDF, for "suspend": a window of one period with the wcet as budget, whose deadline
 * orders it; its finish time and the next start are one instant. "abort" is the same budget per job instead: a job
 * ends when it has had it, whenever that is.
 * Leaves out: windows that end before the next begins. */
#include "policy/window.h"

/* The last window ends in any case. */
static void suspend_begin(takt_task_t *task, takt_instant_t now) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (takt_windowed_is_there(windowed)) {
        takt_windowed_open(task, windowed->start + task->relative_deadline, task->wcet, now);
    } else {
        takt_windowed_close(task, now);
    }
}

const takt_allocator_t takt_allocator_suspend = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "suspend",
    .start = takt_windowed_start,
    .complete = takt_windowed_complete,
    .exhaust = takt_windowed_suspend,
    .begin = suspend_begin,
};

/* Its own window for the current job, if there is one that has none and if its window is there. */
static void abort_begin(takt_task_t *task, takt_instant_t now) {
    if (!takt_task_is_open(task) && task->job.number < takt_windowed_of(task)->handed) {
        takt_windowed_open(task, task->job.release + task->relative_deadline, task->wcet, now);
    }
}

static void abort_complete(takt_task_t *task, takt_instant_t now) {
    takt_windowed_end_job(task, now);
    abort_begin(task, now);
}

static void abort_exhaust(takt_task_t *task, takt_instant_t now) {
    takt_allocator_note(task, TAKT_ALLOCATION_ABORTED, now, 0);
    abort_complete(task, now);
}

const takt_allocator_t takt_allocator_abort = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "abort",
    .start = takt_windowed_start,
    .complete = abort_complete,
    .exhaust = abort_exhaust,
    .begin = abort_begin,
};
