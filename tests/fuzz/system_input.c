/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads a system; see system_input.h. */
#include "tests/fuzz/system_input.h"

#include "policy/table.h"

enum { FEW_LEVELS = 4, MANY_LEVELS = 40, TIME_ROWS_LIMIT = 17 };

static const takt_policy_t *read_policy(input_t *input) {
    return takt_policies[input_below(input, (uint32_t)takt_policy_count)];
}

/* A kind that wants deadlines stands under edf only. */
static const takt_server_kind_t *read_kind(input_t *input, const takt_policy_t *order) {
    const takt_server_kind_t *kind = takt_server_kinds[input_below(input, (uint32_t)takt_server_kind_count)];
    return kind->wants_deadline && order != &takt_policy_edf ? &takt_server_deferrable : kind;
}

/* Enough for a bitmap of one row, or of two. */
static uint32_t read_levels(input_t *input) { return input_below(input, 4) == 0 ? MANY_LEVELS : FEW_LEVELS; }

static uint32_t levels_at(const takt_system_spec_t *spec, int32_t server) {
    return server == TAKT_ROOT ? spec->levels : spec->servers[server].levels;
}

static uint32_t read_level(input_t *input, const takt_system_spec_t *spec, int32_t parent) {
    return 1u + input_below(input, levels_at(spec, parent));
}

/* Servers stand behind their parents, or all in front of them. */
static int32_t read_parent(input_t *input, uint32_t index, uint32_t count, bool is_reversed) {
    if (is_reversed) {
        const uint32_t parent = index + 1u + input_below(input, count - index);
        return parent < count ? (int32_t)parent : TAKT_ROOT;
    }
    return (int32_t)input_below(input, index + 1u) - 1;
}

static const takt_policy_t *policy_at(const takt_system_spec_t *spec, int32_t server) {
    return server == TAKT_ROOT ? spec->policy : spec->servers[server].policy;
}

static void read_servers(fuzz_system_t *system, input_t *input) {
    const bool is_reversed = input_below(input, 2) != 0;
    const uint32_t count = system->spec.server_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t period = 1u + input_below(input, 64);
        system->servers[i] = (takt_server_spec_t){
            .policy = read_policy(input),
            .period = (uint64_t)period << system->scale,
            .capacity = (uint64_t)(1u + input_below(input, period)) << system->scale,
            .offset = (uint64_t)input_below(input, 32) << system->scale,
            .parent = read_parent(input, i, count, is_reversed),
            .levels = read_levels(input),
            .time_rows = input_below(input, TIME_ROWS_LIMIT),
        };
    }
    for (uint32_t i = 0; i < count; i++) {
        takt_server_spec_t *server = &system->servers[i];
        server->level = read_level(input, &system->spec, server->parent);
        server->kind = read_kind(input, policy_at(&system->spec, server->parent));
    }
}

/* None, or a threshold in the policy's own measure: a level, or a time. */
static takt_key_t read_preemption_key(const fuzz_system_t *system, input_t *input, int32_t parent) {
    const takt_system_spec_t *spec = &system->spec;
    if (policy_at(spec, parent)->order == TAKT_ORDER_LEVELS) {
        return input_below(input, levels_at(spec, parent) + 1u);
    }
    return (uint64_t)input_below(input, 128) << system->scale;
}

static takt_task_spec_t read_task(const fuzz_system_t *system, input_t *input) {
    const uint32_t period = 1u + input_below(input, 64);
    const int32_t parent = (int32_t)input_below(input, system->spec.server_count + 1u) - 1;
    return (takt_task_spec_t){
        .period = (uint64_t)period << system->scale,
        .relative_deadline = (uint64_t)(1u + input_below(input, 128)) << system->scale,
        .offset = (uint64_t)input_below(input, 32) << system->scale,
        .wcet = (uint64_t)(1u + input_below(input, 32)) << system->scale,
        .demand = (uint64_t)(1u + input_below(input, 32)) << system->scale,
        .level = read_level(input, &system->spec, parent),
        .server = parent,
        .is_limited = input_below(input, 3) == 0,
        .preemption_key = read_preemption_key(system, input, parent),
        .task_class = (takt_task_class_t)input_below(input, 3),
        .on_miss = (takt_on_miss_t)input_below(input, 4),
        .is_external = input_below(input, 3) == 0,
        .suspends = input_below(input, 3) == 0,
        .locks = input_below(input, 4) != 3,
        .jitter = (uint64_t)input_below(input, 16) << system->scale,
    };
}

/* ---- resources ----------------------------------------------------------------------------------- */

static bool has_ceiling(takt_protocol_t protocol) { return protocol >= TAKT_PROTOCOL_PCP; }

static bool stands_alone(takt_protocol_t protocol) {
    return protocol == TAKT_PROTOCOL_PCP || protocol == TAKT_PROTOCOL_SRP;
}

/* The first of the resources with the same parent, which may be `index` itself. */
static uint32_t first_beside(const fuzz_system_t *system, uint32_t index) {
    uint32_t first = 0;
    while (system->resources[first].server != system->resources[index].server) {
        first++;
    }
    return first;
}

/* What goes with the policy, and with the resources that are there already: else pip, or what these have. */
static takt_protocol_t read_protocol(const fuzz_system_t *system, input_t *input, uint32_t index) {
    const takt_policy_t *policy = policy_at(&system->spec, system->resources[index].server);
    const uint32_t first = first_beside(system, index);
    takt_protocol_t protocol = (takt_protocol_t)input_below(input, TAKT_PROTOCOL_GLOBAL_SRP);
    if (has_ceiling(protocol) && policy->level == NULL) {
        protocol = TAKT_PROTOCOL_PIP;
    }
    if (first == index) {
        return protocol;
    }
    const takt_protocol_t other = system->resources[first].protocol;
    if (stands_alone(other)) {
        return other;
    }
    return stands_alone(protocol) ? TAKT_PROTOCOL_PIP : protocol;
}

/* Tasks that lock, and threads, which stand at the root. */
static bool can_use(const fuzz_system_t *system, uint32_t user, int32_t parent) {
    if (user >= FUZZ_TASKS) {
        return user - FUZZ_TASKS < system->spec.thread_count && parent == TAKT_ROOT;
    }
    const takt_task_spec_t *task = &system->tasks[user];
    return user < system->spec.task_count && task->locks && task->server == parent;
}

static uint32_t read_users(const fuzz_system_t *system, input_t *input, int32_t parent) {
    const uint32_t wanted = ~(uint32_t)input_number(input, 2);
    uint32_t users = 0;
    for (uint32_t i = 0; i < FUZZ_TASKS + FUZZ_THREADS; i++) {
        users |= can_use(system, i, parent) ? wanted & UINT32_C(1) << i : 0u;
    }
    return users;
}

/* The level of a task or thread where `policy` orders. */
static takt_key_t level_of_user(const fuzz_system_t *system, uint32_t user, const takt_policy_t *policy) {
    if (user >= FUZZ_TASKS) {
        const takt_key_t level = system->threads[user - FUZZ_TASKS].level;
        return policy->order == TAKT_ORDER_LEVELS ? level : TAKT_KEY_LEAST_URGENT;
    }
    const takt_task_spec_t *task = &system->tasks[user];
    const takt_job_t job = {
        .level = task->level, .period = task->period, .deadline = task->relative_deadline};
    return policy->level(&job);
}

/* The highest level of the users. */
static takt_key_t ceiling_of(const fuzz_system_t *system, uint32_t resource) {
    const takt_policy_t *policy = policy_at(&system->spec, system->resources[resource].server);
    takt_key_t highest = TAKT_KEY_LEAST_URGENT;
    for (uint32_t i = 0; i < FUZZ_TASKS + FUZZ_THREADS && policy->level != NULL; i++) {
        const bool is_user = fuzz_system_may_lock(system, i, resource);
        const takt_key_t level = is_user ? level_of_user(system, i, policy) : TAKT_KEY_LEAST_URGENT;
        highest = level < highest ? level : highest;
    }
    return highest;
}

static void read_resources(fuzz_system_t *system, input_t *input) {
    for (uint32_t i = 0; i < system->spec.resource_count; i++) {
        takt_resource_spec_t *resource = &system->resources[i];
        resource->server = (int32_t)input_below(input, system->spec.server_count + 1u) - 1;
        resource->protocol = read_protocol(system, input, i);
        system->users[i] = read_users(system, input, resource->server);
        resource->ceiling = ceiling_of(system, i);
    }
}

/* ---- bodies -------------------------------------------------------------------------------------- */

/* One of those that task `index` may lock, `none` if it may lock no other. */
static uint32_t read_resource(const fuzz_system_t *system, input_t *input, uint32_t index, uint32_t none) {
    const uint32_t first = input_byte(input);
    for (uint32_t i = 0; i < FUZZ_RESOURCES; i++) {
        const uint32_t resource = (first + i) % FUZZ_RESOURCES;
        if (resource != none && fuzz_system_may_lock(system, index, resource)) {
            return resource;
        }
    }
    return none;
}

static takt_item_t read_run(const fuzz_system_t *system, input_t *input) {
    return (takt_item_t){TAKT_ITEM_RUN, (uint64_t)(1u + input_below(input, 8)) << system->scale};
}

/* Locks, runs, may do likewise with another resource inside, and unlocks. */
static uint32_t read_section(fuzz_system_t *system, input_t *input, uint32_t index, uint32_t outer) {
    takt_item_t *body = system->bodies[index];
    const uint32_t inner = read_resource(system, input, index, outer);
    uint32_t at = 1;
    body[at++] = (takt_item_t){TAKT_ITEM_LOCK, outer};
    body[at++] = read_run(system, input);
    if (inner != outer) {
        body[at++] = (takt_item_t){TAKT_ITEM_LOCK, inner};
        body[at++] = read_run(system, input);
        body[at++] = (takt_item_t){TAKT_ITEM_UNLOCK, inner};
    }
    body[at++] = (takt_item_t){TAKT_ITEM_UNLOCK, outer};
    return at;
}

static uint32_t read_item(fuzz_system_t *system, input_t *input, uint32_t index) {
    const bool suspends = system->tasks[index].suspends;
    const uint32_t kinds = suspends ? TAKT_ITEM_SUSPEND + 1u : TAKT_ITEM_OPTIONAL_POINT + 1u;
    takt_item_t *item = &system->bodies[index][1];
    *item = read_run(system, input);
    item->kind = (takt_item_kind_t)input_below(input, kinds);
    return 2;
}

/* Runs, then does what the task may do, then runs on. */
static void read_body(fuzz_system_t *system, uint32_t index, input_t *input) {
    takt_task_spec_t *task = &system->tasks[index];
    takt_item_t *body = system->bodies[index];
    const uint32_t resource = read_resource(system, input, index, FUZZ_RESOURCES);
    body[0] = read_run(system, input);
    const uint32_t count = resource != FUZZ_RESOURCES ? read_section(system, input, index, resource)
                                                      : read_item(system, input, index);
    body[count] = read_run(system, input);
    task->body = body;
    task->body_count = count + 1u;
}

void fuzz_system_read(fuzz_system_t *system, input_t *input, uint32_t scales) {
    system->scale = input_below(input, scales);
    system->spec = (takt_system_spec_t){
        .policy = read_policy(input),
        .levels = read_levels(input),
        .time_rows = input_below(input, TIME_ROWS_LIMIT),
        .servers = system->servers,
        .server_count = input_below(input, FUZZ_SERVERS + 1),
        .tasks = system->tasks,
        .task_count = 1u + input_below(input, FUZZ_TASKS),
        .threads = system->threads,
        .thread_count = input_below(input, FUZZ_THREADS + 1),
        .resources = system->resources,
        .resource_count = input_below(input, FUZZ_RESOURCES + 1),
    };
    read_servers(system, input);
    for (uint32_t i = 0; i < system->spec.task_count; i++) {
        system->tasks[i] = read_task(system, input);
    }
    for (uint32_t i = 0; i < system->spec.thread_count; i++) {
        system->threads[i].level = read_level(input, &system->spec, TAKT_ROOT);
    }
    read_resources(system, input);
    for (uint32_t i = 0; i < system->spec.task_count; i++) {
        if (input_below(input, 2) != 0) {
            read_body(system, i, input);
        }
    }
}
