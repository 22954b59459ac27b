/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* change_cost: nanoseconds of a task that leaves and enters again, among 10 to 10,000 others.
 *
 * Usage: bench_changes. Prints one line per number of tasks and last the ratio of the largest and the smallest
 * figure. Ten tasks take turns, so that the caches do not decide. What is measured is posting two changes; the
 * release that they put off is never reached. */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "policy/table.h"
#include "sim/system.h"

enum { TASKS = 10000, TURNS = 10, PAIRS = 20000, RUNS = 5 };

static takt_task_spec_t tasks[TASKS];
static takt_change_spec_t changes[2 * PAIRS];

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void describe(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = (takt_task_spec_t){.period = 1000 + i,
                                      .relative_deadline = 1000 + i,
                                      .offset = 100 + i,
                                      .wcet = 1,
                                      .level = 1,
                                      .server = TAKT_ROOT,
                                      .changes = i < TURNS};
    }
    for (uint32_t i = 0; i < 2 * PAIRS; i++) {
        changes[i].kind = i % 2 == 0 ? TAKT_CHANGE_LEAVE : TAKT_CHANGE_ENTER;
        changes[i].task = i / 2 % TURNS;
    }
}

static double seconds_of_all(takt_system_t *system) {
    const double start = seconds_now();
    for (uint32_t i = 0; i < 2 * PAIRS; i++) {
        takt_dispatcher_post(system->dispatcher,
                             &(takt_event_t){TAKT_EVENT_CHANGE, system->changes[i].entity, 0, {i}});
    }
    return seconds_now() - start;
}

static double best_nanoseconds(uint32_t count) {
    double best = 1;
    describe(count);
    for (uint32_t run = 0; run < RUNS; run++) {
        takt_system_t system;
        const takt_system_spec_t spec = {.policy = &takt_policy_edf,
                                         .levels = 1,
                                         .tasks = tasks,
                                         .task_count = count,
                                         .changes = changes,
                                         .change_count = 2 * PAIRS};
        if (!takt_system_create(&system, &spec)) {
            exit(2);
        }
        const double seconds = seconds_of_all(&system);
        best = seconds < best ? seconds : best;
        takt_system_destroy(&system);
    }
    return 1e9 * best / PAIRS;
}

int main(void) {
    double first = 0;
    double last = 0;
    for (uint32_t count = TURNS; count <= TASKS; count *= 10) {
        last = best_nanoseconds(count);
        first = first > 0 ? first : last;
        printf("change_cost: leave and enter among %5" PRIu32 " tasks %6.1f ns\n", count, last);
    }
    printf("change_cost: ratio of %d to %d tasks %.2f\n", TASKS, TURNS, last / first);
    return 0;
}
