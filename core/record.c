/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records of record.h. */
#include "core/record.h"

#include "core/account.h"

static takt_record_t make_record(const takt_dispatcher_t *dispatcher, takt_record_kind_t kind,
                                 takt_instant_t now, uint64_t value, const takt_entity_t *entity,
                                 uint32_t cpu) {
    return (takt_record_t){
        .now = now,
        .value = value,
        .entity = entity != NULL ? takt_entity_number(entity) : TAKT_NO_ENTITY,
        .sequence = dispatcher->sequence,
        .kind = (uint8_t)kind,
        .reserved = 0,
        .cpu = (uint8_t)cpu,
        .job = takt_entity_job_number(entity),
    };
}

void takt_record_call(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                      uint64_t value, const takt_entity_t *entity, uint32_t cpu) {
    const takt_record_t record = make_record(dispatcher, kind, now, value, entity, cpu);
    dispatcher->trace->record(dispatcher->trace, &record);
}

void takt_record_received(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, uint64_t value,
                          const takt_event_t *event, uint32_t job) {
    takt_record_t record = make_record(dispatcher, kind, event->now, value, event->entity, 0);
    record.sequence++;
    record.job = job;
    dispatcher->trace->record(dispatcher->trace, &record);
}

TAKT_RARE void takt_record_steps_now(takt_dispatcher_t *dispatcher) {
    takt_record_call(dispatcher, TAKT_RECORD_STEP, dispatcher->stepped_at, dispatcher->unrecorded_steps, NULL,
                     0);
    dispatcher->unrecorded_steps = 0;
}

void takt_record_job(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, const takt_task_t *task,
                     uint32_t ahead, takt_instant_t now, takt_instant_t instant) {
    if (dispatcher->trace != NULL) {
        takt_record_steps(dispatcher);
        takt_record_t record = make_record(dispatcher, kind, now, instant, task->entity, 0);
        record.job += ahead;
        dispatcher->trace->record(dispatcher->trace, &record);
    }
}

TAKT_RARE void takt_record_resource_now(takt_dispatcher_t *dispatcher, takt_record_kind_t kind,
                                        takt_instant_t now, const takt_resource_t *resource,
                                        const takt_entity_t *entity) {
    takt_record_steps(dispatcher);
    takt_record_call(dispatcher, kind, now, resource->number, entity, 0);
}

void takt_record_allocation(takt_dispatcher_t *dispatcher, takt_instant_t now, uint64_t value,
                            const takt_entity_t *entity) {
    if (dispatcher->trace != NULL) {
        takt_record_steps(dispatcher);
        takt_record_call(dispatcher, TAKT_RECORD_ALLOCATION, now, value, entity, 0);
    }
}

void takt_record_decision(takt_dispatcher_t *dispatcher, takt_instant_t now, const takt_decision_t *decision,
                          bool is_change) {
    takt_record_steps(dispatcher);
    takt_record_call(dispatcher, is_change ? TAKT_RECORD_DECISION : TAKT_RECORD_SETTLED, now, decision->until,
                     decision->entity, decision->cpu);
}

/* Returns the number of the job that a release timer of `task` releases, counted from its current job. */
static uint32_t ahead_of(const takt_task_t *task) {
    const uint32_t skipped = task->extension != NULL ? task->extension->skipped : 0;
    return takt_task_is_active(task) ? 1u + task->waiting + skipped : 0;
}

/* Returns the timer that the next step of core expires at `now`; NULL if it expires none. */
static const takt_timer_t *due_in(const takt_dispatcher_t *dispatcher, takt_instant_t now) {
    const takt_timer_t *timer = takt_timers_due(&dispatcher->root.timers, now);
    while (timer != NULL && timer->kind == TAKT_TIMER_WAKE) {
        timer = takt_timers_due(&TAKT_CONTAINER_OF(timer, takt_server_t, wake)->timers, timer->instant);
    }
    return timer;
}

static void record_due(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    const takt_timer_t *timer = due_in(dispatcher, now);
    if (timer != NULL && timer->kind == TAKT_TIMER_RELEASE) {
        const takt_task_t *task = TAKT_CONTAINER_OF(timer, takt_task_t, timer);
        takt_record_job(dispatcher, TAKT_RECORD_RELEASE, task, ahead_of(task), now, timer->instant);
    } else if (timer != NULL && timer->kind == TAKT_TIMER_REPLENISHMENT) {
        const takt_server_t *server = TAKT_CONTAINER_OF(timer, takt_server_t, replenishment);
        takt_record_call(dispatcher, TAKT_RECORD_REPLENISH, now, timer->instant, &server->entity, 0);
    }
}

/* Execution is charged before a timer expires. */
TAKT_RARE static void record_remote_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    takt_account(dispatcher, now);
    record_due(dispatcher, now);
}

void takt_record_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (TAKT_UNLIKELY(dispatcher->trace->is_remote)) {
        record_remote_step(dispatcher, now);
        return;
    }
    if (now != dispatcher->stepped_at) {
        takt_record_steps(dispatcher);
        dispatcher->stepped_at = now;
    }
    dispatcher->unrecorded_steps++;
}

void takt_record_exhaust(takt_dispatcher_t *dispatcher, const takt_entity_t *payer, takt_instant_t now) {
    if (dispatcher->trace->is_remote) {
        takt_record_call(dispatcher, TAKT_RECORD_EXHAUST, now, 0, payer, 0);
    }
}
