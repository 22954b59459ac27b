/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The inline layer of locks: lock and unlock under pip, and the next decision, for plain threads ordered by levels.
 * A kernel calls it directly if no other entity is concerned, as it does core/ready.h for the ready sets. Otherwise
 * it calls the full pass. Both leave the same state.
 *
 * Source: SPEC.md, 9; core/locks.c and core/inheritance.c, of which this is the common case. */
#ifndef TAKT_CORE_PLAIN_LOCKS_H
#define TAKT_CORE_PLAIN_LOCKS_H

#include "core/plain.h"
#include "core/server.h"

/* Registers `entity`, which has no attributes, and the resources that it holds with its dispatcher. */
TAKT_INLINE void takt_plain_begin_locking(takt_entity_t *entity) {
    for (takt_resource_t *held = takt_plain_of(entity)->held; held != NULL; held = held->outer) {
        held->below = entity->parent->locked;
        entity->parent->locked = held;
    }
    entity->attributes = TAKT_ATTRIBUTE_LOCKING;
}

/* True if `entity`, a thread, holds what is registered with its dispatcher, waits for nothing, and has no other attribute. */
TAKT_INLINE bool takt_plain_is_holder(const takt_entity_t *entity) {
    return entity->attributes == TAKT_ATTRIBUTE_LOCKING && entity->task == NULL &&
           takt_plain_seen(entity)->wait == NULL;
}

/* True if `resource`, under pip, is the only one that is registered as locked, and none of those that wait for it has left
 * the ready set. */
TAKT_INLINE bool takt_plain_is_alone(const takt_resource_t *resource, const takt_server_t *parent) {
    return parent->locked == resource && resource->below == NULL && resource->blocked == NULL;
}

/* True if only the holder of `resource`, which is held, blocks `entity`, which runs without attributes. The holder is
 * ready and runs at once; no other resource is registered as locked. */
TAKT_INLINE bool takt_plain_is_blocked_alone(const takt_entity_t *entity, const takt_resource_t *resource) {
    const takt_entity_t *holder = resource->holder;
    if (!takt_entity_is_ready(holder)) {
        return false;
    }
    if (entity->parent->locked == NULL) {
        return holder->attributes == 0 && holder->task == NULL;
    }
    return takt_plain_is_alone(resource, entity->parent) && takt_plain_is_holder(holder);
}

/* Makes such an entity wait, with `wait` as its memory. Returns the entity that runs in its place, the holder. */
TAKT_INLINE takt_entity_t *takt_plain_block(takt_entity_t *entity, takt_resource_t *resource,
                                            takt_lock_wait_t *wait) {
    if (resource->holder->attributes == 0) {
        takt_plain_begin_locking(resource->holder);
    }
    takt_plain_begin_locking(entity);
    wait->wanted = resource;
    wait->blocked_at = NULL;
    wait->deadlock = NULL;
    takt_plain_of(entity)->wait = wait;
    return resource->holder;
}

/* True if `resource`, held by `entity`, which runs, is the only one registered as locked, and all that wait for it are
 * in the ready set. */
TAKT_INLINE bool takt_plain_holds_alone(const takt_entity_t *entity, const takt_resource_t *resource) {
    return entity->attributes == TAKT_ATTRIBUTE_LOCKING && takt_plain_is_alone(resource, entity->parent);
}

/* Frees such a resource. The holder keeps its place, because its key was its own. */
TAKT_INLINE void takt_plain_free(takt_entity_t *entity, takt_resource_t *resource) {
    resource->holder = NULL;
    takt_plain_of(entity)->held = NULL;
    entity->parent->locked = NULL;
    entity->attributes = 0;
}

/* Frees `resource`, under pip, which no entity waits for, if `entity`, which runs, holds another one too, and at most one
 * was registered as locked after it. Returns whether it did. `entity` continues: what it inherits comes from others. */
TAKT_INLINE bool takt_plain_free_inner(takt_entity_t *entity, takt_resource_t *resource) {
    takt_resource_t **link = &entity->parent->locked;
    if (entity->attributes != TAKT_ATTRIBUTE_LOCKING || resource->outer == NULL ||
        takt_plain_of(entity)->held != resource) {
        return false;
    }
    if (*link != resource) {
        link = &(*link)->below;
    }
    if (*link != resource) {
        return false;
    }
    *link = resource->below;
    takt_plain_of(entity)->held = resource->outer;
    resource->holder = NULL;
    return true;
}

/* True if `entity`, the most urgent one, waits for `resource`, which is free. No resource is registered as locked. */
TAKT_INLINE bool takt_plain_is_next(takt_entity_t *entity, const takt_resource_t *resource) {
    return entity->attributes == TAKT_ATTRIBUTE_LOCKING && entity->task == NULL &&
           takt_plain_of(entity)->wait->wanted == resource;
}

/* Grants the resource to such an entity. */
TAKT_INLINE void takt_plain_grant(takt_entity_t *entity, takt_resource_t *resource) {
    takt_plain_t *thread = takt_plain_of(entity);
    thread->wait->wanted = NULL;
    thread->wait = NULL;
    thread->held = resource;
    resource->holder = entity;
    resource->outer = NULL;
    resource->below = NULL;
    entity->parent->locked = resource;
}

/* Ends the wait of `entity` for a resource, if only `entity` is concerned: it is in the ready set and holds nothing. Returns
 * whether it did. It competes with the key that it had. */
TAKT_INLINE bool takt_plain_withdraw(takt_entity_t *entity) {
    takt_plain_t *thread = takt_plain_of(entity);
    takt_lock_wait_t *wait = thread->wait;
    if (entity->attributes != TAKT_ATTRIBUTE_LOCKING || !takt_entity_is_ready(entity) ||
        thread->held != NULL || wait->blocked_at != NULL || wait->deadlock != NULL) {
        return false;
    }
    wait->wanted = NULL;
    thread->wait = NULL;
    entity->attributes = 0;
    return true;
}

#endif
