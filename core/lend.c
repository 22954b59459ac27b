/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Choices of lend.h. */
#include "core/lend.h"

#include "core/circles.h"
#include "core/hierarchy.h"
#include "core/obstacle.h"
#include "core/park.h"
#include "core/waiting.h"

/* Whether `entity` is not ready, and not because of a resource. */
static bool is_away(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_waiting_wait_of(entity);
    return !takt_entity_is_ready(entity) && (wait == NULL || wait->parked_at == NULL);
}

/* Who runs instead of one that `obstacle` blocks: who holds it, or who blocks that one, and so on; NULL if that
 * is a circle, a server without budget, or a thread that is not ready. */
static takt_entity_t *end_of_chain(takt_resource_t *obstacle) {
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
    takt_server_t *root = entity->home;
    while (!takt_server_is_root(root)) {
        root = takt_server_parent(root);
    }
    return TAKT_CONTAINER_OF(root, takt_dispatcher_t, root);
}

/* `entity`, which `obstacle` blocks, cannot go on, and nobody may run instead of it, nor do those between. Whom only
 * a ceiling keeps from running goes on once the holder does not. */
static void take_out(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    const bool is_barred = obstacle != takt_obstacle_to(entity) && takt_entity_is_ready(obstacle->holder);
    dispatcher_of(entity)->taken_out++;
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

/* Reports a circle that nobody closed by a lock: levels have changed. Returns whether there was one. */
static bool finds_deadlock(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = takt_circles_behind(entity);
    if (member != NULL) {
        takt_circles_report(dispatcher_of(entity), member, now);
    }
    return member != NULL;
}

/* Who runs instead of `entity`, the best of its home; NULL if that is nobody, and `entity` may not be the best any
 * more. */
static takt_entity_t *stand_in(takt_entity_t *entity, takt_resource_t *obstacle, takt_instant_t now) {
    takt_entity_t *other = NULL;
    if (obstacle->kind->lends && !finds_deadlock(entity, now)) {
        other = end_of_chain(obstacle);
    }
    if (other == NULL && !takt_entity_is_server(obstacle->holder) && takt_entity_is_ready(entity)) {
        take_out(entity, obstacle, now);
    }
    return other;
}

takt_entity_t *takt_lend_choose(takt_server_t *home, takt_instant_t now) {
    takt_entity_t *best;
    while ((best = takt_ready_best(&home->ready)) != NULL) {
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
            dispatcher_of(best)->taken_out++;
            takt_hierarchy_await_budget(best, now);
        } else {
            return best;
        }
    }
    return NULL;
}
