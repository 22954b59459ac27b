/* Random task sets for C tests: servers to any depth, both policies at every level, limited jobs. */
#ifndef TAKT_TESTS_RANDOM_SYSTEM_H
#define TAKT_TESTS_RANDOM_SYSTEM_H

#include "policy/table.h"
#include "sim/system.h"

#include "check.h"

enum { RANDOM_TASKS = 8, RANDOM_SERVERS = 4, RANDOM_LEVELS = 4 };

typedef struct random_system {
    takt_task_spec_t tasks[RANDOM_TASKS];
    takt_server_spec_t servers[RANDOM_SERVERS];
    takt_system_spec_t spec;
} random_system_t;

static inline const takt_policy_t *random_policy(void) {
    return takt_policies[check_below(takt_policy_count)];
}

/* A server's parent is the root or an earlier server. */
static inline takt_server_spec_t random_server(uint32_t index) {
    const takt_duration_t period = 2 + check_below(30);
    return (takt_server_spec_t){
        .kind = &takt_server_deferrable,
        .policy = random_policy(),
        .period = period,
        .capacity = 1 + check_below(period),
        .offset = check_below(20),
        .level = 1 + (uint32_t)check_below(RANDOM_LEVELS),
        .parent = (int32_t)check_below(1 + index) - 1,
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

/* The spec points into `system`. */
static inline void random_system_make(random_system_t *system) {
    const uint32_t servers = (uint32_t)check_below(1 + RANDOM_SERVERS);
    const uint32_t tasks = 1 + (uint32_t)check_below(RANDOM_TASKS);
    for (uint32_t i = 0; i < servers; i++) {
        system->servers[i] = random_server(i);
    }
    for (uint32_t i = 0; i < tasks; i++) {
        system->tasks[i] = random_task(servers);
    }
    system->spec = (takt_system_spec_t){
        .policy = random_policy(),
        .levels = RANDOM_LEVELS,
        .time_rows = 1 + (uint32_t)check_below(16),
        .servers = system->servers,
        .server_count = servers,
        .tasks = system->tasks,
        .task_count = tasks,
    };
}

#endif
