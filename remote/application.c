/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The records of application.h. */
#include "remote/application.h"

#include "core/waiting.h"

/* Its timers never expire here. */
static void disarm(takt_task_t *task) { takt_timers_remove(&task->entity->parent->timers, &task->timer); }

void takt_application_add(takt_application_t *application, takt_entity_t *entity) {
    const uint32_t number = takt_entity_number(entity);
    if (number >= application->limit || application->entities[number] == entity) {
        return;
    }
    application->entities[number] = entity;
    if (entity->task != NULL) {
        disarm(entity->task);
    }
}

/* ---- events ------------------------------------------------------------------------------------------- */

static void hold(takt_entity_t *entity, takt_resource_t *resource) {
    takt_resource_t **held = takt_waiting_held_by(entity);
    resource->holder = entity;
    resource->outer = *held;
    *held = resource;
}

/* A job unlocks what it locked last. */
static void free_held(takt_entity_t *entity, takt_resource_t *of_thread) {
    takt_resource_t **held = takt_waiting_held_by(entity);
    takt_resource_t *resource = entity->task == NULL ? of_thread : *held;
    resource->holder = NULL;
    takt_waiting_unlink(held, resource);
}

static void note(const takt_event_t *event) {
    takt_entity_t *entity = event->entity;
    switch (event->kind) {
    case TAKT_EVENT_WAKE:
        takt_entity_set_state(entity, TAKT_STATE_READY);
        break;
    case TAKT_EVENT_BLOCK:
        takt_entity_clear_state(entity, TAKT_STATE_READY);
        break;
    case TAKT_EVENT_LOCK:
        takt_waiting_wait_of(entity)->wanted = event->resource;
        break;
    case TAKT_EVENT_UNLOCK:
        free_held(entity, event->resource);
        break;
    default:
        break;
    }
}

takt_message_t takt_application_post(takt_application_t *application, const takt_event_t *event) {
    const takt_entity_t *entity = event->entity;
    const takt_message_t message = {
        .seen = event->now,
        .value = takt_event_is_lock(event) ? event->resource->number : event->nominal,
        .entity = entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY,
        .job = takt_entity_job_number(entity),
        .kind = event->kind,
    };
    if (entity != NULL) {
        takt_application_add(application, event->entity);
    }
    note(event);
    application->posted++;
    return message;
}

/* ---- decisions ---------------------------------------------------------------------------------------- */

/* The last job of `entity` has ended, also if that was without an event: it holds nothing any more. */
static void forget_locks(const takt_application_t *application, const takt_entity_t *entity) {
    takt_task_extension_t *extension = entity->task->extension;
    extension->wait.wanted = NULL;
    extension->held = NULL;
    for (uint32_t i = 0; i < application->resource_count; i++) {
        if (application->resources[i].holder == entity) {
            application->resources[i].holder = NULL;
        }
    }
}

/* A job that waits for a resource is selected only when it gets it. */
static void hold_wanted(takt_entity_t *entity) {
    takt_lock_wait_t *wait = &entity->task->extension->wait;
    if (wait->wanted != NULL) {
        hold(entity, wait->wanted);
        wait->wanted = NULL;
    }
}

static void write_job(takt_task_t *task, const takt_change_t *changes, const takt_answer_t *answer) {
    task->job.number = answer->job;
    task->job.release = answer->release;
    task->job.deadline = answer->deadline;
    task->waiting = answer->waiting;
    if (task->extension != NULL) {
        task->extension->adopted = answer->change != TAKT_NO_CHANGE ? &changes[answer->change] : NULL;
    }
}

static void begin_or_continue(const takt_application_t *application, takt_entity_t *entity,
                              const takt_answer_t *answer) {
    takt_task_t *task = entity->task;
    if (task->extension != NULL && task->job.number != answer->job) {
        forget_locks(application, entity);
    } else if (task->extension != NULL) {
        hold_wanted(entity);
    }
    write_job(task, application->changes, answer);
}

takt_decision_t takt_application_carry_out(takt_application_t *application, takt_cpu_t *cpu,
                                           const takt_answer_t *answer) {
    takt_entity_t *entity =
        answer->entity < application->limit ? application->entities[answer->entity] : NULL;
    if (entity != NULL && entity->task != NULL) {
        begin_or_continue(application, entity, answer);
    }
    cpu->running = entity;
    cpu->should_yield = answer->should_yield;
    return (takt_decision_t){
        .entity = entity,
        .until = answer->until != TAKT_NOT_TOLD ? answer->until : TAKT_NEVER,
        .sequence = answer->sequence,
    };
}
