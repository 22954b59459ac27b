/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Budgets: enforces the wcet of a task under any policy.
 *
 * Source: Wang and Lin 1999, Table 2, rows RM and EDF, for "suspend": a window of one period with the wcet as budget,
 * ordered by its deadline; it ends when the next one starts. "abort" has the same budget per job instead: a job ends
 * when the budget is exhausted, at any time.
 * Leaves out: windows that end before the next begins. */
#include "policy/window.h"

/* Ends the last window; opens the next one if it was handed over. */
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

/* Opens the window of the current job, if that has none open and its window was handed over. */
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
