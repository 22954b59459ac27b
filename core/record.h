/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records of calls to the dispatcher and of what follows from them; see trace.h. Internal to core. */
#ifndef TAKT_CORE_RECORD_H
#define TAKT_CORE_RECORD_H

#include "core/dispatcher.h"

/* Records a call, or what follows from it; to be called if there is a trace. */
void takt_record_call(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                      uint64_t value, const takt_entity_t *entity, uint32_t cpu);

/* Consecutive steps at one instant are one record. */
void takt_record_steps(takt_dispatcher_t *dispatcher);

/* The `ahead`th job after the current one, or the current one itself, ends without completing. */
void takt_record_end(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, const takt_task_t *task,
                     uint32_t ahead, takt_instant_t now, takt_instant_t instant);

/* Records what became of a resource; to be called if there is a trace. */
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

/* Records what became of a task with an allocation, likewise. */
void takt_record_allocation(takt_dispatcher_t *dispatcher, takt_instant_t now, uint64_t value,
                            const takt_entity_t *entity);

/* Counts a step at `now`. */
void takt_record_step(takt_dispatcher_t *dispatcher, takt_instant_t now);

/* Records the decision of several processors that one of them changes, or else that nothing changes any more; if
 * there is a trace. */
void takt_record_decision(takt_dispatcher_t *dispatcher, takt_instant_t now, const takt_decision_t *decision,
                          bool is_change);

#endif
