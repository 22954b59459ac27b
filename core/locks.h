/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Locks: how resources are locked, and who runs while an entity is blocked. Internal to core.
 *
 * Source: SPEC.md, 9. The dispatcher asks for this through a table that takt_dispatcher_expect_locks hands in: a program
 * without resources is linked without it. Nothing here is called while no resource is held or wanted. */
#ifndef TAKT_CORE_LOCKS_H
#define TAKT_CORE_LOCKS_H

#include "core/dispatcher.h"

typedef struct takt_locks {
    /* Chooses among the children of `home`, of whom some hold resources: the most urgent one, or the one that blocks it.
     * NULL if all that were ready are blocked by ones that are not; they are parked then. */
    takt_entity_t *(*choose)(takt_server_t *home, takt_instant_t now);
    /* `entity` has been chosen: what it waits for, nothing being in the way any more, is its own. */
    void (*settle)(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now);
    /* Applies a lock, unlock or withdraw event. */
    void (*apply)(takt_dispatcher_t *dispatcher, const takt_event_t *event);
    /* The current job of `task`, which holds or wants something, ends at the nominal `instant`: all of that is given back. */
    void (*end_job)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                    takt_instant_t instant);
    /* `entity`, which holds something, is ready again, and with it all that wait, in the end, for it. */
    void (*lend)(takt_entity_t *entity, takt_instant_t now);
    /* The level of `entity` has changed. If it waits for something else than before, it competes again. */
    void (*reconsider)(takt_entity_t *entity, takt_instant_t now);
} takt_locks_t;

#endif
