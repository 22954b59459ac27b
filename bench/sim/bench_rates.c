/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* bench_rates: seconds that a rate-based system needs for a request, by the number of tasks it holds.
 *
 * Usage: bench_rates TASKS REQUESTS RUNS RULE, where RULE is 0 (boundary) or 1 (in flight). The tasks are soft, half
 * the processor together, with windows that outlast the run; one more task enters and leaves again and again, so that
 * every request changes what all are to have. Prints one line "requests seconds" per run: the wall time of
 * takt_sim_run alone, the entries of all tasks included; bench/sim/rates.py takes these away. */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "policy/table.h"
#include "sim/sim.h"

enum { TASK_LIMIT = 100001, REQUEST_LIMIT = 1000000 };

#define LONG_PERIOD (UINT64_C(1) << 36)
#define MOVER_PERIOD UINT64_C(40)

static takt_task_spec_t tasks[TASK_LIMIT];
static takt_change_spec_t requests[TASK_LIMIT + REQUEST_LIMIT];

static void fail(const char *message) {
    fprintf(stderr, "bench_rates: %s\n", message);
    exit(2);
}

static uint32_t number(const char *text, uint32_t limit) {
    const unsigned long value = strtoul(text, NULL, 10);
    if (value > limit) {
        fail("a number is too large");
    }
    return (uint32_t)value;
}

static takt_task_spec_t soft_task(takt_duration_t wcet, takt_duration_t period) {
    return (takt_task_spec_t){.period = period,
                              .relative_deadline = period,
                              .wcet = wcet,
                              .demand = 1,
                              .level = 1,
                              .server = TAKT_ROOT,
                              .task_class = TAKT_CLASS_SOFT,
                              .weight = 1};
}

/* All enter at 0; then the last one, alternately, leaves and enters, a window apart. */
static void make_requests(uint32_t task_count, uint32_t count) {
    for (uint32_t i = 0; i < task_count; i++) {
        requests[i] = (takt_change_spec_t){.kind = TAKT_CHANGE_ENTER, .task = i};
    }
    for (uint32_t i = 0; i < count; i++) {
        requests[task_count + i] =
            (takt_change_spec_t){.instant = task_count + (i + 1u) * MOVER_PERIOD,
                                 .task = task_count - 1u,
                                 .kind = i % 2 == 0 ? TAKT_CHANGE_LEAVE : TAKT_CHANGE_ENTER};
    }
}

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run(const takt_system_spec_t *spec, uint32_t count, takt_instant_t horizon) {
    takt_sim_t sim;
    if (!takt_sim_create(&sim, spec, NULL)) {
        fail("out of memory");
    }
    const double start = seconds_now();
    takt_sim_run(&sim, horizon, NULL, NULL);
    printf("%" PRIu32 " %.6f\n", count, seconds_now() - start);
    takt_sim_destroy(&sim);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fail("usage: bench_rates TASKS REQUESTS RUNS RULE");
    }
    const uint32_t others = number(argv[1], TASK_LIMIT - 1);
    const uint32_t count = number(argv[2], REQUEST_LIMIT);
    const takt_rate_settings_t rates = {.grid = 1,
                                        .rule = (takt_rate_rule_t)number(argv[4], TAKT_RATE_IN_FLIGHT)};
    for (uint32_t i = 0; i < others; i++) {
        tasks[i] = soft_task(LONG_PERIOD / 2u / others, LONG_PERIOD);
    }
    tasks[others] = soft_task(MOVER_PERIOD / 4u, MOVER_PERIOD);
    make_requests(others + 1u, count);
    const takt_system_spec_t spec = {.policy = &takt_policy_rate_based,
                                     .levels = 1,
                                     .tasks = tasks,
                                     .task_count = others + 1u,
                                     .rates = &rates,
                                     .changes = requests,
                                     .change_count = others + 1u + count};
    for (uint32_t runs = number(argv[3], 1000); runs > 0; runs--) {
        run(&spec, count, others + 1u + (count + 2u) * MOVER_PERIOD);
    }
    return 0;
}
