/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Several processors: directed systems call by call, and on random ones what must hold after every decision, that
 * replay repeats it bit for bit and finds what was damaged, and that on one processor it is what the platform for one
 * does. The comparison with the oracle is in Python. */
#include "sim/sim.h"

#include "policy/table.h"
#include "sim/replay.h"

#include <string.h>

#include "check.h"

enum { HORIZON = 600, RECORDS = 1 << 14, TASKS = 9, LEVELS = 3, SEQUENCES = 1500 };

static takt_task_spec_t tasks[TASKS];
static takt_system_spec_t spec = {.levels = LEVELS, .tasks = tasks};
static takt_system_t driven;

/* ---- call by call --------------------------------------------------------------------------------------- */

static takt_task_spec_t task_of(uint32_t level, takt_instant_t offset, takt_duration_t deadline) {
    return (takt_task_spec_t){
        .period = 1000,
        .relative_deadline = deadline,
        .offset = offset,
        .wcet = 10,
        .demand = 10,
        .level = level,
        .server = TAKT_ROOT,
    };
}

static void make(const takt_policy_t *policy, uint32_t cpus, uint32_t count) {
    spec.policy = policy;
    spec.cpu_count = cpus;
    spec.task_count = count;
    CHECK(takt_system_create(&driven, &spec));
}

static void step_to(takt_instant_t now) {
    while (takt_dispatcher_step(driven.dispatcher, now)) {
    }
}

static void complete(uint32_t task, takt_instant_t now) {
    const takt_event_t event = {TAKT_EVENT_COMPLETE, takt_system_entity_of(&driven, task), now, {now}};
    takt_dispatcher_post(driven.dispatcher, &event);
}

enum { NOBODY = TASKS };

/* The next decision gives `cpu` to `task`. */
static void check_next(takt_instant_t now, uint32_t cpu, uint32_t task) {
    takt_decision_t decision;
    CHECK(takt_dispatcher_take_next(driven.dispatcher, now, &decision));
    CHECK(decision.cpu == cpu);
    CHECK(decision.entity == (task == NOBODY ? NULL : takt_system_entity_of(&driven, task)));
    CHECK(driven.cpus[cpu].running == decision.entity);
}

static void check_settled(takt_instant_t now, takt_instant_t until) {
    takt_decision_t decision;
    CHECK(!takt_dispatcher_take_next(driven.dispatcher, now, &decision));
    CHECK(decision.until == until);
}

static void free_processors_are_taken_in_ascending_order_and_then_the_least_urgent_is_displaced(void) {
    tasks[0] = task_of(3, 0, 1000);
    tasks[1] = task_of(2, 0, 1000);
    tasks[2] = task_of(1, 5, 1000);
    make(&takt_policy_fp, 3, 3);
    step_to(0);
    check_next(0, 0, 1);
    check_next(0, 1, 0);
    check_settled(0, 5);
    step_to(5);
    check_next(5, 2, 2);
    complete(1, 6);
    check_next(6, 0, NOBODY);
    check_settled(6, 1000);
    takt_system_destroy(&driven);
}

static void a_displacer_takes_the_processor_of_whom_it_displaces_and_that_one_keeps_its_place(void) {
    tasks[0] = task_of(2, 0, 1000);
    tasks[1] = task_of(2, 0, 1000);
    tasks[2] = task_of(2, 0, 1000);
    tasks[3] = task_of(1, 5, 1000);
    make(&takt_policy_fp, 2, 4);
    step_to(0);
    check_next(0, 0, 0);
    check_next(0, 1, 1);
    check_settled(0, 5);
    step_to(5);
    check_next(5, 1, 3);
    check_settled(5, 1000);
    complete(0, 10);
    check_next(10, 0, 1);
    complete(3, 15);
    check_next(15, 1, 2);
    takt_system_destroy(&driven);
}

static void a_started_non_preemptive_job_is_not_displaced(void) {
    tasks[0] = task_of(3, 0, 500);
    tasks[0].is_limited = true;
    tasks[1] = task_of(2, 0, 400);
    tasks[2] = task_of(1, 5, 100);
    tasks[3] = task_of(1, 6, 50);
    make(&takt_policy_edf, 2, 4);
    step_to(0);
    check_next(0, 0, 1);
    check_next(0, 1, 0);
    step_to(5);
    check_next(5, 0, 2);
    step_to(6);
    check_next(6, 0, 3);
    check_settled(6, 1000);
    complete(0, 10);
    check_next(10, 1, 2);
    check_settled(10, 1000);
    takt_system_destroy(&driven);
}

static void a_next_job_goes_to_the_tail_and_completions_count_in_their_order(void) {
    tasks[0] = task_of(1, 0, 1000);
    tasks[0].period = 4;
    tasks[1] = task_of(1, 0, 1000);
    tasks[2] = task_of(1, 3, 1000);
    make(&takt_policy_fp, 2, 3);
    step_to(0);
    check_next(0, 0, 0);
    check_next(0, 1, 1);
    step_to(4);
    complete(0, 5);
    complete(1, 5);
    check_next(5, 0, 2);
    check_next(5, 1, 0);
    check_settled(5, 8);
    takt_system_destroy(&driven);
}

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
    takt_trace_t trace = {keep_record};
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
    free_processors_are_taken_in_ascending_order_and_then_the_least_urgent_is_displaced();
    a_displacer_takes_the_processor_of_whom_it_displaces_and_that_one_keeps_its_place();
    a_started_non_preemptive_job_is_not_displaced();
    a_next_job_goes_to_the_tail_and_completions_count_in_their_order();
    check_sequences(check_random_system, SEQUENCES);
    check_sequences(check_one_processor, SEQUENCES);
    return check_report("test_global");
}
