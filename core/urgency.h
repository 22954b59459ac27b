/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Urgency: the key and tie of an entity that are in force. Internal to core.
 *
 * The base urgency follows from the policy and the job; of a plain thread, from its level or deadline. It is always valid.
 * Modifiers make it more urgent:
 *
 *   base                  in force
 *    |                       ^
 *    +-> boosts (locks.h) ---+-> threshold of a started job
 *
 * One function writes the key and tie in force, and moves the entity in its ready set. The exception is
 * takt_urgency_begin: a job that begins has no modifiers and is in no ready set.
 *
 * Source: Bergsma et al. 2009 for thresholds; SPEC.md, 9 for boosts. */
#ifndef TAKT_CORE_URGENCY_H
#define TAKT_CORE_URGENCY_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

TAKT_INLINE bool takt_entity_is_started(const takt_entity_t *entity) {
    return (entity->state & TAKT_STATE_STARTED) != 0;
}

/* True if the key of `entity` changes while it executes. */
TAKT_INLINE bool takt_urgency_is_ageing(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_AGING) != 0 && entity->parent->policy->overtake != NULL;
}

/* Writes the urgency that the policy computes from `job` to `task`. Its current job or window is new and not ready. */
TAKT_INLINE void takt_urgency_begin(takt_task_t *task, const takt_job_t *job) {
    takt_entity_t *entity = task->entity;
    entity->parent->policy->release(entity, job);
    task->base_key = entity->key;
    task->base_tie = entity->tie;
}

/* Gives `entity`, no plain thread, the base urgency that its policy computes from `job`. */
void takt_urgency_write(takt_entity_t *entity, const takt_job_t *job);

/* Gives `entity`, the entity of a task, the base key `key`. */
void takt_urgency_set_key(takt_entity_t *entity, takt_key_t key);

/* Gives `entity`, a plain thread, the level `level`, and no deadline. */
void takt_urgency_set_level(takt_entity_t *entity, takt_key_t level);

/* Gives `entity`, no server, the level `level`: that of its current job if it has a task. A plain thread under keys gets
 * the deadline that `level` contains, see TAKT_LEVEL_IS_DEADLINE; while it has one, a level has no effect. */
void takt_urgency_change_level(takt_entity_t *entity, takt_key_t level, takt_instant_t now);

/* Recomputes the urgency in force of `entity`, no server, from its base urgency and its modifiers. */
void takt_urgency_refresh(takt_entity_t *entity);

/* Starts the current job of `entity`, which has a threshold: it is in force from now on. */
void takt_urgency_start(takt_entity_t *entity, takt_instant_t now);

/* Ends the threshold of `entity`, if it was in force. The entity is placed ahead of its new equals. */
void takt_urgency_end_region(takt_entity_t *entity);

/* Returns 1 if another ready entity of the same dispatcher is more urgent than `entity`, a started job, would be
 * without its threshold, else 0. */
TAKT_MUST_USE uint32_t takt_urgency_is_exceeded(takt_entity_t *entity);

TAKT_C_END

#endif
