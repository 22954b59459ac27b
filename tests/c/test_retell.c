/* What sim/retell.h tells of a trace is what the run that recorded it told: statistics of jobs with optional parts, which are cut
 * and aborted, and of jobs that the scheduler ends at their deadlines. Demands are not in a trace, so what a job wanted is not
 * compared. */
#include "policy/table.h"
#include "sim/retell.h"

#include <string.h>

#include "check.h"

enum { TASKS = 3, HORIZON = 600, RECORDS = 1 << 12, SEQUENCES = 300 };

static takt_task_spec_t tasks[TASKS];
static takt_window_spec_t windows[TASKS];
static takt_system_spec_t spec;
static takt_record_t records[RECORDS];
static uint64_t record_count, optional_executed, aborted, skipped;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

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
}

static void check_equal(const takt_sim_statistics_t *told, const takt_sim_statistics_t *retold) {
    CHECK(told->finished == retold->finished && told->missed == retold->missed);
    CHECK(told->aborted == retold->aborted && told->skipped == retold->skipped && told->cut == retold->cut);
    CHECK(told->optional_executed == retold->optional_executed);
    CHECK(told->response_min == retold->response_min && told->response_max == retold->response_max);
    optional_executed += told->optional_executed;
    aborted += told->aborted;
    skipped += told->skipped;
}

static void one_system(void) {
    const takt_sim_sinks_t none = {.context = NULL};
    takt_trace_t trace = {keep_record};
    takt_sim_t run, retold;
    record_count = 0;
    make_any();
    CHECK(takt_sim_create(&run, &spec, NULL));
    takt_sim_run(&run, HORIZON, &none, &trace);
    CHECK(takt_sim_create(&retold, &spec, NULL));
    CHECK(takt_sim_retell(&retold, records, record_count, HORIZON, &none).verdict == TAKT_REPLAY_IDENTICAL);
    for (uint32_t task = 0; task < TASKS; task++) {
        check_equal(&run.statistics[task], &retold.statistics[task]);
    }
    takt_sim_destroy(&run);
    takt_sim_destroy(&retold);
}

int main(void) {
    check_sequences(one_system, SEQUENCES);
    CHECK(getenv("TAKT_SYSTEMS") != NULL || (optional_executed > 0 && aborted > 0 && skipped > 0));
    return check_report("test_retell");
}
