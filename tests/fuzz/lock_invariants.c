/* The checks of lock_invariants.h: every answer by a scan of all resources and all tasks. */
#include "tests/fuzz/lock_invariants.h"

#include "tests/fuzz/input.h"

/* ---- who blocks whom ------------------------------------------------------------------------------- */

static takt_key_t level_of(takt_entity_t *entity) {
    const takt_policy_t *policy = entity->home->policy;
    if (takt_entity_is_server(entity)) {
        return policy->level(&takt_server_of(entity)->job);
    }
    return entity->task != NULL ? policy->level(&entity->task->job) : entity->key;
}

/* What others in the home of `entity` hold under `protocol` with the highest ceiling. */
static takt_resource_t *highest_of_others(takt_system_t *system, const takt_entity_t *entity,
                                          takt_protocol_t protocol) {
    takt_resource_t *highest = NULL;
    for (uint32_t i = 0; i < system->resource_count; i++) {
        takt_resource_t *resource = &system->resources[i];
        const bool is_held = resource->holder != NULL && resource->holder != entity;
        const bool counts =
            is_held && resource->protocol == (uint32_t)protocol && system->resource_homes[i] == entity->home;
        if (counts && (highest == NULL || resource->ceiling < highest->ceiling)) {
            highest = resource;
        }
    }
    return highest;
}

static takt_resource_t *ceiling_over(takt_system_t *system, takt_entity_t *entity, takt_protocol_t protocol) {
    takt_resource_t *highest = highest_of_others(system, entity, protocol);
    return highest != NULL && level_of(entity) >= highest->ceiling ? highest : NULL;
}

static takt_resource_t *wanted_by(const takt_entity_t *entity) {
    return is_locking(entity) ? entity->task->extension->wait.wanted : NULL;
}

/* What keeps `entity` from what it wants; NULL: nothing. */
static takt_resource_t *obstacle_to(takt_system_t *system, takt_entity_t *entity) {
    takt_resource_t *wanted = wanted_by(entity);
    takt_resource_t *ceiling = NULL;
    if (wanted != NULL && wanted->protocol == TAKT_PROTOCOL_PCP) {
        ceiling = ceiling_over(system, entity, TAKT_PROTOCOL_PCP);
    }
    if (ceiling != NULL || wanted == NULL) {
        return ceiling;
    }
    return wanted->holder != NULL ? wanted : NULL;
}

static takt_entity_t *blocker_of(takt_system_t *system, takt_entity_t *entity) {
    const takt_resource_t *obstacle = obstacle_to(system, entity);
    return obstacle != NULL ? obstacle->holder : NULL;
}

takt_entity_t *end_of_chain(takt_system_t *system, takt_entity_t *entity) {
    const takt_resource_t *ceiling = ceiling_over(system, entity, TAKT_PROTOCOL_SRP);
    takt_entity_t *next = ceiling != NULL ? ceiling->holder : blocker_of(system, entity);
    for (uint32_t i = 0; next != NULL && i <= system->task_count; i++) {
        entity = next;
        next = blocker_of(system, entity);
    }
    return next == NULL ? entity : NULL;
}

bool is_in_a_circle(takt_system_t *system, takt_entity_t *entity) {
    takt_entity_t *next = blocker_of(system, entity);
    for (uint32_t i = 0; next != NULL && next != entity && i <= system->task_count; i++) {
        next = blocker_of(system, next);
    }
    return next == entity;
}

void check_may_run(takt_system_t *system, takt_entity_t *entity) {
    const takt_resource_t *ceiling = ceiling_over(system, entity, TAKT_PROTOCOL_SRP);
    const takt_resource_t *held = is_locking(entity) ? entity->task->extension->held : NULL;
    bool holds_a_higher_one = false;
    for (; held != NULL && ceiling != NULL; held = held->outer) {
        holds_a_higher_one |= held->protocol == TAKT_PROTOCOL_SRP && held->ceiling < ceiling->ceiling;
    }
    HOLDS(ceiling == NULL || holds_a_higher_one);
}

takt_key_t key_of_holder(const takt_entity_t *entity, takt_key_t own) {
    const takt_resource_t *held = is_locking(entity) ? entity->task->extension->held : NULL;
    for (; held != NULL; held = held->outer) {
        const bool is_boosted = held->protocol == TAKT_PROTOCOL_ICPP || held->protocol == TAKT_PROTOCOL_NPCS;
        HOLDS(is_boosted || held->boost == TAKT_KEY_LEAST_URGENT);
        HOLDS(held->protocol != TAKT_PROTOCOL_NPCS || held->boost == TAKT_KEY_MOST_URGENT);
        own = held->boost < own ? held->boost : own;
    }
    return own;
}

/* ---- lists ----------------------------------------------------------------------------------------- */

static uint32_t held_in(const takt_system_t *system, const takt_server_t *home) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < system->resource_count; i++) {
        const takt_resource_t *resource = &system->resources[i];
        HOLDS(resource->holder == NULL || resource->holder->home == system->resource_homes[i]);
        count += resource->holder != NULL && resource->holder->home == home;
    }
    return count;
}

/* The list of `home` has what its jobs hold, each once. */
static void check_locked(const takt_system_t *system, const takt_server_t *home) {
    uint32_t left = held_in(system, home);
    for (const takt_resource_t *locked = home->locked; locked != NULL; locked = locked->below) {
        HOLDS(left > 0 && locked->holder != NULL && locked->holder->home == home);
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

/* The list of a job has what it holds, in the order of its dispatcher. */
static void check_held(const takt_system_t *system, const takt_entity_t *entity) {
    uint32_t left = held_by(system, entity);
    const takt_resource_t *held = entity->task->extension->held;
    for (; held != NULL; held = held->outer) {
        HOLDS(left > 0 && held->holder == entity);
        HOLDS(held->outer == NULL || stands_below(held->below, held->outer));
        left--;
    }
    HOLDS(left == 0);
}

static uint32_t parked_at(const takt_system_t *system, const takt_resource_t *resource) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < system->task_count; i++) {
        const takt_task_extension_t *extension = system->tasks[i].extension;
        count += extension != NULL && extension->wait.parked_at == resource;
    }
    return count;
}

static void check_parked(const takt_system_t *system, const takt_resource_t *resource) {
    const takt_entity_t *entity = resource->parked;
    uint32_t left = parked_at(system, resource);
    HOLDS(entity == NULL || resource->holder != NULL);
    while (left > 0) {
        HOLDS(entity != NULL && entity->task->extension->wait.parked_at == resource);
        HOLDS(entity->next->prev == entity && entity->prev->next == entity);
        left--;
        entity = entity->next;
    }
    HOLDS(entity == resource->parked);
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

/* A parked job waits for something that nobody lends it urgency for, or for one that is not ready. */
static void check_waiting(takt_system_t *system, takt_entity_t *entity) {
    const takt_task_extension_t *extension = entity->task->extension;
    const takt_resource_t *parked = extension->wait.parked_at;
    HOLDS(takt_entity_is_ready(entity) == (parked == NULL));
    HOLDS(parked == NULL || extension->wait.wanted != NULL);
    HOLDS(parked == NULL || parked->protocol == TAKT_PROTOCOL_NONE || !takt_entity_is_ready(parked->holder));
    HOLDS((extension->wait.circle != NULL) == is_in_a_circle(system, entity));
    HOLDS(extension->wait.circle == NULL ||
          (parked != NULL && extension->wait.circle == obstacle_to(system, entity)));
}

static void check_task(takt_system_t *system, const takt_task_t *task) {
    const bool is_marked = takt_entity_is_locking(task->entity);
    HOLDS(is_marked == is_locking(task->entity));
    if (task->extension == NULL) {
        return;
    }
    check_held(system, task->entity);
    HOLDS(is_marked || (task->extension->wait.parked_at == NULL && task->extension->wait.circle == NULL));
    if (is_marked) {
        check_waiting(system, task->entity);
    }
}

void check_locks(takt_system_t *system) {
    check_locked(system, &system->dispatcher->root);
    for (uint32_t i = 0; i < system->server_count; i++) {
        check_locked(system, &system->servers[i]);
    }
    for (uint32_t i = 0; i < system->resource_count; i++) {
        check_parked(system, &system->resources[i]);
    }
    for (uint32_t i = 0; i < system->task_count; i++) {
        check_task(system, &system->tasks[i]);
    }
}
