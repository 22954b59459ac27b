/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the allocators of window.h share. */
#include "policy/window.h"

void takt_windowed_add(takt_allocation_t *allocation, takt_calls_t *calls, takt_windowed_t *windowed,
                       takt_task_t *task, takt_entity_t *entity, const takt_task_parameters_t *parameters,
                       const takt_window_parameters_t *windows) {
    windowed->extension.allocation = allocation;
    windowed->calls = calls;
    windowed->parameters.part = windows->part;
    windowed->parameters.slots = windows->slots;
    windowed->parameters.slot_count = windows->slot_count;
    windowed->parameters.cycle = windows->cycle;
    windowed->level = parameters->level;
    windowed->next_release = parameters->offset;
    windowed->next_slot = windows->slot_count > 0 ? windows->slots[0].start : 0;
    takt_dispatcher_add_task(task, entity, &allocation->dispatcher->root, parameters);
    takt_allocator_arm_start(task, 0);
}

void takt_windowed_begin(takt_task_t *task, takt_instant_t start) {
    takt_windowed_t *windowed = takt_windowed_of(task);
    windowed->start = start;
    windowed->begun++;
    takt_calls_ask(task, start);
    windowed->extension.allocation->functions->begin(task, start);
}

void takt_windowed_start(takt_task_t *task, takt_instant_t instant) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (instant >= windowed->next_release) {
        takt_windowed_release(task);
        takt_windowed_begin(task, instant);
    } else {
        takt_calls_ask(task, instant);
    }
    takt_allocator_arm_start(task, windowed->next_release);
}

void takt_windowed_release(takt_task_t *task) {
    takt_windowed_t *windowed = takt_windowed_of(task);
    if (takt_task_is_active(task)) {
        task->waiting++;
    } else {
        takt_allocator_begin_job(task, windowed->next_release);
    }
    windowed->next_release += task->job.period;
}

void takt_windowed_end_job(takt_task_t *task, takt_instant_t now) {
    const takt_instant_t next = task->job.release + task->job.period;
    takt_allocator_end_job(task, now);
    if (task->waiting > 0) {
        task->waiting--;
        takt_allocator_begin_job(task, next);
    }
}

void takt_windowed_serve(takt_task_t *task, takt_instant_t instant) {
    const takt_windowed_t *windowed = takt_windowed_of(task);
    if (windowed->is_open && takt_task_is_active(task) && task->job.remaining > 0) {
        takt_allocator_open(task, windowed->deadline, task->job.remaining, instant);
    }
}

void takt_windowed_open(takt_task_t *task, takt_instant_t deadline, takt_duration_t budget,
                        takt_instant_t instant) {
    takt_windowed_t *windowed = takt_windowed_of(task);
    windowed->deadline = deadline;
    windowed->is_open = true;
    task->job.remaining = budget;
    takt_windowed_serve(task, instant);
}

void takt_windowed_close(takt_task_t *task, takt_instant_t instant) {
    takt_windowed_of(task)->is_open = false;
    takt_allocator_throttle(task, instant);
}

void takt_windowed_complete(takt_task_t *task, takt_instant_t now) {
    takt_windowed_end_job(task, now);
    takt_windowed_serve(task, now);
}

void takt_windowed_suspend(takt_task_t *task, takt_instant_t now) {
    takt_allocator_note(task, TAKT_ALLOCATION_OVERRUN, now, 0);
    takt_allocator_throttle(task, now);
}
