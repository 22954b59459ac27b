/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The inline layer of locks: what a lock and an unlock event, and the decision after them, do to plain threads whose levels
 * order, under pip. As core/ready.h for the ready sets, a kernel calls this directly where nobody else is concerned, and the
 * full pass where somebody is. Both leave the same behind.
 *
 * Source: SPEC.md, 9; core/locks.c and core/lend.c, of which this is the common case. */
#ifndef TAKT_CORE_PLAIN_LOCKS_H
#define TAKT_CORE_PLAIN_LOCKS_H

#include "core/plain.h"
#include "core/server.h"

/* `entity`, without attributes, and what it holds are known to its dispatcher. */
TAKT_INLINE void takt_plain_begin_locking(takt_entity_t *entity) {
    for (takt_resource_t *held = takt_plain_of(entity)->held; held != NULL; held = held->outer) {
        held->below = entity->home->locked;
        entity->home->locked = held;
    }
    entity->attributes = TAKT_ATTRIBUTE_LOCKING;
}

/* Whether `entity`, which runs without attributes, is blocked on `resource`, which is held, by nobody but its holder, who
 * goes on at once: nothing else is known to be locked. */
TAKT_INLINE bool takt_plain_is_blocked_alone(const takt_entity_t *entity, const takt_resource_t *resource) {
    const takt_entity_t *holder = resource->holder;
    return holder->attributes == 0 && holder->task == NULL && takt_entity_is_ready(holder) &&
           entity->home->locked == NULL;
}

/* Such an entity waits from now on, with `wait` as its memory; gives who runs in its place. */
TAKT_INLINE takt_entity_t *takt_plain_block(takt_entity_t *entity, takt_resource_t *resource,
                                            takt_lock_wait_t *wait) {
    takt_plain_begin_locking(resource->holder);
    takt_plain_begin_locking(entity);
    wait->wanted = resource;
    wait->parked_at = NULL;
    wait->circle = NULL;
    takt_plain_of(entity)->wait = wait;
    return resource->holder;
}

/* Whether `resource`, held by `entity`, which runs, is all that is known to be locked, and nobody waits for it but in the
 * ready set. */
TAKT_INLINE bool takt_plain_holds_alone(const takt_entity_t *entity, const takt_resource_t *resource) {
    return entity->attributes == TAKT_ATTRIBUTE_LOCKING && entity->home->locked == resource &&
           resource->below == NULL && resource->parked == NULL;
}

/* Such a resource is free. Its holder keeps its place, for its key was its own. */
TAKT_INLINE void takt_plain_free(takt_entity_t *entity, takt_resource_t *resource) {
    resource->holder = NULL;
    takt_plain_of(entity)->held = NULL;
    entity->home->locked = NULL;
    entity->attributes = 0;
}

/* Whether `entity`, the most urgent one, waits for `resource`, which is free while nothing is known to be locked. */
TAKT_INLINE bool takt_plain_is_next(takt_entity_t *entity, const takt_resource_t *resource) {
    return entity->attributes == TAKT_ATTRIBUTE_LOCKING && entity->task == NULL &&
           takt_plain_of(entity)->wait->wanted == resource;
}

/* Such an entity holds it from now on. */
TAKT_INLINE void takt_plain_grant(takt_entity_t *entity, takt_resource_t *resource) {
    takt_plain_t *thread = takt_plain_of(entity);
    thread->wait->wanted = NULL;
    thread->wait = NULL;
    thread->held = resource;
    resource->holder = entity;
    resource->outer = NULL;
    resource->below = NULL;
    entity->home->locked = resource;
}

#endif
