/* Locks: how resources are locked, and who runs while somebody is blocked. Internal to core.
 *
 * Source: SPEC.md, 9. Nothing here is called while no resource is held or wanted. */
#ifndef TAKT_CORE_LOCKS_H
#define TAKT_CORE_LOCKS_H

#include "core/dispatcher.h"

/* `entity` may wait for something else than before, or for nothing: if it does so beside the ready set, it competes
 * again. */
void takt_locks_reconsider(takt_entity_t *entity, takt_instant_t now);

/* Applies a lock, unlock or withdraw event. */
void takt_locks_apply(takt_dispatcher_t *dispatcher, const takt_event_t *event);

/* The current job of `task`, which holds or wants something, ends at the nominal `instant`: all of that is given
 * back. */
void takt_locks_end_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                        takt_instant_t instant);

/* `entity` has been chosen: what it waits for, nothing being in the way any more, is its own. */
void takt_locks_settle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now);

#endif
