/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records of calls to the dispatcher and of their effects; see trace.h. Internal to core. */
#ifndef TAKT_CORE_RECORD_H
#define TAKT_CORE_RECORD_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* Records a call, or an effect of it. Call only if there is a trace. */
void takt_record_call(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                      uint64_t value, const takt_entity_t *entity, uint32_t cpu);

/* Records what is known of `event`, which is counted next, and of its job. Call only if there is a trace. */
void takt_record_received(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, uint64_t value,
                          const takt_event_t *event, uint32_t job);

/* Writes the steps counted so far, at least one: consecutive steps at one instant are one record. */
void takt_record_steps_now(takt_dispatcher_t *dispatcher);

/* Likewise, if there are any. */
TAKT_INLINE void takt_record_steps(takt_dispatcher_t *dispatcher) {
    if (dispatcher->unrecorded_steps > 0) {
        takt_record_steps_now(dispatcher);
    }
}

/* Records what happens to a job by itself, the `ahead`th after the current one, 0 = the current one: a release, or an end
 * without completion. */
void takt_record_job(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, const takt_task_t *task,
                     uint32_t ahead, takt_instant_t now, takt_instant_t instant);

/* Records a lock, an unlock or a refusal of a resource. Call only if there is a trace. */
void takt_record_resource_now(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                              const takt_resource_t *resource, const takt_entity_t *entity);

/* Likewise, if there is a trace. */
TAKT_INLINE void takt_record_resource(takt_dispatcher_t *dispatcher, takt_record_kind_t kind,
                                      takt_instant_t now, const takt_resource_t *resource,
                                      const takt_entity_t *entity) {
    if (dispatcher->trace != NULL) {
        takt_record_resource_now(dispatcher, kind, now, resource, entity);
    }
}

/* Records what happened to a task with an allocation, likewise. */
void takt_record_allocation(takt_dispatcher_t *dispatcher, takt_instant_t now, uint64_t value,
                            const takt_entity_t *entity);

/* Counts a step at `now`; of a remote scheduler, records what the step does: a release or a replenishment. Call before
 * the step, and only if there is a trace. */
void takt_record_step(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* Records a decision of several processors: one of them changes (`is_change`), or none changes any more. Call only if
 * there is a trace. */
void takt_record_decision(takt_dispatcher_t *dispatcher, takt_instant_t now, const takt_decision_t *decision,
                          bool is_change);

/* Records that a budget of `payer` is exhausted, if the scheduler is remote. Call before the effects, and only if there
 * is a trace. */
void takt_record_exhaust(takt_dispatcher_t *dispatcher, const takt_entity_t *payer, takt_instant_t now);

TAKT_C_END

#endif
