/* Budgets: the wcet of a task enforced, whatever policy orders it.
 *
 * Source: S3, Table 2, rows RM and EDF, for "suspend": a window of one period with the wcet as budget, whose deadline
 * orders it; its finish time and the next start are one instant. "abort" is the same budget per job instead: a job
 * ends when it has had it, whenever that is.
 * Leaves out: windows that end before the next begins. */
#include "policy/window.h"

static void suspend_start(takt_task_t *task, takt_instant_t instant) {
    takt_windowed_release(task);
    takt_windowed_open(task, instant + task->relative_deadline, task->wcet, instant);
    takt_allocator_arm_start(task, takt_windowed_of(task)->next_release);
}

const takt_allocator_t takt_allocator_suspend = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "suspend",
    .start = suspend_start,
    .complete = takt_windowed_complete,
    .exhaust = takt_windowed_suspend,
};

/* Its own window for the current job, if there is one. */
static void open_for_job(takt_task_t *task, takt_instant_t instant) {
    takt_windowed_open(task, task->job.release + task->relative_deadline, task->wcet, instant);
}

static void abort_start(takt_task_t *task, takt_instant_t instant) {
    const bool was_active = takt_task_is_active(task);
    takt_windowed_release(task);
    if (!was_active) {
        open_for_job(task, instant);
    }
    takt_allocator_arm_start(task, takt_windowed_of(task)->next_release);
}

static void abort_complete(takt_task_t *task, takt_instant_t now) {
    takt_windowed_end_job(task, now);
    open_for_job(task, now);
}

static void abort_exhaust(takt_task_t *task, takt_instant_t now) {
    takt_allocator_note(task, TAKT_ALLOCATION_ABORTED, now, 0);
    abort_complete(task, now);
}

const takt_allocator_t takt_allocator_abort = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "abort",
    .start = abort_start,
    .complete = abort_complete,
    .exhaust = abort_exhaust,
};
