/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Choices of inheritance.h. */
#include "core/inheritance.h"

#include "core/deadlock.h"
#include "core/hierarchy.h"
#include "core/blocker.h"
#include "core/blocked.h"
#include "core/waiting.h"

/* True if `entity` is not ready for a reason other than a resource. */
static bool is_away(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_waiting_wait_of(entity);
    return !takt_entity_is_ready(entity) && (wait == NULL || wait->blocked_at == NULL);
}

takt_entity_t *takt_inheritance_end_of_chain(takt_resource_t *blocker) {
    takt_entity_t *entity = blocker->holder;
    if (takt_entity_is_server(entity)) {
        return takt_entity_is_ready(entity) ? entity : NULL;
    }
    while (takt_waiting_deadlock_of(entity) == NULL && !is_away(entity)) {
        blocker = takt_blocker_of(entity);
        if (blocker == NULL) {
            return takt_entity_is_ready(entity) ? entity : NULL;
        }
        entity = blocker->holder;
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

/* Removes from the ready set `entity`, which `blocker` blocks and no entity can run for, and the holders between. One
 * that only a ceiling bars from running stays: it continues once the holder is not ready. */
static void remove_blocked(takt_entity_t *entity, takt_resource_t *blocker, takt_instant_t now) {
    const bool is_barred = blocker != takt_blocker_of(entity) && takt_entity_is_ready(blocker->holder);
    dispatcher_of(entity)->blocked_removals++;
    if (!is_barred) {
        takt_blocked_add(entity, blocker, now);
    }
    if (!blocker->kind->lends) {
        return;
    }
    for (entity = blocker->holder; takt_entity_is_ready(entity); entity = blocker->holder) {
        blocker = takt_blocker_of(entity);
        takt_blocked_add(entity, blocker, now);
    }
}

/* Reports a cycle that a change of levels has closed, not a lock. Returns whether there was one. */
static bool finds_deadlock(takt_entity_t *entity, takt_instant_t now) {
    takt_entity_t *member = takt_deadlock_behind(entity);
    if (member != NULL) {
        takt_deadlock_report(dispatcher_of(entity), member, now);
    }
    return member != NULL;
}

/* Returns the entity that runs instead of `entity`, the most urgent child of its parent. NULL if there is none; then
 * `entity` may have left the ready set. */
static takt_entity_t *stand_in(takt_entity_t *entity, takt_resource_t *blocker, takt_instant_t now) {
    takt_entity_t *other = NULL;
    if (blocker->kind->lends && !finds_deadlock(entity, now)) {
        other = takt_inheritance_end_of_chain(blocker);
    }
    if (other == NULL && !takt_entity_is_server(blocker->holder) && takt_entity_is_ready(entity)) {
        remove_blocked(entity, blocker, now);
    }
    return other;
}

takt_entity_t *takt_inheritance_choose(takt_server_t *parent, takt_instant_t now) {
    takt_entity_t *best;
    while ((best = takt_ready_best(&parent->ready)) != NULL) {
        takt_resource_t *blocker = takt_blocker_ceiling(best, TAKT_BARS_RUNS);
        if (blocker == NULL) {
            blocker = takt_blocker_of(best);
        }
        if (blocker != NULL) {
            takt_entity_t *other = stand_in(best, blocker, now);
            if (other != NULL || takt_entity_is_server(blocker->holder)) {
                return other;
            }
        } else if (takt_blocker_is_budget(best)) {
            dispatcher_of(best)->blocked_removals++;
            takt_hierarchy_await_budget(best, now);
        } else {
            return best;
        }
    }
    return NULL;
}
