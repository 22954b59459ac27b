/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Core under the simulator on random systems: what must hold of any run, that replay repeats it bit for
 * bit, and that no broken trace gets through or does harm. The comparison with the oracle is in Python. */
#include "sim/replay.h"
#include "sim/sim.h"

#include <string.h>

#include "random_system.h"

enum { HORIZON = 400, RECORDS = 1 << 14, SEQUENCES = 1500, BROKEN_TRACES = 8 };

static random_system_t random_spec;
static takt_record_t records[RECORDS];
static uint64_t record_count;

/* What the sinks have seen. */
static takt_instant_t segment_end;
static uint64_t served[RANDOM_TASKS];
static uint64_t finished[RANDOM_TASKS];
static takt_instant_t budget_told[RANDOM_SERVERS];

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

static void see_segment(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                        uint32_t job) {
    (void)context;
    CHECK(cpu == 0);
    CHECK(start >= segment_end && end > start && end <= HORIZON);
    segment_end = end;
    if (task < random_spec.spec.task_count) {
        CHECK(start >= random_spec.tasks[task].offset + job * random_spec.tasks[task].period);
        served[task] += end - start;
        return;
    }
    /* A server idles. */
    const uint32_t server = task - random_spec.spec.task_count;
    CHECK(server < random_spec.spec.server_count && random_spec.servers[server].kind->idles);
}

static void see_job(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
                    bool missed) {
    const takt_task_spec_t *spec = &random_spec.tasks[task];
    const takt_instant_t deadline = release + spec->relative_deadline;
    (void)context;
    CHECK(release == spec->offset + job * spec->period);
    CHECK(release < HORIZON);
    CHECK(missed == (finish == TAKT_NEVER ? deadline <= HORIZON : finish > deadline));
    if (finish != TAKT_NEVER) {
        CHECK(finish >= release + spec->demand);
        CHECK(job == finished[task]);
        finished[task]++;
    }
}

static void see_budget(void *context, takt_instant_t now, uint32_t server, takt_duration_t budget,
                       bool is_charged) {
    (void)context;
    CHECK(now >= budget_told[server]);
    CHECK(budget <= random_spec.servers[server].capacity);
    CHECK(!is_charged || budget > 0);
    budget_told[server] = now;
}

static void forget_what_was_seen(void) {
    record_count = 0;
    segment_end = 0;
    memset(served, 0, sizeof served);
    memset(finished, 0, sizeof finished);
    memset(budget_told, 0, sizeof budget_told);
}

static void simulate(takt_sim_t *sim) {
    const takt_sim_sinks_t sinks = {.segment = see_segment, .job = see_job, .budget = see_budget};
    takt_trace_t trace = {.record = keep_record};
    forget_what_was_seen();
    CHECK(takt_sim_create(sim, &random_spec.spec, NULL));
    takt_sim_run(sim, HORIZON, &sinks, &trace);
}

static void check_statistics(const takt_sim_t *sim) {
    for (uint32_t task = 0; task < random_spec.spec.task_count; task++) {
        const takt_sim_statistics_t *statistics = &sim->statistics[task];
        const takt_duration_t demand = random_spec.tasks[task].demand;
        CHECK(statistics->busy == served[task]);
        CHECK(statistics->finished == finished[task]);
        CHECK(statistics->released >= statistics->finished);
        CHECK(served[task] >= finished[task] * demand && served[task] < (finished[task] + 1) * demand);
        CHECK(statistics->finished == 0 || statistics->response_min >= demand);
    }
}

static takt_replay_result_t replay(void) {
    takt_system_t system;
    CHECK(takt_system_create(&system, &random_spec.spec));
    const takt_replay_result_t result = takt_replay(&system, records, record_count);
    takt_system_destroy(&system);
    return result;
}

/* A counting run keeps nothing and decides the same. */
static void check_counting_only(const takt_sim_t *recorded) {
    takt_sim_t sim;
    CHECK(takt_sim_create(&sim, &random_spec.spec, NULL));
    takt_sim_run(&sim, HORIZON, NULL, NULL);
    CHECK(memcmp(sim.statistics, recorded->statistics,
                 random_spec.spec.task_count * sizeof *sim.statistics) == 0);
    CHECK(sim.decisions == recorded->decisions);
    takt_sim_destroy(&sim);
}

static uint64_t random_decision(void) {
    uint64_t index = check_below(record_count);
    while (records[index].kind != TAKT_RECORD_DECISION) {
        index = (index + 1) % record_count;
    }
    return index;
}

/* A decision that says something else is found where it stands. */
static void check_changed_decision(void) {
    const uint64_t index = random_decision();
    const takt_record_t before = records[index];
    records[index].value++;
    const takt_replay_result_t result = replay();
    CHECK(result.verdict == TAKT_REPLAY_DIFFERENT);
    CHECK(result.record == index);
    records[index] = before;
}

/* Whatever a record says, replay ends with a verdict; the sanitizers watch. */
static void check_broken_record(void) {
    const uint64_t index = check_below(record_count);
    const takt_record_t before = records[index];
    uint8_t bytes[sizeof before];
    memcpy(bytes, &before, sizeof before);
    bytes[check_below(sizeof before)] ^= (uint8_t)(1 + check_below(255));
    memcpy(&records[index], bytes, sizeof before);
    CHECK(replay().verdict <= TAKT_REPLAY_INVALID);
    records[index] = before;
}

/* A completion of a job that does not run is found where it stands. */
static void check_completion_of_another(void) {
    const uint64_t index = random_decision();
    const uint32_t tasks = random_spec.spec.task_count;
    const uint32_t servers = random_spec.spec.server_count;
    const uint32_t other = 1u + servers + (uint32_t)check_below(tasks);
    if (index + 1u == record_count || other == records[index].entity) {
        return;
    }
    const takt_record_t before = records[index + 1u];
    const uint64_t count = record_count;
    records[index + 1u] = records[index];
    records[index + 1u].kind = TAKT_RECORD_COMPLETE;
    records[index + 1u].entity = other;
    records[index + 1u].sequence = before.sequence;
    record_count = index + 2u;
    const takt_replay_result_t result = replay();
    CHECK(result.verdict == TAKT_REPLAY_INVALID && result.record == index + 1u);
    record_count = count;
    records[index + 1u] = before;
}

static void check_random_system(void) {
    takt_sim_t sim;
    random_system_make(&random_spec);
    simulate(&sim);
    check_statistics(&sim);
    check_counting_only(&sim);
    takt_sim_destroy(&sim);
    CHECK(replay().verdict == TAKT_REPLAY_IDENTICAL);
    check_changed_decision();
    check_completion_of_another();
    for (uint32_t i = 0; i < BROKEN_TRACES; i++) {
        check_broken_record();
    }
}

int main(void) {
    check_sequences(check_random_system, SEQUENCES);
    return check_report("test_simulator");
}
