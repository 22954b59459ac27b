/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What sections of rate-based threads take from others: SPEC.md, 10, summed up anew from all pairs of tasks and sections, for
 * random threads on the fake port. */
#include "check.h"
#include "kernel/rate.h"
#include "policy/table.h"
#include "tests/fake_port/fake_port.h"

#include <string.h>

enum { TASKS = 5, RESOURCES = 3, SEQUENCES = 2000 };

/* One task; a section of 0 ticks is none. */
typedef struct drawn {
    takt_task_class_t type;
    takt_duration_t period, window;
    takt_duration_t sections[RESOURCES];
} drawn_t;

static drawn_t drawn[TASKS];
static takt_rates_t rates;
static takt_resource_t resources[RESOURCES];
static takt_rate_share_t shares[RESOURCES];
static takt_rate_thread_t threads[TASKS];
static takt_rate_section_t sections[TASKS][RESOURCES];
static uint64_t stacks[TASKS][TAKT_STACK_BYTES_MIN / sizeof(uint64_t)];
static uint32_t blocked, excessive;

static void entry(void *argument) { (void)argument; }

static void begin(void) {
    static const takt_rate_settings_t settings = {.grid = 1, .estimate_jobs = 1};
    memset(&rates, 0, sizeof rates);
    memset(resources, 0, sizeof resources);
    memset(shares, 0, sizeof shares);
    memset(threads, 0, sizeof threads);
    memset(sections, 0, sizeof sections);
    fake_port_reset();
    CHECK(takt_kernel_init(&takt_policy_rate_based) == TAKT_OK);
    CHECK(takt_rates_init(&rates, &settings, NULL, 0) == TAKT_OK);
    CHECK(takt_rates_share(&rates, resources, shares, RESOURCES) == TAKT_OK);
}

/* Few lengths, so that many are equal. */
static drawn_t draw(void) {
    drawn_t task = {.type = (takt_task_class_t)check_below(3), .period = 5 + check_below(4)};
    task.window = task.type == TAKT_CLASS_HARD ? task.period - check_below(2) : task.period;
    for (uint32_t i = 0; i < RESOURCES; i++) {
        task.sections[i] = check_below(2) * check_below(5);
    }
    return task;
}

static void create(uint32_t index) {
    const drawn_t *task = &drawn[index];
    takt_rate_parameters_t parameters = {
        .thread = {.entry = entry, .stack = stacks[index], .stack_bytes = sizeof stacks[index]},
        .rates = &rates,
        .type = task->type,
        .demand = {.wcet = 1, .period = task->period, .relative_deadline = task->window, .weight = 1},
        .sections = sections[index]};
    for (uint32_t i = 0; i < RESOURCES; i++) {
        if (task->sections[i] > 0) {
            sections[index][parameters.section_count++] =
                (takt_rate_section_t){.resource = &resources[i], .longest = task->sections[i]};
        }
    }
    CHECK(takt_rate_thread_create(&threads[index], &parameters) == TAKT_OK);
}

/* ---- SPEC.md, 10 --------------------------------------------------------------------------------------- */

static uint64_t up(takt_duration_t ticks, takt_duration_t by) {
    return (ticks * TAKT_RATE_WHOLE + by - 1u) / by;
}

/* The shortest window of those that use it. */
static takt_duration_t ceiling_of(uint32_t resource, uint32_t count) {
    takt_duration_t ceiling = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (drawn[i].sections[resource] > 0 && drawn[i].window < ceiling) {
            ceiling = drawn[i].window;
        }
    }
    return ceiling;
}

static uint64_t blocked_by(const drawn_t *task, const drawn_t *other, uint32_t resource, uint32_t count) {
    const takt_duration_t ceiling = ceiling_of(resource, count);
    const bool is_hard = task->type == TAKT_CLASS_HARD;
    const bool is_late = other->type != TAKT_CLASS_HARD || other->period > task->window;
    const bool is_met = !is_hard || ceiling <= task->window;
    if (other->sections[resource] == 0 || !is_late || !is_met) {
        return 0;
    }
    return up(other->sections[resource] - 1u, !is_hard && ceiling > task->window ? ceiling : task->window);
}

static void check_task(uint32_t index, uint32_t count) {
    const drawn_t *task = &drawn[index];
    uint64_t blocking = 0;
    uint64_t excess = 0;
    for (uint32_t resource = 0; resource < RESOURCES; resource++) {
        for (uint32_t other = 0; other < count; other++) {
            const uint64_t by = other != index ? blocked_by(task, &drawn[other], resource, count) : 0;
            blocking = by > blocking ? by : blocking;
        }
        const uint64_t beyond =
            task->sections[resource] > 0 ? up(task->sections[resource] - 1u, task->period) : 0;
        excess = task->type != TAKT_CLASS_HARD && beyond > excess ? beyond : excess;
    }
    const takt_rate_blocking_t found = threads[index].rate.blocking;
    CHECK(found.longest == blocking && found.excess == excess);
    blocked += blocking > 0 ? 1u : 0u;
    excessive += excess > 0 ? 1u : 0u;
}

/* After each thread that is made, for all so far. */
static void sections_take_what_the_specification_says(void) {
    begin();
    for (uint32_t count = 1; count <= TASKS; count++) {
        drawn[count - 1u] = draw();
        create(count - 1u);
        for (uint32_t i = 0; i < count; i++) {
            check_task(i, count);
        }
    }
}

int main(void) {
    check_sequences(sections_take_what_the_specification_says, SEQUENCES);
    CHECK(check_run.checks < 20000 || (blocked > 1000 && excessive > 1000));
    return check_report("test_rate_weights");
}
