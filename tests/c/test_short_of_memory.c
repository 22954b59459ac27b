/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory that runs out: whichever allocation fails, a simulation is not made, or its run says that it is short of
 * memory; and all memory is given back. The allocator of this program is that of glibc, which counts and fails. */
#include "sim/sim.h"
#include "sim/sim.h"

#include "policy/table.h"

#include "check.h"

enum { HORIZON = 200, TASKS = 3 };

static uint64_t before_failure; /* allocations that succeed until one fails */
static uint64_t failures;
static uint64_t decisions, most_decisions; /* of the last run, and of one that has memory */
static int64_t held;                       /* blocks that were not given back */

/* The sanitizers have an allocator of their own. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTS true

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void __libc_free(void *block);

static bool fails(void) {
    if (before_failure == 0) {
        failures++;
        return true;
    }
    before_failure--;
    return false;
}

static void *counted(void *block) {
    held += block != NULL;
    return block;
}

void *malloc(size_t bytes) { return fails() ? NULL : counted(__libc_malloc(bytes)); }

void *calloc(size_t count, size_t bytes) { return fails() ? NULL : counted(__libc_calloc(count, bytes)); }

void free(void *block) {
    held -= block != NULL;
    __libc_free(block);
}
#else
#define COUNTS false
#endif

/* Arrivals come faster than jobs end, so that rings grow. */
static takt_task_spec_t tasks[TASKS];

static void make_tasks(void) {
    for (uint32_t task = 0; task < TASKS; task++) {
        tasks[task] = (takt_task_spec_t){.period = 2 + task,
                                         .relative_deadline = 4,
                                         .wcet = 3,
                                         .demand = 3,
                                         .level = 1,
                                         .server = TAKT_ROOT,
                                         .is_external = true};
    }
}

static bool create_and_run(takt_sim_t *sim, const takt_system_spec_t *spec) {
    if (!takt_sim_create(sim, spec, NULL)) {
        return false;
    }
    takt_sim_run(sim, HORIZON, NULL, NULL);
    return true;
}

/* Fails allocation number `succeed`, from 0 on, and all that follow; whether there were that many. What is short of
 * memory ends early. */
static bool run_with(const takt_system_spec_t *spec, uint64_t succeed) {
    takt_sim_t sim;
    const int64_t held_before = held;
    failures = 0;
    before_failure = succeed;
    const bool is_created = create_and_run(&sim, spec);
    before_failure = UINT64_MAX;
    const bool is_short = failures > 0;
    CHECK(!is_created || sim.is_short_of_memory == is_short);
    CHECK(is_created || is_short);
    if (is_created) {
        decisions = sim.decisions;
        CHECK(!is_short || decisions < most_decisions);
        takt_sim_destroy(&sim);
    }
    CHECK(held == held_before);
    return is_short;
}

/* On `cpus` processors; 0: on one, which is not counted. */
static void check_every_allocation(uint32_t cpus) {
    const takt_system_spec_t spec = {
        .policy = &takt_policy_fp, .levels = 1, .tasks = tasks, .task_count = TASKS, .cpu_count = cpus};
    uint64_t succeed = 0;
    CHECK(!run_with(&spec, UINT64_MAX));
    most_decisions = decisions;
    while (run_with(&spec, succeed)) {
        succeed++;
    }
    CHECK(!COUNTS || succeed > 8);
}

int main(void) {
    before_failure = UINT64_MAX;
    make_tasks();
    check_every_allocation(0);
    check_every_allocation(2);
    return check_report("test_short_of_memory");
}
