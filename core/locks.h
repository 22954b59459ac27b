/* Locks: how resources are locked, and who runs while somebody is blocked. Internal to core.
 *
 * Source: SPEC.md, 9. Nothing here is called while no resource is held or wanted. */
#ifndef TAKT_CORE_LOCKS_H
#define TAKT_CORE_LOCKS_H

#include "core/dispatcher.h"

/* ---- what dispatcher.c gives ---- */

/* Makes `entity` ready, or not ready, at the nominal `instant`. */
void takt_dispatcher_join(takt_entity_t *entity, takt_instant_t instant);
void takt_dispatcher_leave(takt_entity_t *entity, takt_instant_t instant);

/* As join, for one whose key was written when it was ready last. */
void takt_dispatcher_rejoin(takt_entity_t *entity, takt_instant_t instant);

/* Writes the key that follows from what `entity`, which is no plain thread, executes; what is in force instead of
 * it stays so. */
void takt_dispatcher_write_key(takt_entity_t *entity);

/* `entity`, a job in a server, is not ready until the next replenishment of that. */
void takt_dispatcher_await_budget(takt_entity_t *entity, takt_instant_t now);

/* A started limited job competes by its own key again, ahead of its equals. */
void takt_dispatcher_end_region(takt_entity_t *entity);

/* Records what became of a resource, if anybody records. */
void takt_dispatcher_note(takt_dispatcher_t *dispatcher, takt_record_kind_t kind, takt_instant_t now,
                          const takt_resource_t *resource, const takt_entity_t *entity);

/* Records what became of a task with an allocation, likewise. */
void takt_dispatcher_note_allocation(takt_dispatcher_t *dispatcher, takt_instant_t now, uint64_t value,
                                     const takt_entity_t *entity);

/* ---- what locks.c gives ---- */

/* Whether the key of `entity` in its ready set may differ from its own. */
TAKT_INLINE bool takt_locks_is_displaced(const takt_entity_t *entity) {
    return (entity->state & TAKT_STATE_STARTED) != 0 || takt_entity_is_locking(entity);
}

/* Writes key and tie of `entity`, a plain thread that neither holds nor waits, for `level`. */
void takt_locks_write_level(takt_entity_t *entity, takt_key_t level);

/* Likewise of one that has just been created; where keys order, TAKT_KEY_LEAST_URGENT puts it behind all other threads. */
void takt_locks_create(takt_entity_t *entity, takt_key_t level);

/* The level of `entity`, a plain thread, is `level` from now on; its place among equals is not told. */
void takt_locks_change_level(takt_entity_t *entity, takt_key_t level);

/* Gives `entity` another key, ahead of its new equals on a level. */
void takt_locks_put(takt_entity_t *entity, takt_key_t key, uint32_t tie);

/* Who is not ready because it waits, in the end, for `entity`, which holds something and is ready again, is so too. */
void takt_locks_lend(takt_entity_t *entity, takt_instant_t now);

/* `entity` may wait for something else than before, or for nothing: if it does so beside the ready set, it competes
 * again. */
void takt_locks_reconsider(takt_entity_t *entity, takt_instant_t now);

/* Applies a lock, unlock or withdraw event. */
void takt_locks_apply(takt_dispatcher_t *dispatcher, const takt_event_t *event);

/* The current job of `task`, which holds or wants something, ends at the nominal `instant`: all of that is given
 * back. */
void takt_locks_end_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                        takt_instant_t instant);

/* Who runs among the children of `home`, of whom some hold resources: the most urgent one, or who blocks it.
 * NULL if all that were ready are blocked by ones that are not; they are parked then. */
TAKT_MUST_USE takt_entity_t *takt_locks_choose(takt_server_t *home, takt_instant_t now);

/* `entity` has been chosen: what it waits for, nothing being in the way any more, is its own. */
void takt_locks_settle(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now);

/* The key of `entity`, which holds or waits, as if it had not started. */
takt_key_t takt_locks_key_without_start(takt_entity_t *entity);

/* Gives `entity`, which holds or waits, the key that follows from its own, its start and what it holds. */
void takt_locks_write_key(takt_entity_t *entity);

#endif
