/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Near layer between ready sets: switches between a server and another one, or the root, without a pass. A kernel calls these
 * functions where near.h gives up; where they give up too it calls the full pass. All decide alike.
 *
 * Source: SPEC.md, 2 and 4; core/account.c, core/hierarchy.c and takt_dispatcher_take, of which this is the common case.
 *
 * Before `until`, the end of the last decision, no timer is due and no budget is exhausted. So an event before it charges
 * one subtraction, and has no step. The order of calls:
 *
 *     takt_between_begins(...)         the event can be handled here
 *     takt_between_charge(...)         up to the event, then
 *     takt_between_join(...)           or takt_between_leave
 *     takt_between_select(...)         the entity to run; NULL: the full pass decides, which need not charge again
 *     takt_between_take(...)           the decision
 *
 * What makes that true:
 *   - The running, the woken and the selected entity have no attributes but those of near.h.
 *   - Each is a child of the root, or of a server directly below it that has no other attributes either.
 *   - No resource is registered as locked in their parents or the root. A server that shares some has the attribute for
 *     the full pass. Or they are plain threads of the root, and pip decides among them in one step: the most urgent one
 *     waits for nothing, or for a resource whose holder waits for nothing.
 *   - A kind of server is asked only if it has a function for what happens: by the functions of hierarchy.h, which may arm
 *     timers of the root. takt_between_select gives up if one is due.
 *   - On the only processor.
 *
 * Levels have one row, as in near.h. */
#ifndef TAKT_CORE_BETWEEN_H
#define TAKT_CORE_BETWEEN_H

#include "core/hierarchy.h"
#include "core/near.h"
#include "core/plain_locks.h"

/* True if children of `parent`, the root or a server below it, have no payer but that server, and nothing bars them. */
TAKT_INLINE bool takt_between_admits_set(const takt_server_t *parent) {
    const uint32_t expected = TAKT_ATTRIBUTE_SERVER | TAKT_ATTRIBUTE_KEYED;
    return (parent->entity.attributes & ~expected) == 0 && parent->locked == NULL;
}

/* True if this layer can run, wake or leave `entity`, no server. */
TAKT_INLINE bool takt_between_admits(const takt_entity_t *entity) {
    return (entity->attributes & ~TAKT_ATTRIBUTES_NEAR) == 0 && takt_between_admits_set(entity->parent);
}

/* Returns the thread that runs when the thread `best`, the most urgent child of the root, which levels order, is selected
 * though resources are registered as locked: itself, or the holder of what it waits for. NULL if the pass decides. */
TAKT_INLINE takt_entity_t *takt_between_stand_in(takt_entity_t *best) {
    if (best->attributes != TAKT_ATTRIBUTE_LOCKING || best->task != NULL) {
        return NULL;
    }
    const takt_lock_wait_t *wait = takt_plain_of(best)->wait;
    if (wait == NULL) {
        return best;
    }
    const takt_resource_t *wanted = wait->wanted;
    if (wanted == NULL || wanted->protocol != TAKT_PROTOCOL_PIP || wanted->holder == NULL) {
        return NULL;
    }
    const bool runs = takt_plain_is_holder(wanted->holder) && takt_entity_is_ready(wanted->holder);
    return runs ? wanted->holder : NULL;
}

/* True if an event at `now` can be handled here: nothing is due before it. `until` is the end of the last decision, which
 * selected `running`. */
TAKT_INLINE bool takt_between_begins(const takt_dispatcher_t *dispatcher, const takt_entity_t *running,
                                     takt_instant_t now, takt_instant_t until) {
    return now < until && dispatcher->root.locked == NULL && takt_between_admits(running);
}

/* Charges what `running` has executed up to `now`. */
TAKT_INLINE void takt_between_charge(takt_cpu_t *cpu, const takt_entity_t *running, takt_instant_t now) {
    const takt_duration_t elapsed = now - cpu->charged_at;
    cpu->charged_at = now;
    if ((running->attributes & TAKT_ATTRIBUTE_IN_SERVER) != 0) {
        running->parent->job.remaining -= elapsed;
    }
}

/* ---- join and leave ------------------------------------------------------------------------------ */

TAKT_INLINE void takt_between_enter_set(takt_entity_t *entity) {
    takt_near_insert(entity, takt_near_has_keys(entity), 1);
    takt_entity_set_state(entity, TAKT_STATE_READY);
}

TAKT_INLINE void takt_between_leave_set(takt_entity_t *entity) {
    takt_ready_t *ready = &entity->parent->ready;
    if (takt_near_has_keys(entity)) {
        takt_ready_remove_key(ready, entity, 1);
    } else {
        takt_levels_remove(&ready->levels, entity, 1);
    }
    takt_entity_clear_state(entity, TAKT_STATE_READY);
}

/* Makes `entity` ready at `now`; its server may get work by that. */
TAKT_INLINE void takt_between_join(takt_entity_t *entity, takt_instant_t now) {
    takt_server_t *parent = entity->parent;
    if (!takt_entity_is_ready(&parent->entity)) {
        if (parent->kind->work_begins != NULL || !takt_server_has_budget(parent)) {
            takt_hierarchy_join(entity, now);
            return;
        }
        takt_between_enter_set(&parent->entity);
    }
    takt_between_enter_set(entity);
}

/* True if the kind of `server` has nothing to do when the last work ends, and the server is not ready then. */
TAKT_INLINE bool takt_between_ends_work(const takt_server_kind_t *kind) {
    return kind->work_ends == NULL && !kind->loses_idle_budget && !kind->idles;
}

/* Makes `entity`, which is ready, not ready at `now`; its server may lose its last work by that. */
TAKT_INLINE void takt_between_leave(takt_entity_t *entity, takt_instant_t now) {
    takt_server_t *parent = entity->parent;
    if (takt_server_is_root(parent)) {
        takt_between_leave_set(entity);
    } else if (!takt_between_ends_work(parent->kind)) {
        takt_hierarchy_leave(entity, now);
    } else {
        takt_between_leave_set(entity);
        if (takt_ready_is_empty(&parent->ready)) {
            takt_between_leave_set(&parent->entity);
        }
    }
}

/* ---- decision ------------------------------------------------------------------------------------ */

/* Returns the most urgent entity in `server`, which is selected; NULL if the server idles or this layer gives up. */
TAKT_INLINE takt_entity_t *takt_between_select_in(takt_server_t *server) {
    if (!takt_between_admits_set(server) || takt_ready_is_empty(&server->ready)) {
        return NULL;
    }
    return takt_near_best(&server->ready, takt_ready_has_keys(&server->ready), 1);
}

/* Returns the entity to run from `now` on after events that have begun here; NULL if this layer does not decide. */
TAKT_INLINE takt_entity_t *takt_between_select(const takt_dispatcher_t *dispatcher, takt_instant_t now) {
    const takt_server_t *root = &dispatcher->root;
    if (takt_timers_next(&root->timers) <= now) {
        return NULL;
    }
    takt_entity_t *entity = takt_near_best(&root->ready, takt_ready_has_keys(&root->ready), 1);
    if (takt_entity_is_server(entity)) {
        entity = takt_between_select_in(takt_server_of(entity));
    }
    if (entity == NULL || (entity->attributes & ~TAKT_ATTRIBUTES_NEAR) == 0) {
        return entity;
    }
    return root->ready.order == TAKT_ORDER_LEVELS ? takt_between_stand_in(entity) : NULL;
}

/* Returns until when `entity`, which pays up to `now`, may run. */
TAKT_INLINE takt_instant_t takt_between_until(const takt_dispatcher_t *dispatcher,
                                              const takt_entity_t *entity, takt_instant_t now) {
    const takt_instant_t until = takt_timers_next(&dispatcher->root.timers);
    if ((entity->attributes & TAKT_ATTRIBUTE_IN_SERVER) == 0) {
        return until;
    }
    const takt_duration_t left = entity->parent->job.remaining;
    return left < until - now ? now + left : until;
}

/* Runs `entity`, which takt_between_select has returned, from `now` on. Returns until when. */
TAKT_INLINE takt_instant_t takt_between_take(takt_dispatcher_t *dispatcher, takt_entity_t *entity,
                                             takt_instant_t now) {
    dispatcher->cpus->running = entity;
    dispatcher->cpus->charged_at = now;
    return takt_between_until(dispatcher, entity, now);
}

#endif
