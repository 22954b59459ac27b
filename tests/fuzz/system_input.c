/* Reads a system; see system_input.h. */
#include "tests/fuzz/system_input.h"

#include "policy/table.h"

enum { FEW_LEVELS = 4, MANY_LEVELS = 40, TIME_ROWS_LIMIT = 17 };

static const takt_policy_t *read_policy(input_t *input) {
    return takt_policies[input_below(input, (uint32_t)takt_policy_count)];
}

static const takt_server_kind_t *read_kind(input_t *input) {
    return takt_server_kinds[input_below(input, (uint32_t)takt_server_kind_count)];
}

/* Enough for a bitmap of one row, or of two. */
static uint32_t read_levels(input_t *input) { return input_below(input, 4) == 0 ? MANY_LEVELS : FEW_LEVELS; }

static uint32_t levels_at(const takt_system_spec_t *spec, int32_t server) {
    return server == TAKT_ROOT ? spec->levels : spec->servers[server].levels;
}

static uint32_t read_level(input_t *input, const takt_system_spec_t *spec, int32_t home) {
    return 1u + input_below(input, levels_at(spec, home));
}

/* Servers stand behind their parents, or all in front of them. */
static int32_t read_parent(input_t *input, uint32_t index, uint32_t count, bool is_reversed) {
    if (is_reversed) {
        const uint32_t parent = index + 1u + input_below(input, count - index);
        return parent < count ? (int32_t)parent : TAKT_ROOT;
    }
    return (int32_t)input_below(input, index + 1u) - 1;
}

static void read_servers(fuzz_system_t *system, input_t *input) {
    const bool is_reversed = input_below(input, 2) != 0;
    const uint32_t count = system->spec.server_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t period = 1u + input_below(input, 64);
        system->servers[i] = (takt_server_spec_t){
            .kind = read_kind(input),
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
        system->servers[i].level = read_level(input, &system->spec, system->servers[i].parent);
    }
}

static const takt_policy_t *policy_at(const takt_system_spec_t *spec, int32_t server) {
    return server == TAKT_ROOT ? spec->policy : spec->servers[server].policy;
}

/* Nobody, or a threshold in the policy's own measure: a level, or a time. */
static takt_key_t read_preemption_key(const fuzz_system_t *system, input_t *input, int32_t home) {
    const takt_system_spec_t *spec = &system->spec;
    if (policy_at(spec, home)->order == TAKT_ORDER_LEVELS) {
        return input_below(input, levels_at(spec, home) + 1u);
    }
    return (uint64_t)input_below(input, 128) << system->scale;
}

static takt_task_spec_t read_task(const fuzz_system_t *system, input_t *input) {
    const uint32_t period = 1u + input_below(input, 64);
    const int32_t home = (int32_t)input_below(input, system->spec.server_count + 1u) - 1;
    return (takt_task_spec_t){
        .period = (uint64_t)period << system->scale,
        .relative_deadline = (uint64_t)(1u + input_below(input, 128)) << system->scale,
        .offset = (uint64_t)input_below(input, 32) << system->scale,
        .wcet = (uint64_t)(1u + input_below(input, 32)) << system->scale,
        .demand = (uint64_t)(1u + input_below(input, 32)) << system->scale,
        .level = read_level(input, &system->spec, home),
        .server = home,
        .is_limited = input_below(input, 3) == 0,
        .preemption_key = read_preemption_key(system, input, home),
        .task_class = (takt_task_class_t)input_below(input, 3),
        .on_miss = (takt_on_miss_t)input_below(input, 4),
        .is_external = input_below(input, 3) == 0,
        .suspends = input_below(input, 3) == 0,
        .jitter = (uint64_t)input_below(input, 16) << system->scale,
    };
}

/* Runs, then does what the task may do, then runs on. */
static void read_body(fuzz_system_t *system, uint32_t index, input_t *input) {
    takt_task_spec_t *task = &system->tasks[index];
    takt_item_t *body = system->bodies[index];
    const uint32_t kinds = task->suspends ? TAKT_ITEM_SUSPEND + 1u : TAKT_ITEM_OPTIONAL_POINT + 1u;
    for (uint32_t i = 0; i < FUZZ_ITEMS; i++) {
        body[i].kind = i == 1 ? (takt_item_kind_t)input_below(input, kinds) : TAKT_ITEM_RUN;
        body[i].ticks = (uint64_t)(1u + input_below(input, 8)) << system->scale;
    }
    task->body = body;
    task->body_count = FUZZ_ITEMS;
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
    };
    read_servers(system, input);
    for (uint32_t i = 0; i < system->spec.task_count; i++) {
        system->tasks[i] = read_task(system, input);
        if (input_below(input, 2) != 0) {
            read_body(system, i, input);
        }
    }
    for (uint32_t i = 0; i < system->spec.thread_count; i++) {
        system->threads[i].level = read_level(input, &system->spec, TAKT_ROOT);
    }
}
