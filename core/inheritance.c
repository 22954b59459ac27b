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

/* ---- the key of a holder ---------------------------------------------------------------------------- */

/* True if `entity` stands in the chain of holders that blocks `other` and runs in its place. */
static bool is_in_chain_of(const takt_entity_t *entity, takt_entity_t *other) {
    while (other != entity && !takt_entity_is_server(other) && takt_waiting_deadlock_of(other) == NULL) {
        const takt_resource_t *blocker = takt_blocker_of(other);
        if (blocker == NULL || !blocker->kind->lends) {
            return false;
        }
        other = blocker->holder;
    }
    return other == entity;
}

/* Returns the first entity that inherits to the holder of `held`: in its list, or in those of resources that the same
 * entity locked before. */
static takt_entity_t *first_blocked_at(const takt_resource_t *held) {
    while (held != NULL && (held->blocked == NULL || !held->kind->lends)) {
        held = held->outer;
    }
    return held != NULL ? held->blocked : NULL;
}

/* Walks over all that wait outside the ready set for `top`, or for others that do: returns the one after `entity`, NULL at
 * the end. An entity waits in one list only, so these lists are a tree. */
static takt_entity_t *next_blocked_by(const takt_entity_t *top, takt_entity_t *entity) {
    takt_entity_t *below = first_blocked_at(*takt_waiting_held_by(entity));
    while (below == NULL && entity != top) {
        const takt_resource_t *resource = takt_waiting_wait_of(entity)->blocked_at;
        below = entity->next != resource->blocked ? entity->next : first_blocked_at(resource->outer);
        entity = resource->holder;
    }
    return below;
}

static takt_key_t key_of_blocked(takt_entity_t *entity) {
    takt_key_t key = entity->key;
    if (!takt_entity_is_locking(entity) || takt_waiting_deadlock_of(entity) != NULL) {
        return key;
    }
    for (takt_entity_t *other = entity; other != NULL; other = next_blocked_by(entity, other)) {
        key = takt_least_of(key, other->key);
    }
    return key;
}

takt_key_t takt_inheritance_key(takt_entity_t *entity) {
    const takt_levels_t *levels = &entity->parent->ready.levels;
    const takt_key_t key = key_of_blocked(entity);
    takt_entity_t *other = takt_levels_is_empty(levels) ? NULL : takt_levels_best(levels, levels->depth);
    while (other != NULL && other->key < key) {
        if (takt_entity_is_locking(other) && is_in_chain_of(entity, other)) {
            return other->key;
        }
        other = takt_levels_after(levels, other, levels->depth);
    }
    return key;
}
