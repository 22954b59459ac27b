/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Waiting: the resources that a job or a plain thread holds and waits for. Internal to core. */
#ifndef TAKT_CORE_WAITING_H
#define TAKT_CORE_WAITING_H

#include "core/dispatcher.h"

/* Returns where the last resource is stored that `entity`, no server, has locked. */
TAKT_INLINE takt_resource_t **takt_waiting_held_by(takt_entity_t *entity) {
    return entity->task != NULL ? &entity->task->extension->held : &takt_plain_of(entity)->held;
}

/* Removes `resource` from `held`, the list of what its holder has locked. */
TAKT_INLINE void takt_waiting_unlink(takt_resource_t **held, const takt_resource_t *resource) {
    while (*held != resource) {
        held = &(*held)->outer;
    }
    *held = resource->outer;
}

/* Returns the wait of `entity`; NULL for a plain thread that requests no resource. */
TAKT_INLINE takt_lock_wait_t *takt_waiting_wait_of(takt_entity_t *entity) {
    return entity->task != NULL ? &entity->task->extension->wait : takt_plain_of(entity)->wait;
}

TAKT_INLINE takt_resource_t *takt_waiting_wanted_by(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_entity_is_locking(entity) ? takt_waiting_wait_of(entity) : NULL;
    return wait != NULL ? wait->wanted : NULL;
}

/* Returns what `entity` waits for in a cycle; NULL if it is in none. */
TAKT_INLINE takt_resource_t *takt_waiting_deadlock_of(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_waiting_wait_of(entity);
    return wait != NULL ? wait->deadlock : NULL;
}

#endif
