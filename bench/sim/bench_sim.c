/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* bench_sim: seconds that the simulator needs for a task set, counting only.
 *
 * Usage: bench_sim POLICY HORIZON RUNS [CPUS [SERVERS]] < TASKS, where TASKS has one line "period demand level" per task,
 * in ticks; 0 processors, the default, are the platform for one, 1 and more the one for several. Deferrable servers have
 * equal shares of the processor; each has every SERVERSth task, under the same policy. Prints one line "jobs seconds" per
 * run: finished jobs, and the wall time of takt_sim_run alone. Building the system is not timed.
 * bench/sim/run.py makes the task sets and reads the lines. */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policy/table.h"
#include "sim/sim.h"

enum { TASK_LIMIT = 1000000, SERVER_LIMIT = 100, SERVER_PERIOD = 10000 };

static takt_task_spec_t tasks[TASK_LIMIT];
static takt_server_spec_t servers[SERVER_LIMIT];
static takt_change_spec_t requests[TASK_LIMIT];

/* The task set has no best-effort tasks to keep anything for. */
static const takt_rate_settings_t rates = {.grid = 1};

static void fail(const char *message) {
    fprintf(stderr, "bench_sim: %s\n", message);
    exit(2);
}

static const takt_policy_t *policy_named(const char *name) {
    for (size_t i = 0; i < takt_policy_count; i++) {
        if (strcmp(takt_policies[i]->name, name) == 0) {
            return takt_policies[i];
        }
    }
    fail("no such policy");
    return NULL;
}

static uint32_t read_tasks(void) {
    uint32_t count = 0;
    takt_task_spec_t task = {.server = TAKT_ROOT};
    while (scanf("%" SCNu64 " %" SCNu64 " %" SCNu32, &task.period, &task.demand, &task.level) == 3) {
        if (count == TASK_LIMIT) {
            fail("too many tasks");
        }
        task.relative_deadline = task.period;
        tasks[count++] = task;
    }
    if (count == 0 || !feof(stdin)) {
        fail("expected lines of period, demand and level");
    }
    return count;
}

/* Every other task is soft, and all ask to enter at once. */
static void rate(takt_system_spec_t *spec) {
    for (uint32_t i = 0; i < spec->task_count; i++) {
        tasks[i].wcet = tasks[i].demand;
        tasks[i].weight = 1;
        tasks[i].task_class = i % 2 == 0 ? TAKT_CLASS_HARD : TAKT_CLASS_SOFT;
        requests[i] = (takt_change_spec_t){.kind = TAKT_CHANGE_ENTER, .task = i};
    }
    spec->rates = &rates;
    spec->changes = requests;
    spec->change_count = spec->task_count;
}

/* The tasks are divided among `count` servers. */
static void serve(takt_system_spec_t *spec, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        servers[i] = (takt_server_spec_t){.parent = TAKT_ROOT,
                                          .kind = &takt_server_deferrable,
                                          .policy = spec->policy,
                                          .levels = spec->levels,
                                          .level = i + 1u,
                                          .period = SERVER_PERIOD,
                                          .capacity = SERVER_PERIOD / count};
    }
    for (uint32_t i = 0; i < spec->task_count; i++) {
        tasks[i].server = (int32_t)(i % count);
    }
    spec->servers = servers;
    spec->server_count = count;
}

static uint32_t levels_of(uint32_t count) {
    uint32_t levels = 1;
    for (uint32_t i = 0; i < count; i++) {
        levels = tasks[i].level > levels ? tasks[i].level : levels;
    }
    return levels;
}

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t finished_jobs(const takt_sim_t *sim, uint32_t count) {
    uint64_t jobs = 0;
    for (uint32_t i = 0; i < count; i++) {
        jobs += sim->statistics[i].finished;
    }
    return jobs;
}

static void run(const takt_system_spec_t *spec, takt_instant_t horizon) {
    takt_sim_t sim;
    if (!takt_sim_create(&sim, spec, NULL)) {
        fail("out of memory");
    }
    const double start = seconds_now();
    takt_sim_run(&sim, horizon, NULL, NULL);
    const double seconds = seconds_now() - start;
    printf("%" PRIu64 " %.6f\n", finished_jobs(&sim, spec->task_count), seconds);
    takt_sim_destroy(&sim);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 6) {
        fail("usage: bench_sim POLICY HORIZON RUNS [CPUS [SERVERS]] < TASKS");
    }
    const unsigned long cpus = argc >= 5 ? strtoul(argv[4], NULL, 10) : 0u;
    const unsigned long server_count = argc == 6 ? strtoul(argv[5], NULL, 10) : 0u;
    if (cpus > TAKT_CPU_LIMIT) {
        fail("too many processors");
    }
    if (server_count > SERVER_LIMIT) {
        fail("too many servers");
    }
    const uint32_t count = read_tasks();
    takt_system_spec_t spec = {
        .policy = policy_named(argv[1]),
        .levels = levels_of(count),
        .cpu_count = (uint32_t)cpus,
        .tasks = tasks,
        .task_count = count,
    };
    if (spec.policy == &takt_policy_rate_based) {
        rate(&spec);
    }
    if (server_count > 0) {
        serve(&spec, (uint32_t)server_count);
    }
    for (unsigned long runs = strtoul(argv[3], NULL, 10); runs > 0; runs--) {
        run(&spec, strtoull(argv[2], NULL, 10));
    }
    return 0;
}
