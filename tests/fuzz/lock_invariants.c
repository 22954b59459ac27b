/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The checks of lock_invariants.h: every answer by a scan of all resources, tasks and threads. */
#include "tests/fuzz/lock_invariants.h"

#include "tests/fuzz/input.h"

/* ---- jobs and plain threads ------------------------------------------------------------------------ */

static const takt_lock_wait_t nothing;

/* What it waits for; of one that never does, nothing. */
static const takt_lock_wait_t *wait_of(takt_entity_t *entity) {
    if (takt_entity_is_thread(entity)) {
        const takt_lock_wait_t *wait = takt_plain_of(entity)->wait;
        return wait != NULL ? wait : &nothing;
    }
    return entity->task != NULL && entity->task->extension != NULL ? &entity->task->extension->wait
                                                                   : &nothing;
}

takt_resource_t *last_locked_by(takt_entity_t *entity) {
    if (takt_entity_is_thread(entity)) {
        return takt_plain_of(entity)->held;
    }
    return entity->task != NULL && entity->task->extension != NULL ? entity->task->extension->held : NULL;
}

takt_resource_t *wanted_by(takt_entity_t *entity) { return wait_of(entity)->wanted; }

takt_resource_t *place_of(takt_entity_t *entity) { return wait_of(entity)->blocked_at; }

takt_key_t level_of(takt_entity_t *entity) {
    const takt_policy_t *policy = entity->parent->policy;
    if (takt_entity_is_server(entity)) {
        return policy->level(&takt_server_of(entity)->job);
    }
    return entity->task != NULL ? policy->level(&entity->task->job) : takt_plain_level(takt_plain_of(entity));
}

static uint32_t entity_count(const takt_system_t *system) {
    return system->server_count + system->task_count + system->thread_count;
}

/* ---- what blocks what ------------------------------------------------------------------------------- */

/* What another one than `entity` holds under `protocol`. Under srp a holder that is not ready bars no job. */
static bool counts(const takt_resource_t *resource, const takt_entity_t *entity, takt_protocol_t protocol) {
    const bool is_asked = resource->holder != entity && resource->protocol == (uint32_t)protocol;
    return is_asked && (protocol != TAKT_PROTOCOL_SRP || takt_entity_is_ready(resource->holder));
}

/* What others in the parent of `entity` hold under `protocol` with the highest ceiling, of several the last one locked. */
static takt_resource_t *highest_of_others(const takt_entity_t *entity, takt_protocol_t protocol) {
    takt_resource_t *highest = NULL;
    for (takt_resource_t *locked = entity->parent->locked; locked != NULL; locked = locked->below) {
        if (counts(locked, entity, protocol) && (highest == NULL || locked->ceiling < highest->ceiling)) {
            highest = locked;
        }
    }
    return highest;
}

static takt_resource_t *ceiling_over(takt_entity_t *entity, takt_protocol_t protocol) {
    takt_resource_t *highest = highest_of_others(entity, protocol);
    return highest != NULL && level_of(entity) >= highest->ceiling ? highest : NULL;
}

/* What keeps `entity` from what it wants; NULL: nothing. */
static takt_resource_t *blocker_of(takt_entity_t *entity) {
    takt_resource_t *wanted = wanted_by(entity);
    takt_resource_t *ceiling = NULL;
    if (wanted != NULL && wanted->protocol == TAKT_PROTOCOL_PCP) {
        ceiling = ceiling_over(entity, TAKT_PROTOCOL_PCP);
    }
    if (ceiling != NULL || wanted == NULL) {
        return ceiling;
    }
    return wanted->holder != NULL ? wanted : NULL;
}

static takt_entity_t *next_in_chain(takt_entity_t *entity) {
    const takt_resource_t *blocker = blocker_of(entity);
    return blocker != NULL ? blocker->holder : NULL;
}

/* Whether `entity` waits for something that is no resource. */
static bool is_away(takt_entity_t *entity) {
    return !takt_entity_is_ready(entity) && place_of(entity) == NULL;
}

takt_entity_t *end_of_chain(takt_system_t *system, takt_entity_t *entity) {
    const takt_resource_t *ceiling = ceiling_over(entity, TAKT_PROTOCOL_SRP);
    takt_entity_t *next = ceiling != NULL ? ceiling->holder : next_in_chain(entity);
    for (uint32_t i = 0; next != NULL && i <= entity_count(system); i++) {
        entity = next;
        next = is_away(entity) ? NULL : next_in_chain(entity);
    }
    return next == NULL && takt_entity_is_ready(entity) ? entity : NULL;
}

bool is_in_a_cycle(takt_system_t *system, takt_entity_t *entity) {
    takt_entity_t *next = next_in_chain(entity);
    for (uint32_t i = 0; next != NULL && next != entity && i <= entity_count(system); i++) {
        next = next_in_chain(next);
    }
    return next == entity;
}

takt_key_t key_of_holder(takt_entity_t *entity, takt_key_t own) {
    for (const takt_resource_t *held = last_locked_by(entity); held != NULL; held = held->outer) {
        const bool is_boosted = held->protocol == TAKT_PROTOCOL_ICPP || held->protocol == TAKT_PROTOCOL_NPCS;
        HOLDS(is_boosted || held->boost == TAKT_KEY_OF_NOTHING);
        HOLDS(held->protocol != TAKT_PROTOCOL_NPCS || held->boost == TAKT_KEY_MOST_URGENT);
        own = held->boost < own ? held->boost : own;
    }
    return own;
}

/* ---- lists ----------------------------------------------------------------------------------------- */

static uint32_t held_in(const takt_system_t *system, const takt_server_t *parent) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < system->resource_count; i++) {
        const takt_resource_t *resource = &system->resources[i];
        HOLDS(resource->holder == NULL || resource->holder->parent == system->resource_parents[i]);
        count += resource->holder != NULL && resource->holder->parent == parent;
    }
    return count;
}

/* The list of `parent` has what its jobs hold, each once. */
static void check_locked(const takt_system_t *system, const takt_server_t *parent) {
    uint32_t left = held_in(system, parent);
    for (const takt_resource_t *locked = parent->locked; locked != NULL; locked = locked->below) {
        HOLDS(left > 0 && locked->holder != NULL && locked->holder->parent == parent);
        left--;
    }
    HOLDS(left == 0);
}

static uint32_t held_by(const takt_system_t *system, const takt_entity_t *entity) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < system->resource_count; i++) {
        count += system->resources[i].holder == entity;
    }
    return count;
}

static bool stands_below(const takt_resource_t *upper, const takt_resource_t *lower) {
    while (upper != NULL && upper != lower) {
        upper = upper->below;
    }
    return upper != NULL;
}

/* The list of one that locks has what it holds, in the order of its dispatcher. */
static void check_held(const takt_system_t *system, takt_entity_t *entity) {
    uint32_t left = held_by(system, entity);
    const takt_resource_t *held = last_locked_by(entity);
    for (; held != NULL; held = held->outer) {
        HOLDS(left > 0 && held->holder == entity);
        HOLDS(held->outer == NULL || stands_below(held->below, held->outer));
        left--;
    }
    HOLDS(left == 0);
}

static uint32_t blocked_at(takt_system_t *system, const takt_resource_t *resource) {
    uint32_t count = 0;
    for (uint32_t id = 1; id <= entity_count(system); id++) {
        count += place_of(takt_system_entity(system, id)) == resource;
    }
    return count;
}

static void check_blocked(takt_system_t *system, const takt_resource_t *resource) {
    takt_entity_t *entity = resource->blocked;
    uint32_t left = blocked_at(system, resource);
    HOLDS(entity == NULL || resource->holder != NULL);
    while (left > 0) {
        HOLDS(entity != NULL && place_of(entity) == resource);
        HOLDS(entity->next->prev == entity && entity->prev->next == entity);
        left--;
        entity = entity->next;
    }
    HOLDS(entity == resource->blocked);
}

/* ---- what waits ------------------------------------------------------------------------------------- */

/* A thread of a cycle may be stopped. Once it is woken, it competes until the next decision, and its waiters too,
 * also if it is stopped again before. */
static void check_cycle(takt_system_t *system, takt_entity_t *entity, bool have_levels_changed) {
    const takt_resource_t *cycle = wait_of(entity)->deadlock;
    if (cycle != NULL && !takt_entity_is_thread(entity) && !takt_entity_is_thread(cycle->holder)) {
        HOLDS(place_of(entity) != NULL || takt_entity_is_ready(cycle->holder));
    }
    if (!have_levels_changed) {
        HOLDS((cycle != NULL) == is_in_a_cycle(system, entity));
        HOLDS(cycle == NULL || cycle == blocker_of(entity));
    }
}

/* A blocked entity waits for something that lends it no urgency, or for one that is not ready. A job that waits for a
 * resource waits for nothing else. */
static void check_waiting(takt_entity_t *entity) {
    const takt_resource_t *place = place_of(entity);
    HOLDS(place == NULL || !takt_entity_is_ready(entity));
    HOLDS(place != NULL || takt_entity_is_ready(entity) || takt_entity_is_thread(entity) ||
          wanted_by(entity) == NULL);
    HOLDS(place == NULL || wanted_by(entity) != NULL);
    HOLDS(place == NULL || place->protocol == TAKT_PROTOCOL_NONE || !takt_entity_is_ready(place->holder));
}

static void check_entity(takt_system_t *system, takt_entity_t *entity, bool have_levels_changed) {
    HOLDS(takt_entity_is_locking(entity) == is_locking(entity));
    check_held(system, entity);
    check_cycle(system, entity, have_levels_changed);
    if (is_locking(entity)) {
        check_waiting(entity);
    } else {
        HOLDS(place_of(entity) == NULL);
    }
}

void check_locks(takt_system_t *system, bool have_levels_changed) {
    check_locked(system, &system->dispatcher->root);
    for (uint32_t i = 0; i < system->server_count; i++) {
        check_locked(system, &system->servers[i]);
    }
    for (uint32_t i = 0; i < system->resource_count; i++) {
        check_blocked(system, &system->resources[i]);
    }
    for (uint32_t id = 1 + system->server_count; id <= entity_count(system); id++) {
        check_entity(system, takt_system_entity(system, id), have_levels_changed);
    }
}
