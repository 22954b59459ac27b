/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Near layer: switches among the entities of one ready set, without a pass. A kernel calls these functions if the
 * attributes of the running and of the next entity are equal; otherwise it calls the full pass. Both leave the same
 * ready sets, and later passes decide alike.
 *
 * Source: SPEC.md, 2 and 4; core/hierarchy.c, of which this is the common case.
 *
 * Invariant: two entities of one ready set without attributes of their own have the same payers. So a switch between them
 * charges nothing: the same budgets pay, and neither the instant at which the first of them is exhausted nor any timer
 * moves. The end of the last decision stays valid, and no clock is read.
 *
 * What makes that true:
 *   - TAKT_ATTRIBUTES_NEAR says how entities are ordered and that servers pay, nothing else. An entity that pays itself,
 *     ages, has a threshold, holds or requests a resource, is suspended, may be ended or is recorded has another one.
 *   - Children of a root whose policy may change have TAKT_ATTRIBUTE_FULL_PASS: their keys are rewritten when they
 *     become ready.
 *   - No resource of the dispatcher is registered as locked: nothing bars a child, and none runs for another.
 *   - The set does not become empty: the server keeps its work, so that its kind has nothing to do. One that is not ready
 *     joins a set only if the server is ready itself.
 *   - A job whose scheduler may not end it continues in the context that it has.
 *   - Between two decisions nothing but this layer changes which entity is selected: an event that another function
 *     posts is followed by a pass. */
#ifndef TAKT_CORE_NEAR_H
#define TAKT_CORE_NEAR_H

#include "core/server.h"

/* The attributes that an entity of this layer may have. */
#define TAKT_ATTRIBUTES_NEAR (TAKT_ATTRIBUTE_KEYED | TAKT_ATTRIBUTE_IN_SERVER)

/* True if `running`, which the last decision selected, can be left for another entity of its ready set without a pass. */
TAKT_INLINE bool takt_near_leaves(const takt_entity_t *running) {
    return (running->attributes & ~TAKT_ATTRIBUTES_NEAR) == 0 && running->parent->locked == NULL;
}

/* True if `next`, of the same ready set, can be selected in place of `running`, for which takt_near_leaves holds. */
TAKT_INLINE bool takt_near_is_like(const takt_entity_t *next, const takt_entity_t *running) {
    return next->attributes == running->attributes;
}

/* Likewise if one is in the heap of their set, and the other in its tail. */
TAKT_INLINE bool takt_near_is_across(const takt_entity_t *next, const takt_entity_t *running) {
    return (next->attributes ^ running->attributes) == TAKT_ATTRIBUTE_KEYED;
}

/* Either of these. */
TAKT_INLINE bool takt_near_is_beside(const takt_entity_t *next, const takt_entity_t *running) {
    return ((next->attributes ^ running->attributes) & ~(uint32_t)TAKT_ATTRIBUTE_KEYED) == 0;
}

/* True if `entity`, which is not ready, can become ready without a pass while `running` executes. */
TAKT_INLINE bool takt_near_admits(const takt_entity_t *entity, const takt_entity_t *running) {
    return takt_near_is_like(entity, running) && entity->parent == running->parent &&
           takt_near_leaves(running);
}

/* Likewise if one is in the heap of their set, and the other in its tail. */
TAKT_INLINE bool takt_near_admits_across(const takt_entity_t *entity, const takt_entity_t *running) {
    return takt_near_is_across(entity, running) && entity->parent == running->parent &&
           takt_near_leaves(running);
}

/* True if `entity`, for which takt_near_leaves holds, is in the heap of a set of keys, not on a level: the attribute has no
 * other meaning then. */
TAKT_INLINE bool takt_near_has_keys(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_KEYED) != 0;
}

/* Returns the most urgent entity of a heap or of levels, which are not empty; of a tail behind a heap that is not empty,
 * what the platform has put on level 0. `depth` is as in core/ready.h. */
TAKT_INLINE takt_entity_t *takt_near_best(const takt_ready_t *ready, bool has_keys, uint32_t depth) {
    return has_keys ? ready->keys.slots[0] : takt_levels_best(&ready->levels, depth);
}

/* Puts `entity`, for which takt_near_admits holds, into its ready set. Its state is the caller's. */
TAKT_INLINE void takt_near_insert(takt_entity_t *entity, bool has_keys, uint32_t depth) {
    takt_ready_t *ready = &entity->parent->ready;
    if (has_keys) {
        takt_ready_insert_key(ready, entity, depth);
    } else {
        takt_levels_insert(&ready->levels, entity, depth);
    }
}

/* Removes `running`, the most urgent entity, from its ready set, unless that would be empty then. Returns whether it did;
 * the state of `running` is the caller's. */
TAKT_INLINE bool takt_near_remove(takt_entity_t *running, bool has_keys, uint32_t depth) {
    takt_ready_t *ready = &running->parent->ready;
    if (has_keys) {
        const bool has_others = ready->keys.count > 1 && running->slot == 0;
        if (has_others) {
            takt_keys_remove_first(&ready->keys);
        }
        return has_others;
    }
    if (TAKT_UNLIKELY(takt_levels_has_only(&ready->levels, running, depth))) {
        return false;
    }
    takt_levels_remove(&ready->levels, running, depth);
    return true;
}

/* True if a new level of `entity` concerns the ready set of `running` alone: both are plain threads of that set, on levels
 * or in a tail. */
TAKT_INLINE bool takt_near_has_level(const takt_entity_t *entity, const takt_entity_t *running) {
    const uint32_t attributes = running->attributes; /* a thread's: not SERVER */
    return takt_entity_is_ready(entity) && entity->task == NULL && entity->attributes == attributes &&
           attributes <= TAKT_ATTRIBUTE_IN_SERVER && entity->parent == running->parent &&
           entity->parent->locked == NULL;
}

/* Gives such an entity the level `level`: it is appended there, unless it has that level already. */
TAKT_INLINE void takt_near_set_level(takt_entity_t *entity, uint32_t level, uint32_t depth) {
    takt_levels_t *levels = &entity->parent->ready.levels;
    entity->level = (uint8_t)level;
    if ((uint32_t)entity->key != level) {
        takt_levels_remove(levels, entity, depth);
        entity->key = (entity->key >> 32 << 32) | level; /* in a tail the high word stays */
        takt_levels_insert(levels, entity, depth);
    }
}

/* True if `running`, in the heap of its set, is alone there, and the tail is not empty. */
TAKT_INLINE bool takt_near_is_last_key(const takt_entity_t *running) {
    const takt_ready_t *ready = &running->parent->ready;
    return ready->keys.count == 1 && running->slot == 0 && (ready->levels.top & ~takt_bit(0)) != 0;
}

/* Removes such an entity. Its state is the caller's. Tails have one row in this layer. */
TAKT_INLINE void takt_near_remove_last_key(takt_entity_t *running) {
    takt_ready_t *ready = &running->parent->ready;
    ready->keys.count = 0;
    ready->levels.top &= ~takt_bit(0);
}

/* True if the end of the job that `running` executes concerns its ready set alone: no other job of its task waits, and the
 * task has no extension. */
TAKT_INLINE bool takt_near_completes(const takt_entity_t *running) {
    const takt_task_t *task = running->task;
    return takt_near_leaves(running) && task->extension == NULL && task->waiting == 0;
}

/* Ends such a job, after takt_near_remove. */
TAKT_INLINE void takt_near_complete(takt_entity_t *running) {
    takt_entity_clear_state(running, TAKT_STATE_READY | TAKT_STATE_ACTIVE);
    running->task->job.number++;
}

#endif
