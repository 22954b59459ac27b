/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Plain thread: an entity without a task, which runs until it blocks. Beside the entity, core keeps the resources that
 * it holds and the one that it requests.
 *
 * Source: SPEC.md, 3 and 9. Its level is the one it was added with, or the one of the last priority event. Where levels
 * order, the key is the level in force. Where keys order, it is less urgent than all jobs, and levels order the plain
 * threads among themselves: the key is TAKT_KEY_OF_TAIL and the level.
 * Invariant: `wait` is not NULL while the thread requests a resource.
 *
 * When not to use it: for work that repeats at a rate or has a deadline. Use a task. */
#ifndef TAKT_CORE_PLAIN_H
#define TAKT_CORE_PLAIN_H

#include "core/policy.h"
#include "core/resource.h"

typedef struct takt_plain {
    takt_entity_t entity;  /* first: an entity without a task that is no server is a thread's */
    takt_resource_t *held; /* the last one that it locked */
    /* Caller's memory, zeroed and handed in before a lock; NULL again once that is over. */
    takt_lock_wait_t *wait;
} takt_plain_t;

_Static_assert(offsetof(takt_plain_t, entity) == 0, "an entity is its thread");
_Static_assert(sizeof(void *) != 4 || sizeof(takt_plain_t) == 40,
               "a plain thread is 40 bytes on a 32-bit machine");

TAKT_INLINE takt_plain_t *takt_plain_of(takt_entity_t *entity) {
    return TAKT_CONTAINER_OF(entity, takt_plain_t, entity);
}

TAKT_INLINE const takt_plain_t *takt_plain_seen(const takt_entity_t *entity) {
    return (const takt_plain_t *)(const void *)((const char *)entity - offsetof(takt_plain_t, entity));
}

/* Returns the level that is compared with ceilings: its own, not the one in force; where keys order, the level of
 * background work. */
TAKT_INLINE takt_key_t takt_plain_level(const takt_plain_t *thread) {
    const takt_entity_t *entity = &thread->entity;
    const bool has_keys = (entity->attributes & TAKT_ATTRIBUTE_KEYED) != 0 || takt_ready_is_in_tail(entity);
    return has_keys ? TAKT_KEY_LEAST_URGENT : entity->level;
}

/* The class of plain threads with a deadline: in ties only, behind those of jobs. */
enum { TAKT_PLAIN_CLASS_DEADLINE = TAKT_CLASS_NONE + 1 };

/* True if `entity`, a plain thread, has a deadline, which is its key then: so says its tie. Plain threads do not start, so
 * that the rank of started jobs is not theirs. */
TAKT_INLINE bool takt_plain_has_deadline(const takt_entity_t *entity) {
    const uint32_t rank = entity->tie >> TAKT_TIE_RANK_SHIFT;
    return (entity->attributes & TAKT_ATTRIBUTE_KEYED) != 0 &&
           (rank == (uint32_t)TAKT_TIE_RANK_OWN + TAKT_PLAIN_CLASS_DEADLINE ||
            rank == (uint32_t)TAKT_TIE_RANK_LOCKING + TAKT_PLAIN_CLASS_DEADLINE);
}

/* Returns the absolute deadline of a plain thread, TAKT_NEVER if it has none. */
TAKT_INLINE takt_instant_t takt_plain_deadline(const takt_plain_t *thread) {
    return takt_plain_has_deadline(&thread->entity) ? thread->entity.key : TAKT_NEVER;
}

/* True if `entity` is a plain thread. */
TAKT_INLINE bool takt_entity_is_thread(const takt_entity_t *entity) {
    return entity->task == NULL && !takt_entity_is_server(entity);
}

#endif
