/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What it takes to admit a task at run time: analyses of analysis/, with memory of the caller and 1,000 steps,
 * measured with a counter of the board.
 *
 * A set of n tasks is what there would be with the n-th one: periods log-uniform over seven octaves, three deadlines
 * of four before the period's end, U = 0.8, most urgent deadlines first. The sets are the same on every board.
 *   responses_n   takt_fp_responses of all
 *   costs_n       likewise of what takt_overheads_expand makes of them: the kernel's own work counts
 *   qpa_n         takt_qpa
 *   steps_...     no ticks, but the least and the most steps of that
 * Lines "name least most" in ticks go to the host. "stack" is how many bytes the thread has used, twice. */
#include "analysis/overheads.h"
#include "analysis/qpa.h"
#include "bench/kernel/program.h"

enum { SETS = 64, MOST_TASKS = 20, EXPANDED = 2 * MOST_TASKS + 1, STEPS = 1000, STACK_BYTES = 4096 };
enum { OCTAVES = 7, SHORTEST = 128, WHOLE = 1024, LOAD = 819 /* of the whole */ };

/* ---- sets --------------------------------------------------------------------------------------- */

static takt_sporadic_t tasks[MOST_TASKS];
static uint32_t state;

/* Numerical Recipes' generator; the high bits are good. */
static uint32_t draw(uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state >> 8) * limit >> 24);
}

static takt_duration_t draw_deadline(takt_duration_t wcet, takt_duration_t period) {
    const uint32_t room = (uint32_t)(period - wcet);
    return draw(4) == 0 ? period : wcet + room / 2u + draw(room / 2u + 1u);
}

static takt_sporadic_t draw_task(uint32_t share, uint32_t shares) {
    const uint32_t octave = (uint32_t)SHORTEST << draw(OCTAVES);
    const uint32_t period = octave + draw(octave);
    const uint32_t wcet = period * share / shares * LOAD / WHOLE;
    const takt_duration_t least = wcet > 0 ? wcet : 1u;
    return (takt_sporadic_t){least, period, draw_deadline(least, period), 0};
}

static void insert(uint32_t count, takt_sporadic_t task) {
    uint32_t place = count;
    for (; place > 0 && tasks[place - 1u].deadline > task.deadline; place--) {
        tasks[place] = tasks[place - 1u];
    }
    tasks[place] = task;
}

static void draw_set(uint32_t seed, uint32_t count) {
    uint32_t parts[MOST_TASKS];
    uint32_t sum = 0;
    state = seed;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = 1u + draw(WHOLE);
        sum += parts[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        insert(i, draw_task(parts[i], sum));
    }
}

/* ---- what is measured ----------------------------------------------------------------------------- */

static takt_response_t responses[EXPANDED];
static takt_sporadic_t expanded_tasks[EXPANDED];
static takt_duration_t blocking[EXPANDED];
static takt_fp_end_t ends[EXPANDED];
static uint32_t above[EXPANDED];
static takt_fraction_t fractions[EXPANDED];
static uint64_t firsts[EXPANDED], seconds[EXPANDED];
static takt_demand_line_t lines[MOST_TASKS];

static const takt_fp_memory_t memory = {fractions, firsts, seconds, NULL};

static void find_responses(uint32_t count, takt_effort_t *effort) {
    const takt_children_t set = {.tasks = tasks, .count = count};
    takt_fp_responses(&set, memory, effort, responses);
}

static void find_responses_with_costs(uint32_t count, takt_effort_t *effort) {
    const takt_draft_t draft = {expanded_tasks, blocking, ends, memory};
    const takt_overhead_set_t set = {
        .tasks = tasks, .count = count, .costs = {.release = 1, .context_switch = 1}};
    takt_children_t expanded;
    if (takt_overheads_expand(&set, &draft, above, &expanded)) {
        takt_fp_responses(&expanded, memory, effort, responses);
    }
}

static void test_by_qpa(uint32_t count, takt_effort_t *effort) {
    const takt_edf_blocking_t nothing = {0};
    takt_demand_room_t room = {lines, fractions, firsts};
    const takt_children_t children = {.tasks = tasks, .count = count};
    (void)takt_qpa(&children, &nothing, &room, effort);
}

typedef struct operation {
    const char *name;
    void (*execute)(uint32_t count, takt_effort_t *effort);
    uint32_t count;
} operation_t;

static const operation_t operations[] = {
    {"responses_5", find_responses, 5},
    {"responses_10", find_responses, 10},
    {"responses_20", find_responses, 20},
    {"costs_5", find_responses_with_costs, 5},
    {"costs_10", find_responses_with_costs, 10},
    {"costs_20", find_responses_with_costs, 20},
    {"qpa_5", test_by_qpa, 5},
    {"qpa_10", test_by_qpa, 10},
    {"qpa_20", test_by_qpa, 20},
};

static bench_sample_t bench_samples[2];
static uint32_t bench_start_word;

static void measure_set(const operation_t *operation, uint32_t seed) {
    BENCH_MEASURING;
    takt_effort_t effort = STEPS;
    draw_set(seed, operation->count);
    BENCH_BEGIN();
    operation->execute(operation->count, &effort);
    BENCH_END(0);
    bench_keep(&bench_samples[1], STEPS - (uint32_t)effort);
}

static void measure(const operation_t *operation) {
    bench_samples[0] = bench_samples[1] = (bench_sample_t){0, 0};
    for (uint32_t seed = 1; seed <= SETS; seed++) {
        measure_set(operation, seed);
    }
    print_line(operation->name, bench_samples[0].least, bench_samples[0].most);
    takt_semihost_print("steps_");
    print_line(operation->name, bench_samples[1].least, bench_samples[1].most);
}

/* ---- the thread ------------------------------------------------------------------------------------- */

static takt_thread_t thread;
static uint64_t stack[STACK_BYTES / sizeof(uint64_t)];

static void run(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        measure(&operations[i]);
    }
    const uint32_t used = STACK_BYTES - takt_thread_stack_unused(&thread);
    print_line("stack", used, used);
    takt_semihost_exit(0);
}

int main(void) {
    const takt_thread_parameters_t parameters = {
        .entry = run, .stack = stack, .stack_bytes = sizeof stack, .priority = 1};
    if (takt_kernel_init(&takt_policy_fp) == TAKT_OK && takt_thread_create(&thread, &parameters) == TAKT_OK) {
        bench_start();
    }
    return 3;
}
