/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Choices of lend.h. */
#include "core/lend.h"

#include "core/circles.h"
#include "core/hierarchy.h"
#include "core/obstacle.h"
#include "core/park.h"
#include "core/waiting.h"

/* True if `entity` is not ready for a reason other than a resource. */
static bool is_away(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_waiting_wait_of(entity);
    return !takt_entity_is_ready(entity) && (wait == NULL || wait->parked_at == NULL);
}

takt_entity_t *takt_lend_end_of_chain(takt_resource_t *obstacle) {
    takt_entity_t *entity = obstacle->holder;
    if (takt_entity_is_server(entity)) {
        return takt_entity_is_ready(entity) ? entity : NULL;
    }
    while (takt_waiting_circle_of(entity) == NULL && !is_away(entity)) {
        obstacle = takt_obstacle_to(entity);
        if (obstacle == NULL) {
            return takt_entity_is_ready(entity) ? entity : NULL;
        }
        entity = obstacle->holder;
    }
    return NULL;
}

static takt_dispatcher_t *dispatcher_of(const takt_entity_t *entity) {
    takt_server_t *root = entity->parent;
    while (!takt_server_is_root(root)) {
        root = takt_server_parent(root);
    }
    return TAKT_CONTAINER_OF(root, takt_dispatcher_t, root);
}

/* Parks `entity`, which `obstacle` blocks and no entity can run for, and the holders between. An entity that only a
 * ceiling bars from running is not parked: it continues once the holder is not ready. */
static void take_out(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    const bool is_barred = obstacle != takt_obstacle_to(entity) && takt_entity_is_ready(obstacle->holder);
    dispatcher_of(entity)->blocked_removals++;
    if (!is_barred) {
        takt_park(entity, obstacle, now);
    }
    if (!obstacle->kind->lends) {
        return;
    }
    for (entity = obstacle->holder; takt_entity_is_ready(entity); entity = obstacle->holder) {
        obstacle = takt_obstacle_to(entity);
        takt_park(entity, obstacle, now);
    }
}

/* Reports a circle that a change of levels has closed, not a lock. Returns whether there was one. */
static bool finds_deadlock(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = takt_circles_behind(entity);
    if (member != NULL) {
        takt_circles_report(dispatcher_of(entity), member, now);
    }
    return member != NULL;
}

/* Returns the entity that runs instead of `entity`, the most urgent child of its parent. NULL if there is none; then
 * `entity` may have left the ready set. */
static takt_entity_t *stand_in(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    takt_entity_t *other = NULL;
    if (obstacle->kind->lends && !finds_deadlock(entity, now)) {
        other = takt_lend_end_of_chain(obstacle);
    }
    if (other == NULL && !takt_entity_is_server(obstacle->holder) && takt_entity_is_ready(entity)) {
        take_out(entity, obstacle, now);
    }
    return other;
}

takt_entity_t *takt_lend_choose(takt_server_t *parent, takt_instant_t now) {
    takt_entity_t *best;
    while ((best = takt_ready_best(&parent->ready)) != NULL) {
        takt_resource_t *obstacle = takt_obstacle_ceiling(best, TAKT_BARS_RUNS);
        if (obstacle == NULL) {
            obstacle = takt_obstacle_to(best);
        }
        if (obstacle != NULL) {
            takt_entity_t *other = stand_in(best, obstacle, now);
            if (other != NULL || takt_entity_is_server(obstacle->holder)) {
                return other;
            }
        } else if (takt_obstacle_is_budget(best)) {
            dispatcher_of(best)->blocked_removals++;
            takt_hierarchy_await_budget(best, now);
        } else {
            return best;
        }
    }
    return NULL;
}
