/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Random task sets for C tests: servers of every kind to any depth, every policy at every level, limited jobs,
 * sections under every protocol. */
#ifndef TAKT_TESTS_RANDOM_SYSTEM_H
#define TAKT_TESTS_RANDOM_SYSTEM_H

#include "policy/table.h"
#include "sim/system.h"

#include "check.h"

enum { RANDOM_TASKS = 8, RANDOM_SERVERS = 4, RANDOM_LEVELS = 4, RANDOM_RESOURCES = 3, RANDOM_ITEMS = 7 };

typedef struct random_system {
    takt_task_spec_t tasks[RANDOM_TASKS];
    takt_server_spec_t servers[RANDOM_SERVERS];
    takt_resource_spec_t resources[RANDOM_RESOURCES];
    takt_item_t bodies[RANDOM_TASKS][RANDOM_ITEMS];
    takt_system_spec_t spec;
} random_system_t;

static inline const takt_policy_t *random_policy(void) {
    return takt_policies[check_below(takt_policy_count)];
}

static inline const takt_policy_t *random_policy_at(const random_system_t *system, int32_t server) {
    return server == TAKT_ROOT ? system->spec.policy : system->servers[server].policy;
}

/* A kind that wants deadlines stands under edf only. */
static inline const takt_server_kind_t *random_kind(const takt_policy_t *order) {
    const takt_server_kind_t *kind = takt_server_kinds[check_below(takt_server_kind_count)];
    return kind->wants_deadline && order != &takt_policy_edf ? random_kind(order) : kind;
}

/* A server's parent is the root or an earlier server. */
static inline takt_server_spec_t random_server(const random_system_t *system, uint32_t index) {
    const takt_duration_t period = 2 + check_below(30);
    const int32_t parent = (int32_t)check_below(1 + index) - 1;
    return (takt_server_spec_t){
        .kind = random_kind(random_policy_at(system, parent)),
        .policy = random_policy(),
        .period = period,
        .capacity = 1 + check_below(period),
        .offset = check_below(20),
        .level = 1 + (uint32_t)check_below(RANDOM_LEVELS),
        .parent = parent,
        .levels = RANDOM_LEVELS,
        .time_rows = 1 + (uint32_t)check_below(16),
    };
}

static inline takt_task_spec_t random_task(uint32_t servers) {
    const takt_duration_t period = 2 + check_below(40);
    return (takt_task_spec_t){
        .period = period,
        .relative_deadline = 1 + check_below(2 * period),
        .offset = check_below(30),
        .wcet = 1 + check_below(1 + period / 2),
        .demand = 1 + check_below(1 + period / 3),
        .level = 1 + (uint32_t)check_below(RANDOM_LEVELS),
        .server = (int32_t)check_below(1 + servers) - 1,
        .is_limited = check_below(4) == 0,
        .task_class = (takt_task_class_t)check_below(3),
    };
}

/* pcp and srp are the protocol of all resources of a system or of none. */
static inline takt_protocol_t random_protocol(takt_protocol_t only) {
    static const takt_protocol_t others[] = {TAKT_PROTOCOL_NONE, TAKT_PROTOCOL_NPCS, TAKT_PROTOCOL_PIP,
                                             TAKT_PROTOCOL_ICPP};
    return only != TAKT_PROTOCOL_NONE ? only : others[check_below(4)];
}

static inline takt_resource_spec_t random_resource(const random_system_t *system, takt_protocol_t only) {
    const int32_t parent = (int32_t)check_below(1 + system->spec.server_count) - 1;
    const bool has_levels = random_policy_at(system, parent)->level != NULL;
    return (takt_resource_spec_t){
        .protocol = has_levels ? random_protocol(only) : TAKT_PROTOCOL_PIP,
        .ceiling = TAKT_KEY_LEAST_URGENT,
        .server = parent,
    };
}

/* Begins a section of resource `number`, or nothing if that is for others. */
static inline void random_lock(random_system_t *system, uint32_t task, uint32_t number) {
    takt_task_spec_t *user = &system->tasks[task];
    takt_resource_spec_t *resource = &system->resources[number];
    const takt_policy_t *policy = random_policy_at(system, user->server);
    const takt_job_t job = {
        .level = user->level, .period = user->period, .deadline = user->relative_deadline};
    if (resource->server != user->server || check_below(2) == 0) {
        return;
    }
    if (policy->level != NULL && policy->level(&job) < resource->ceiling) {
        resource->ceiling = policy->level(&job);
    }
    user->locks = true;
    system->bodies[task][user->body_count++] = (takt_item_t){TAKT_ITEM_LOCK, number};
    system->bodies[task][user->body_count++] = (takt_item_t){TAKT_ITEM_RUN, 1 + check_below(3)};
}

/* Locks some resources one inside the other, and unlocks them again unless the demand ends before; or is plain. */
static inline void random_body(random_system_t *system, uint32_t task) {
    takt_task_spec_t *user = &system->tasks[task];
    takt_item_t *body = system->bodies[task];
    const uint32_t first = (uint32_t)check_below(RANDOM_RESOURCES);
    body[user->body_count++] = (takt_item_t){TAKT_ITEM_RUN, 1 + check_below(2)};
    for (uint32_t i = 0; i < system->spec.resource_count && i < 2; i++) {
        random_lock(system, task, (first + i) % system->spec.resource_count);
    }
    for (uint32_t i = user->body_count; i > 0; i--) {
        if (body[i - 1].kind == TAKT_ITEM_LOCK) {
            body[user->body_count++] = (takt_item_t){TAKT_ITEM_UNLOCK, body[i - 1].ticks};
        }
    }
    user->body = user->locks ? body : NULL;
    user->body_count = user->locks ? user->body_count : 0;
}

static inline void random_resources(random_system_t *system) {
    static const takt_protocol_t onlys[] = {TAKT_PROTOCOL_NONE, TAKT_PROTOCOL_PCP, TAKT_PROTOCOL_SRP};
    const takt_protocol_t only = onlys[check_below(3)];
    for (uint32_t i = 0; i < system->spec.resource_count; i++) {
        system->resources[i] = random_resource(system, only);
    }
    for (uint32_t i = 0; i < system->spec.task_count; i++) {
        random_body(system, i);
    }
}

/* The spec points into `system`. */
static inline void random_system_make(random_system_t *system) {
    system->spec = (takt_system_spec_t){
        .policy = random_policy(),
        .levels = RANDOM_LEVELS,
        .time_rows = 1 + (uint32_t)check_below(16),
        .servers = system->servers,
        .server_count = (uint32_t)check_below(1 + RANDOM_SERVERS),
        .tasks = system->tasks,
        .task_count = 1 + (uint32_t)check_below(RANDOM_TASKS),
        .resources = system->resources,
        .resource_count = (uint32_t)check_below(1 + RANDOM_RESOURCES),
    };
    for (uint32_t i = 0; i < system->spec.server_count; i++) {
        system->servers[i] = random_server(system, i);
    }
    for (uint32_t i = 0; i < system->spec.task_count; i++) {
        system->tasks[i] = random_task(system->spec.server_count);
    }
    random_resources(system);
}

#endif
