/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Ready sets and wakes of the servers above an entity; see hierarchy.h. */
#include "core/hierarchy.h"

#include "core/urgency.h"

void takt_hierarchy_rearm_wake(takt_server_t *server) {
    takt_timers_t *outer = &takt_server_parent(server)->timers;
    takt_timers_remove(outer, &server->wake);
    const takt_instant_t next = takt_timers_next(&server->timers);
    if (next != TAKT_NEVER && (takt_server_is_active(server) || server->kind->runs_timers_without_budget)) {
        takt_timers_insert(outer, &server->wake, next);
    }
}

void takt_hierarchy_arm_in_parent(takt_server_t *server, takt_timer_t *timer, takt_instant_t instant) {
    takt_timers_t *outer = &takt_server_parent(server)->timers;
    takt_timers_remove(outer, timer);
    takt_timers_insert(outer, timer, instant);
    takt_hierarchy_rearm_wakes(takt_server_parent(server));
}

void takt_hierarchy_replenish_at(takt_server_t *server, takt_instant_t instant) {
    const bool is_armed = takt_timer_is_armed(&server->replenishment);
    if (instant != TAKT_NEVER && !(is_armed && server->replenishment.instant == instant)) {
        takt_hierarchy_arm_in_parent(server, &server->replenishment, instant);
    }
}

/* Returns the instant in the parent of what happened inside `server` at `instant`: not before the parent's timers so
 * far. What waited inside for the budget counts from the replenishment. */
static takt_instant_t seen_from_outside(const takt_server_t *server, takt_instant_t instant) {
    const takt_instant_t position = takt_timers_position(&takt_server_parent(server)->timers);
    return instant > position ? instant : position;
}

/* Called before `server` gets work. */
TAKT_RARE static void gain_work(takt_server_t *server, takt_instant_t instant) {
    takt_hierarchy_replenish_at(server, server->kind->work_begins(server, instant));
    takt_server_parent(server)->policy->release(&server->entity, &server->job);
}

/* Called after the last work of `server` has ended. */
TAKT_RARE static void lose_work(takt_server_t *server, takt_instant_t instant) {
    if (server->kind->work_ends != NULL) {
        takt_hierarchy_replenish_at(server, server->kind->work_ends(server, instant));
    }
    if (server->kind->loses_idle_budget) {
        takt_hierarchy_arm_in_parent(server, &server->instant_end, instant);
    }
}

TAKT_INLINE void enter_set(takt_entity_t *entity) {
    takt_ready_insert(&entity->parent->ready, entity);
    takt_entity_set_state(entity, TAKT_STATE_READY);
}

TAKT_INLINE void leave_set(takt_entity_t *entity) {
    takt_ready_remove(&entity->parent->ready, entity);
    takt_entity_clear_state(entity, TAKT_STATE_READY);
}

TAKT_RARE static void refresh_key_of_job(takt_entity_t *entity) {
    takt_server_t *parent = entity->parent;
    if (takt_server_is_root(parent) && TAKT_CONTAINER_OF(parent, takt_dispatcher_t, root)->changes != NULL) {
        takt_urgency_write(entity, takt_entity_job(entity));
    }
}

/* Rewrites the key of `entity`, which is about to be ready: the root's policy may have changed since it was written. */
TAKT_INLINE void refresh_key(takt_entity_t *entity) {
    if (entity->task != NULL || takt_entity_is_server(entity)) {
        refresh_key_of_job(entity);
    }
}

/* As join, if the parent is not ready. */
TAKT_RARE static void join_upwards(takt_entity_t *entity, takt_instant_t instant) {
    takt_server_t *parent = entity->parent;
    while (!takt_entity_is_ready(&parent->entity)) {
        instant = seen_from_outside(parent, instant);
        if (parent->kind->work_begins != NULL && takt_ready_is_empty(&parent->ready)) {
            gain_work(parent, instant);
        }
        enter_set(entity);
        if (!takt_server_has_budget(parent)) {
            return;
        }
        entity = &parent->entity;
        parent = entity->parent;
        refresh_key_of_job(entity);
    }
    enter_set(entity);
}

void takt_hierarchy_join(takt_entity_t *entity, takt_instant_t instant) {
    if (TAKT_LIKELY(takt_entity_is_ready(&entity->parent->entity))) {
        enter_set(entity);
    } else {
        join_upwards(entity, instant);
    }
}

/* As leave, for a `parent` that may have no work left. */
TAKT_RARE static void leave_upwards(takt_server_t *parent, takt_instant_t instant) {
    while (!takt_server_is_root(parent) && takt_ready_is_empty(&parent->ready)) {
        instant = seen_from_outside(parent, instant);
        lose_work(parent, instant);
        if (parent->kind->idles || !takt_entity_is_ready(&parent->entity)) {
            return;
        }
        leave_set(&parent->entity);
        parent = takt_server_parent(parent);
    }
}

void takt_hierarchy_leave(takt_entity_t *entity, takt_instant_t instant) {
    if (!takt_entity_is_ready(entity)) {
        return;
    }
    leave_set(entity);
    if (takt_ready_is_empty(&entity->parent->ready)) {
        leave_upwards(entity->parent, instant);
    }
}

void takt_hierarchy_rejoin(takt_entity_t *entity, takt_instant_t instant) {
    refresh_key(entity);
    takt_hierarchy_join(entity, instant);
}

void takt_hierarchy_await_budget(takt_entity_t *entity, takt_instant_t now) {
    takt_hierarchy_leave(entity, now);
    takt_timers_insert(&entity->parent->timers, &entity->task->extension->resume,
                       entity->parent->replenishment.instant);
    takt_hierarchy_rearm_wakes(entity->parent);
}
