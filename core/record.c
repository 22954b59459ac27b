/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records of record.h. */
#include "core/record.h"

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
        .job = entity != NULL && entity->task != NULL ? entity->task->job.number : 0,
    };
}

void takt_record_call(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                      uint64_t value, const takt_entity_t *entity, uint32_t cpu) {
    const takt_record_t record = make_record(dispatcher, kind, now, value, entity, cpu);
    dispatcher->trace->record(dispatcher->trace, &record);
}

void takt_record_steps(takt_dispatcher_t *dispatcher) {
    if (dispatcher->unrecorded_steps > 0) {
        takt_record_call(dispatcher, TAKT_RECORD_STEP, dispatcher->stepped_at, dispatcher->unrecorded_steps,
                         NULL, 0);
        dispatcher->unrecorded_steps = 0;
    }
}

void takt_record_end(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, const takt_task_t *task,
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

void takt_record_step(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    if (now != dispatcher->stepped_at) {
        takt_record_steps(dispatcher);
        dispatcher->stepped_at = now;
    }
    dispatcher->unrecorded_steps++;
}

void takt_record_decision(takt_dispatcher_t *dispatcher, takt_instant_t now, const takt_decision_t *decision,
                          bool is_change) {
    takt_record_steps(dispatcher);
    takt_record_call(dispatcher, is_change ? TAKT_RECORD_DECISION : TAKT_RECORD_SETTLED, now, decision->until,
                     decision->entity, decision->cpu);
}
