/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What sim/retell.h tells of a trace is what the run that recorded it told: statistics of jobs with optional parts, which are cut
 * and aborted, and of jobs that the scheduler ends at their deadlines, and the deadlines of all jobs. Demands are not in a
 * trace, so what a job wanted is not compared. */
#include "policy/table.h"
#include "sim/retell.h"

#include <string.h>

#include "check.h"

enum { TASKS = 3, GROUPED = TASKS, HORIZON = 600, RECORDS = 1 << 12, SEQUENCES = 300 };

static takt_task_spec_t tasks[TASKS + 1];
static takt_server_spec_t server;
static takt_window_spec_t windows[TASKS];
static takt_system_spec_t spec;
static takt_record_t records[RECORDS];
static uint64_t record_count, optional_executed, aborted, skipped;

/* The job that is announced, and its deadline: told where some deadlines are given by rules. */
static struct {
    uint32_t task;
    uint32_t job;
    takt_instant_t deadline;
    bool is_told;
} announced;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

static void see_window(void *context, uint32_t task, uint32_t job, takt_instant_t deadline, bool missed) {
    (void)context;
    CHECK(!announced.is_told && !missed);
    announced.task = task;
    announced.job = job;
    announced.deadline = deadline;
    announced.is_told = true;
}

/* The deadline of each job is that of its release, unless a rule gave it, however the job ended. */
static void see_job(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
                    bool missed) {
    (void)context;
    CHECK(announced.is_told == (spec.server_count > 0));
    if (announced.is_told) {
        CHECK(announced.task == task && announced.job == job);
        CHECK(task == GROUPED || announced.deadline == release + tasks[task].relative_deadline);
        CHECK(finish == TAKT_NEVER || missed == (finish > announced.deadline));
    }
    announced.is_told = false;
}

static const takt_sim_sinks_t sinks = {.job = see_job, .window = see_window};

static takt_task_spec_t any_task(void) {
    const takt_duration_t period = 4 + check_below(20);
    return (takt_task_spec_t){
        .period = period,
        .relative_deadline = period,
        .wcet = 1 + check_below(period / 2),
        .demand = 1 + check_below(period),
        .level = 1 + (uint32_t)check_below(TASKS),
        .server = TAKT_ROOT,
    };
}

/* A task whose deadlines follow from the bandwidth of its group. */
static void make_grouped(void) {
    server = (takt_server_spec_t){.bandwidth = &takt_bandwidth_total,
                                  .policy = &takt_policy_fp,
                                  .period = 4,
                                  .capacity = 1,
                                  .parent = TAKT_ROOT,
                                  .level = 1,
                                  .levels = TASKS};
    tasks[GROUPED] = any_task();
    tasks[GROUPED].server = 0;
    tasks[GROUPED].is_external = true;
    spec.servers = &server;
    spec.server_count = 1;
    spec.task_count = TASKS + 1;
}

static void make_any(void) {
    const bool has_parts = check_below(2) == 0;
    spec = (takt_system_spec_t){.policy = has_parts ? &takt_policy_imprecise : &takt_policy_edf,
                                .levels = TASKS,
                                .tasks = tasks,
                                .task_count = TASKS,
                                .windows = has_parts ? windows : NULL};
    for (uint32_t task = 0; task < TASKS; task++) {
        tasks[task] = any_task();
        tasks[task].on_miss = has_parts ? TAKT_ON_MISS_CONTINUE : (takt_on_miss_t)check_below(3);
        windows[task] =
            (takt_window_spec_t){TAKT_WINDOWS_IMPRECISE, {.part = check_below(tasks[task].wcet + 1u)}};
    }
    if (!has_parts && check_below(2) == 0) {
        make_grouped();
    }
}

static void check_equal(const takt_sim_statistics_t *told, const takt_sim_statistics_t *retold) {
    CHECK(told->finished == retold->finished && told->missed == retold->missed);
    CHECK(told->aborted == retold->aborted && told->skipped == retold->skipped && told->cut == retold->cut);
    CHECK(told->optional_executed == retold->optional_executed);
    CHECK(told->preemptions == retold->preemptions && told->overruns == retold->overruns);
    CHECK(told->response_min == retold->response_min && told->response_max == retold->response_max);
    CHECK(told->released == retold->released && told->busy == retold->busy);
    optional_executed += told->optional_executed;
    aborted += told->aborted;
    skipped += told->skipped;
}

static void one_system(void) {
    takt_trace_t trace = {.record = keep_record};
    takt_sim_t run, retold;
    record_count = 0;
    make_any();
    CHECK(takt_sim_create(&run, &spec, NULL));
    takt_sim_run(&run, HORIZON, &sinks, &trace);
    CHECK(takt_sim_create(&retold, &spec, NULL));
    CHECK(takt_sim_retell(&retold, records, record_count, HORIZON, &sinks).verdict == TAKT_REPLAY_IDENTICAL);
    for (uint32_t task = 0; task < spec.task_count; task++) {
        check_equal(&run.statistics[task], &retold.statistics[task]);
    }
    takt_sim_destroy(&run);
    takt_sim_destroy(&retold);
}

/* A kernel decides a while after a completion; no job executes meanwhile. */
static void what_follows_a_completion_is_charged_to_nobody(void) {
    const takt_sim_sinks_t none = {.context = NULL};
    takt_trace_t trace = {.record = keep_record};
    takt_sim_t run, retold;
    record_count = 0;
    tasks[0] = (takt_task_spec_t){
        .period = 10, .relative_deadline = 10, .wcet = 2, .demand = 2, .level = 1, .server = TAKT_ROOT};
    spec = (takt_system_spec_t){.policy = &takt_policy_edf, .levels = 1, .tasks = tasks, .task_count = 1};
    CHECK(takt_sim_create(&run, &spec, NULL));
    takt_sim_run(&run, 9, &none, &trace);
    takt_sim_destroy(&run);
    takt_record_t *last = &records[record_count - 1u];
    CHECK(last->kind == TAKT_RECORD_DECISION && last->entity == TAKT_NO_ENTITY && last->now == 2);
    last->now = 5;
    CHECK(takt_sim_create(&retold, &spec, NULL));
    CHECK(takt_sim_retell(&retold, records, record_count, 9, &none).verdict == TAKT_REPLAY_IDENTICAL);
    CHECK(retold.statistics[0].busy == 2);
    takt_sim_destroy(&retold);
}

int main(void) {
    what_follows_a_completion_is_charged_to_nobody();
    check_sequences(one_system, SEQUENCES);
    CHECK(getenv("TAKT_SYSTEMS") != NULL || (optional_executed > 0 && aborted > 0 && skipped > 0));
    return check_report("test_retell");
}
