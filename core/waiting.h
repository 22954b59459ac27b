/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Waiting: what an entity holds and what it waits for, of a job and of a plain thread alike. Internal to core. */
#ifndef TAKT_CORE_WAITING_H
#define TAKT_CORE_WAITING_H

#include "core/dispatcher.h"

/* The last resource that `entity`, no server, holds. */
TAKT_INLINE takt_resource_t **takt_waiting_held_by(takt_entity_t *entity) {
    return entity->task != NULL ? &entity->task->extension->held : &takt_plain_of(entity)->held;
}

/* NULL for a plain thread that wants nothing. */
TAKT_INLINE takt_lock_wait_t *takt_waiting_wait_of(takt_entity_t *entity) {
    return entity->task != NULL ? &entity->task->extension->wait : takt_plain_of(entity)->wait;
}

TAKT_INLINE takt_resource_t *takt_waiting_wanted_by(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_entity_is_locking(entity) ? takt_waiting_wait_of(entity) : NULL;
    return wait != NULL ? wait->wanted : NULL;
}

/* What `entity` waits for in a circle. */
TAKT_INLINE takt_resource_t *takt_waiting_circle_of(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_waiting_wait_of(entity);
    return wait != NULL ? wait->circle : NULL;
}

#endif
