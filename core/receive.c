/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Late and stale events of receive.h. */
#include "core/receive.h"

#include "core/peek.h"
#include "core/record.h"

enum {
    OF_A_JOB = 1 << TAKT_EVENT_COMPLETE | 1 << TAKT_EVENT_YIELD | 1 << TAKT_EVENT_POINT |
               1 << TAKT_EVENT_OPTIONAL_POINT | 1 << TAKT_EVENT_SUSPEND | 1 << TAKT_EVENT_LOCK |
               1 << TAKT_EVENT_UNLOCK | 1 << TAKT_EVENT_BLOCK | 1 << TAKT_EVENT_WITHDRAW,
};

/* A job that an allocator has made wait for its next budget can complete, because its work is done, and no more. */
static bool is_without_budget(const takt_event_t *event, const takt_task_t *task) {
    return takt_task_is_allocated(task) && !takt_entity_is_ready(event->entity) &&
           event->kind != TAKT_EVENT_COMPLETE;
}

bool takt_dispatcher_is_stale(const takt_event_t *event, uint32_t job) {
    const takt_task_t *task = event->entity != NULL ? event->entity->task : NULL;
    const bool is_of_a_job = ((uint32_t)OF_A_JOB >> event->kind & 1u) != 0;
    if (!is_of_a_job || task == NULL) {
        return false;
    }
    return !takt_task_is_active(task) || task->job.number != job || is_without_budget(event, task);
}

bool takt_dispatcher_receive(takt_dispatcher_t *dispatcher, const takt_event_t *event, uint32_t job,
                             takt_instant_t seen) {
    const bool is_stale = takt_dispatcher_is_stale(event, job);
    if (dispatcher->trace != NULL && seen < event->now) {
        takt_record_received(dispatcher, TAKT_RECORD_LATE, seen, event,
                             is_stale ? job : takt_entity_job_number(event->entity));
    }
    if (!is_stale) {
        takt_dispatcher_post(dispatcher, event);
        return true;
    }
    if (dispatcher->trace != NULL) {
        takt_record_received(dispatcher, TAKT_RECORD_STALE, event->kind, event, job);
    }
    dispatcher->sequence++;
    return false;
}

void takt_dispatcher_drop(takt_dispatcher_t *dispatcher, takt_instant_t now, bool was_taken) {
    if (dispatcher->trace != NULL) {
        takt_record_call(dispatcher, TAKT_RECORD_DROPPED, now, was_taken, NULL, 0);
    }
}

void takt_dispatcher_signal(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (dispatcher->trace != NULL) {
        takt_record_call(dispatcher, TAKT_RECORD_SIGNAL, now, 0, takt_dispatcher_peek(dispatcher), 0);
    }
}
