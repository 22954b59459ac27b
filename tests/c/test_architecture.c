/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Scheduler architectures: the figures of the three of Vetromille et al. 2006 on one set, and on random sets what must hold of any run, and
 * that replay repeats it bit for bit. The comparison with the oracle is in Python. */
#include "sim/sim.h"

#include "policy/table.h"
#include "sim/replay.h"

#include <string.h>

#include "check.h"

enum { HORIZON = 2000, RECORDS = 1 << 16, TASKS = 5, LEVELS = 3, SEQUENCES = 1500 };

static takt_task_spec_t tasks[TASKS];
static takt_system_spec_t spec = {.levels = LEVELS, .tasks = tasks};
static takt_record_t records[RECORDS];
static uint64_t record_count;

/* What the sinks have seen. */
static bool is_taken[HORIZON];
static uint64_t kernel_time;
static uint64_t served[TASKS];
static uint64_t segments[TASKS];
static uint64_t missed[TASKS];
static uint64_t told[TASKS];

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

/* Nothing else has [start, end). */
static void take_time(takt_instant_t start, takt_instant_t end) {
    CHECK(start < end && end <= HORIZON);
    for (takt_instant_t tick = start; tick < end; tick++) {
        CHECK(!is_taken[tick]);
        is_taken[tick] = true;
    }
}

static void see_segment(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                        uint32_t job) {
    (void)context;
    CHECK(cpu == 0);
    CHECK(start >= tasks[task].offset + job * tasks[task].period);
    take_time(start, end);
    served[task] += end - start;
    segments[task]++;
}

static void see_kernel(void *context, takt_instant_t start, takt_instant_t end, takt_sim_kernel_work_t what) {
    (void)context;
    (void)what;
    take_time(start, end);
    kernel_time += end - start;
}

static void see_job(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
                    bool is_missed) {
    (void)context;
    CHECK(release == tasks[task].offset + job * tasks[task].period);
    CHECK(finish == TAKT_NEVER || finish >= release + tasks[task].demand);
    CHECK(finish == TAKT_NEVER || is_missed == (finish > release + tasks[task].relative_deadline));
    told[task]++;
    missed[task] += is_missed;
}

static void forget_what_was_seen(void) {
    record_count = 0;
    kernel_time = 0;
    memset(is_taken, 0, sizeof is_taken);
    memset(served, 0, sizeof served);
    memset(segments, 0, sizeof segments);
    memset(missed, 0, sizeof missed);
    memset(told, 0, sizeof told);
}

/* ---- random sets --------------------------------------------------------------------------------------- */

static void make_task(takt_task_spec_t *task) {
    const takt_duration_t period = 20 + check_below(200);
    *task = (takt_task_spec_t){
        .period = period,
        .relative_deadline = 1 + check_below(3 * period),
        .offset = check_below(200),
        .wcet = period,
        .level = (uint32_t)(1 + check_below(LEVELS)),
        .server = TAKT_ROOT,
        .on_miss = TAKT_ON_MISS_DROP,
        .demand = 1 + check_below(period / 2),
    };
}

static void make_system(void) {
    do {
        spec.policy = takt_policies[check_below(takt_policy_count)];
    } while (spec.policy->overtake != NULL);
    spec.task_count = (uint32_t)(1 + check_below(TASKS));
    for (uint32_t task = 0; task < spec.task_count; task++) {
        make_task(&tasks[task]);
    }
}

static takt_architecture_t make_architecture(void) {
    const takt_architecture_model_t model = (takt_architecture_model_t)check_below(3);
    return (takt_architecture_t){
        .model = model,
        .context_switch = check_below(20),
        .interval = 1 + check_below(100),
        .is_fixed = check_below(2) == 0,
        .latency = model == TAKT_ARCHITECTURE_COPROCESSOR ? check_below(30) : 0,
    };
}

/* A job executes before each of its preemptions, and after the last one if it finishes. Nothing preempts the jobs of the
 * only task. */
static void check_statistics(const takt_sim_t *sim) {
    for (uint32_t task = 0; task < spec.task_count; task++) {
        const takt_sim_statistics_t *statistics = &sim->statistics[task];
        CHECK(statistics->busy == served[task]);
        CHECK(statistics->missed == missed[task]);
        CHECK(statistics->released == told[task]);
        CHECK(statistics->missed >= statistics->aborted + statistics->skipped);
        CHECK(statistics->preemptions == 0 || spec.task_count > 1);
        CHECK(statistics->preemptions + statistics->finished <= segments[task]);
    }
}

static void check_figures(const takt_architecture_t *architecture, const takt_architecture_figures_t *figures,
                          const takt_sim_t *sim) {
    const bool is_software = architecture->model == TAKT_ARCHITECTURE_SOFTWARE;
    CHECK(sim->overhead == figures->scheduler_time + figures->switch_time);
    CHECK(is_software ? figures->switch_time == 0 : figures->scheduler_time == 0);
    CHECK(is_software ? kernel_time == sim->overhead : kernel_time <= sim->overhead);
    CHECK(figures->switch_steps >= 2 * figures->dispatches);
}

static void check_replay(void) {
    takt_system_t system;
    CHECK(takt_system_create(&system, &spec));
    CHECK(takt_replay(&system, records, record_count).verdict == TAKT_REPLAY_IDENTICAL);
    takt_system_destroy(&system);
}

static void check_random_system(void) {
    const takt_sim_sinks_t sinks = {.segment = see_segment, .job = see_job, .kernel = see_kernel};
    takt_trace_t trace = {.record = keep_record};
    takt_sim_t sim;
    forget_what_was_seen();
    make_system();
    const takt_architecture_t architecture = make_architecture();
    CHECK(takt_sim_create(&sim, &spec, &(takt_sim_options_t){.architecture = &architecture}));
    takt_sim_run(&sim, HORIZON, &sinks, &trace);
    check_statistics(&sim);
    check_figures(&architecture, &sim.figures, &sim);
    takt_sim_destroy(&sim);
    check_replay();
}

/* ---- the micro set of the golden traces --------------------------------------------------------------- */

static takt_task_spec_t micro_task(takt_duration_t period, takt_duration_t demand) {
    return (takt_task_spec_t){
        .period = period,
        .relative_deadline = period,
        .wcet = demand,
        .demand = demand,
        .level = 1,
        .server = TAKT_ROOT,
        .on_miss = TAKT_ON_MISS_DROP,
    };
}

static void check_micro(takt_architecture_t architecture, takt_architecture_figures_t expected) {
    const takt_task_spec_t micro[] = {micro_task(1000, 200), micro_task(2000, 500), micro_task(4000, 900)};
    const takt_system_spec_t system = {
        .policy = &takt_policy_rm, .levels = 1, .tasks = micro, .task_count = 3};
    takt_sim_t sim;
    const takt_architecture_figures_t *figures = &sim.figures;
    CHECK(takt_sim_create(&sim, &system, &(takt_sim_options_t){.architecture = &architecture}));
    takt_sim_run(&sim, 8000, NULL, NULL);
    CHECK(figures->switch_steps == expected.switch_steps);
    CHECK(figures->dispatches == expected.dispatches);
    CHECK(figures->scheduler_time == expected.scheduler_time);
    CHECK(figures->switch_time == expected.switch_time);
    CHECK(figures->max_start_jitter == expected.max_start_jitter);
    takt_sim_destroy(&sim);
}

static void check_micro_set(void) {
    check_micro((takt_architecture_t){TAKT_ARCHITECTURE_SOFTWARE, 100, 500, false, 0},
                (takt_architecture_figures_t){104, 17, 2600, 0, 1500});
    check_micro((takt_architecture_t){TAKT_ARCHITECTURE_SOFTWARE, 100, 500, true, 0},
                (takt_architecture_figures_t){104, 16, 2600, 0, 1400});
    check_micro((takt_architecture_t){TAKT_ARCHITECTURE_COPROCESSOR, 100, 0, false, 20},
                (takt_architecture_figures_t){68, 20, 0, 1700, 1010});
    check_micro((takt_architecture_t){TAKT_ARCHITECTURE_HARDWARE, 100, 0, false, 0},
                (takt_architecture_figures_t){44, 18, 0, 1100, 850});
}

int main(void) {
    check_micro_set();
    check_sequences(check_random_system, SEQUENCES);
    return check_report("test_architecture");
}
