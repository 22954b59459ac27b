/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Arrivals of jobs that other tasks release; see source_after.h. */
#include "core/source_after.h"

#include "core/hierarchy.h"
#include "core/record.h"
#include "core/rule.h"

static void record(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, const takt_task_t *task,
                   takt_instant_t now, uint64_t value) {
    if (dispatcher->trace != NULL) {
        takt_record_steps(dispatcher);
        takt_record_call(dispatcher, kind, now, value, task->entity, 0);
    }
}

static takt_arrival_t *last_arrival(const takt_task_t *task) {
    return takt_task_arrival(task->extension, task->extension->count - 1u);
}

void takt_after_set_origin(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                           takt_instant_t origin) {
    record(dispatcher, TAKT_RECORD_ORIGIN, task, now, origin);
    last_arrival(task)->deadline = origin;
}

void takt_after_pass(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now, uint32_t count) {
    record(dispatcher, TAKT_RECORD_PASS, task, now, count);
    last_arrival(task)->tag += count;
}

/* The first arrival that is not released has been dropped: the next one is awaited. */
static void await_next(takt_task_t *task) {
    takt_task_extension_t *extension = task->extension;
    takt_server_t *parent = task->entity->parent;
    takt_timers_remove(&parent->timers, &task->timer);
    if (extension->count > task->waiting) {
        takt_arrival_t *next = takt_task_arrival(extension, task->waiting);
        takt_rule_release(task, next, next->instant);
    } else {
        takt_hierarchy_rearm_wakes(parent);
    }
}

void takt_after_drop(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now, uint32_t place) {
    takt_task_extension_t *extension = task->extension;
    const takt_key_t dropped = 1u + takt_task_arrival(extension, place)->tag;
    record(dispatcher, TAKT_RECORD_DROP, task, now, place);
    extension->count--;
    for (uint32_t i = place; i < extension->count; i++) {
        *takt_task_arrival(extension, i) = *takt_task_arrival(extension, i + 1u);
    }
    if (place < extension->count) {
        takt_task_arrival(extension, place)->tag += dropped;
    }
    if (place < task->waiting) {
        task->waiting--;
    } else if (place == task->waiting) {
        await_next(task);
    }
}
