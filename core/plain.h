/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Plain thread: an entity without a task, which runs until it blocks. What core keeps of it beside the entity is what
 * it holds and wants of resources.
 *
 * Source: SPEC.md, 9. Its level is what it was added with, or a priority event has made of it: where levels order, its
 * `tie` says so, and its key is the level that is in force; where keys order, it is behind all that has a job.
 * Invariant: `wait` is not NULL while the thread wants a resource.
 *
 * When not to use it: for work that repeats at a rate or has a deadline, which a task says. */
#ifndef TAKT_CORE_PLAIN_H
#define TAKT_CORE_PLAIN_H

#include "core/resource.h"

typedef struct takt_plain {
    takt_entity_t entity;  /* first: an entity that is no server and has no task is its thread's */
    takt_resource_t *held; /* the last one that it locked */
    takt_lock_wait_t
        *wait; /* caller's memory, zeroed and handed in before a lock; NULL again once that is over */
} takt_plain_t;

_Static_assert(offsetof(takt_plain_t, entity) == 0, "an entity is its thread");
_Static_assert(sizeof(void *) != 4 || sizeof(takt_plain_t) == 40,
               "a plain thread is 40 bytes on a 32-bit machine");

TAKT_INLINE takt_plain_t *takt_plain_of(takt_entity_t *entity) {
    return TAKT_CONTAINER_OF(entity, takt_plain_t, entity);
}

/* Its own level, whatever its key is; where keys order, that of background work. */
TAKT_INLINE takt_key_t takt_plain_level(const takt_plain_t *thread) {
    const bool has_keys = (thread->entity.attributes & TAKT_ATTRIBUTE_KEYED) != 0;
    return has_keys ? TAKT_KEY_LEAST_URGENT : thread->entity.tie;
}

/* Whether `entity` is a plain thread. */
TAKT_INLINE bool takt_entity_is_thread(const takt_entity_t *entity) {
    return entity->task == NULL && !takt_entity_is_server(entity);
}

#endif
