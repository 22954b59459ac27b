/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Several processors, in random systems: what must hold after every decision, that replay repeats it bit for bit and
 * finds what was damaged, and that on one processor it is what the platform for one does. The comparison with the oracle
 * is in Python, schedules worked out by hand are cases. */
#include "sim/sim.h"

#include "policy/table.h"
#include "sim/replay.h"

#include <string.h>

#include "check.h"

enum { HORIZON = 600, RECORDS = 1 << 14, TASKS = 9, LEVELS = 3, SEQUENCES = 1500 };

static takt_task_spec_t tasks[TASKS];
static takt_system_spec_t spec = {.levels = LEVELS, .tasks = tasks};

/* ---- random sets ----------------------------------------------------------------------------------------- */

static takt_record_t records[RECORDS];
static uint64_t record_count;
static const takt_sim_t *watched;

typedef struct segment {
    takt_instant_t start;
    takt_instant_t end;
    uint32_t cpu;
    uint32_t task;
    uint32_t job;
} segment_t;

static segment_t segments[2][RECORDS];
static uint32_t segment_counts[2];

/* Every processor that can be busy is, and no waiting job is more urgent than a running one. */
static void check_choice(const takt_system_t *system) {
    const takt_dispatcher_t *dispatcher = system->dispatcher;
    const takt_entity_t *best = takt_ready_best(&system->dispatcher->root.ready);
    uint32_t active = 0;
    for (uint32_t task = 0; task < system->task_count; task++) {
        active += takt_task_is_active(&system->tasks[task]);
    }
    CHECK(dispatcher->busy == (active < spec.cpu_count ? active : spec.cpu_count));
    for (uint32_t place = 0; place < spec.cpu_count; place++) {
        const takt_entity_t *running = dispatcher->cpus[place].in_order->running;
        CHECK((running != NULL) == (place < dispatcher->busy));
        CHECK(running == NULL || takt_cpu_runs(dispatcher->cpus[place].in_order));
        const uint32_t tie = spec.policy->order == TAKT_ORDER_KEYS && running != NULL ? running->tie : 0u;
        CHECK(running == NULL || best == NULL ||
              !takt_is_more_urgent(best->key, best->tie, running->key, tie));
    }
    for (uint32_t place = dispatcher->busy + 1u; place < spec.cpu_count; place++) {
        CHECK(dispatcher->cpus[place - 1u].in_order < dispatcher->cpus[place].in_order);
    }
}

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
    if (record->kind == TAKT_RECORD_SETTLED) {
        check_choice(&watched->system);
    }
}

static void keep_segment(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                         uint32_t job) {
    const uint32_t run = *(uint32_t *)context;
    CHECK(start < end && end <= HORIZON && segment_counts[run] < RECORDS);
    segments[run][segment_counts[run]++] = (segment_t){start, end, cpu, task, job};
}

static takt_task_spec_t random_task(void) {
    const takt_duration_t period = 2 + check_below(40);
    return (takt_task_spec_t){
        .period = period,
        .relative_deadline = 1 + check_below(2 * period),
        .offset = check_below(30),
        .wcet = period,
        .level = 1 + (uint32_t)check_below(LEVELS),
        .server = TAKT_ROOT,
        .is_limited = check_below(4) == 0,
        .task_class = (takt_task_class_t)check_below(3),
        .on_miss = (takt_on_miss_t)check_below(4),
        .is_external = check_below(3) == 0,
        .demand = 1 + check_below(period + 3),
    };
}

static void make_random(void) {
    do {
        spec.policy = takt_policies[check_below(takt_policy_count)];
    } while (spec.policy->overtake != NULL);
    spec.cpu_count = 1 + (uint32_t)check_below(5);
    spec.task_count = 1 + (uint32_t)check_below(TASKS);
    for (uint32_t task = 0; task < spec.task_count; task++) {
        tasks[task] = random_task();
    }
}

/* No two segments of one task, and none of one processor, overlap; they come in the order of their ends. */
static void check_segments(uint32_t run) {
    takt_instant_t ends[TASKS] = {0};
    takt_instant_t cpu_ends[TAKT_CPU_LIMIT] = {0};
    for (uint32_t i = 0; i < segment_counts[run]; i++) {
        const segment_t *segment = &segments[run][i];
        CHECK(segment->start >= ends[segment->task] && segment->start >= cpu_ends[segment->cpu]);
        ends[segment->task] = segment->end;
        cpu_ends[segment->cpu] = segment->end;
    }
}

static takt_replay_verdict_t replay(void) {
    takt_system_t system;
    CHECK(takt_system_create(&system, &spec));
    const takt_replay_verdict_t verdict = takt_replay(&system, records, record_count).verdict;
    takt_system_destroy(&system);
    return verdict;
}

/* A decision on another processor, on one that there is not, or none, is found out. */
static void check_damage(void) {
    const uint64_t place = check_below(record_count);
    const takt_record_t was = records[place];
    if (was.kind == TAKT_RECORD_DECISION) {
        records[place].cpu++;
        CHECK(replay() ==
              (records[place].cpu < spec.cpu_count ? TAKT_REPLAY_DIFFERENT : TAKT_REPLAY_INVALID));
        records[place] = was;
        records[place].kind = TAKT_RECORD_SETTLED;
        CHECK(replay() != TAKT_REPLAY_IDENTICAL);
    }
    records[place] = was;
}

static void run_one(uint32_t run) {
    takt_sim_t sim;
    takt_trace_t trace = {.record = keep_record};
    const takt_sim_sinks_t sinks = {.context = &run, .segment = keep_segment};
    segment_counts[run] = 0;
    record_count = 0;
    watched = &sim;
    CHECK(takt_sim_create(&sim, &spec, NULL));
    takt_sim_run(&sim, HORIZON, &sinks, spec.cpu_count > 0 ? &trace : NULL);
    takt_sim_destroy(&sim);
}

static void check_random_system(void) {
    make_random();
    run_one(0);
    check_segments(0);
    CHECK(replay() == TAKT_REPLAY_IDENTICAL);
    check_damage();
}

static void check_one_processor(void) {
    make_random();
    spec.cpu_count = 1;
    run_one(0);
    spec.cpu_count = 0;
    run_one(1);
    CHECK(segment_counts[0] == segment_counts[1]);
    CHECK(memcmp(segments[0], segments[1], segment_counts[0] * sizeof(segment_t)) == 0);
}

int main(void) {
    check_sequences(check_random_system, SEQUENCES);
    check_sequences(check_one_processor, SEQUENCES);
    return check_report("test_global");
}
