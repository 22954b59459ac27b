/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What allocators call; see allocator.h. */
#include "core/allocator.h"

#include "core/hierarchy.h"
#include "core/record.h"
#include "core/urgency.h"

void takt_allocation_init(takt_allocation_t *allocation, const takt_allocator_t *functions,
                          takt_dispatcher_t *dispatcher) {
    allocation->functions = functions;
    allocation->dispatcher = dispatcher;
    takt_timer_init(&allocation->timer, &dispatcher->root.timers, TAKT_TIMER_ALLOCATION, 0);
}

static takt_timers_t *timers_of(const takt_task_t *task) { return &task->entity->parent->timers; }

static void arm(takt_timers_t *timers, takt_timer_t *timer, takt_instant_t instant) {
    if (takt_timer_is_armed(timer) && timer->instant == instant) {
        return;
    }
    takt_timers_remove(timers, timer);
    takt_timers_insert(timers, timer, instant);
}

void takt_allocator_arm_finish(takt_task_t *task, takt_instant_t instant) {
    arm(timers_of(task), &task->extension->expiry, instant);
}

void takt_allocator_arm_start(takt_task_t *task, takt_instant_t instant) {
    arm(timers_of(task), &task->timer, instant);
}

void takt_allocator_call(takt_allocation_t *allocation, takt_instant_t instant) {
    takt_timer_t *timer = &allocation->timer;
    if (!takt_timer_is_armed(timer) || timer->instant > instant) {
        arm(&allocation->dispatcher->root.timers, timer, instant);
    }
}

void takt_allocator_begin_job(takt_task_t *task, takt_instant_t release) {
    task->job.release = release;
    takt_entity_set_state(task->entity, TAKT_STATE_ACTIVE);
}

static void open_entity(takt_entity_t *entity) { takt_entity_set_attributes(entity, TAKT_ATTRIBUTE_BUDGET); }

static void close_entity(takt_entity_t *entity) {
    takt_entity_clear_attributes(entity, TAKT_ATTRIBUTE_BUDGET);
}

/* Excludes execution of `task` in the background from the charge to the window that opens. */
static void forget_background(const takt_task_t *task, takt_instant_t instant) {
    takt_cpu_t *cpu = takt_dispatcher_cpu_of(task->extension->allocation->dispatcher, task->entity);
    if (cpu != NULL && cpu->charged_at < instant) {
        cpu->charged_at = instant;
    }
}

void takt_allocator_open(takt_task_t *task, takt_instant_t deadline, takt_duration_t budget,
                         takt_instant_t instant) {
    takt_entity_t *entity = task->entity;
    forget_background(task, instant);
    task->job.deadline = deadline;
    task->job.remaining = budget;
    open_entity(entity);
    /* A window has the urgency of a job with its deadline, whenever its job was released. */
    takt_job_t window = task->job;
    window.release = deadline - task->relative_deadline;
    if (takt_entity_is_ready(entity)) {
        takt_urgency_write(entity, &window);
    } else {
        takt_urgency_begin(task, &window);
        takt_hierarchy_join(entity, instant);
    }
}

void takt_allocator_place(takt_task_t *task, takt_key_t key, takt_duration_t budget, takt_instant_t instant) {
    takt_entity_t *entity = task->entity;
    forget_background(task, instant);
    task->job.remaining = budget;
    open_entity(entity);
    if (!takt_entity_is_ready(entity) || entity->key != key) {
        takt_hierarchy_leave(entity, instant);
        takt_urgency_set_key(entity, key);
        takt_hierarchy_join(entity, instant);
    }
}

void takt_allocator_throttle(takt_task_t *task, takt_instant_t instant) {
    close_entity(task->entity);
    takt_hierarchy_leave(task->entity, instant);
}

void takt_allocator_run_in_background(takt_task_t *task, takt_key_t key) {
    takt_entity_t *entity = task->entity;
    close_entity(entity);
    takt_urgency_set_key(entity, key);
}

void takt_allocator_end_job(takt_task_t *task, takt_instant_t instant) {
    takt_allocator_throttle(task, instant);
    takt_entity_clear_state(task->entity, TAKT_STATE_ACTIVE);
    task->job.number++;
}

void takt_allocator_note(const takt_task_t *task, takt_allocation_event_t event, takt_instant_t now,
                         uint64_t value) {
    takt_record_allocation(task->extension->allocation->dispatcher, now, value << 8 | event, task->entity);
}
