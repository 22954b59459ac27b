/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Locks: locking of resources, and the entity that runs while another is blocked. Internal to core.
 *
 * Source: SPEC.md, 9. The dispatcher calls these functions through a table that takt_dispatcher_expect_locks sets: a
 * program without resources is linked without them. None is called while no resource is held or wanted. */
#ifndef TAKT_CORE_LOCKS_H
#define TAKT_CORE_LOCKS_H

#include "core/dispatcher.h"

typedef struct takt_locks {
    /* Returns the child of `parent` to run, where some hold resources: the most urgent one, or the one that blocks it.
     * NULL if all that were ready are blocked by entities that are not; these leave the ready set then. */
    takt_entity_t *(*choose)(takt_server_t *parent, takt_instant_t now);
    /* Grants `entity`, which has been selected, the resource that it waits for: nothing blocks it any more. */
    void (*settle)(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now);
    /* Applies a lock, unlock or withdraw event. */
    void (*apply)(takt_dispatcher_t *dispatcher, const takt_event_t *event);
    /* Frees all resources of the current job of `task` and ends its wait: the job ends at the nominal `instant`. */
    void (*end_job)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                    takt_instant_t instant);
    /* Makes all entities ready that wait, directly or not, for `entity`, a holder that is ready again. */
    void (*lend)(takt_entity_t *entity, takt_instant_t now);
    /* Called after the level of `entity` has changed. If something else blocks it now, or nothing, it competes again. */
    void (*reconsider)(takt_entity_t *entity, takt_instant_t now);
} takt_locks_t;

#endif
