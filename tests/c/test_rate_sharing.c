/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based tasks that share resources, in random systems whose tasks enter and leave: whatever overruns, nobody
 * finds locked what it locks, the ledger is never above the whole, and the traces replay. What the schedules are,
 * tests/core/test_rate_sharing.py says; here they meet the sanitizers. */
#include "policy/table.h"
#include "sim/replay.h"
#include "sim/sim.h"

#include "check.h"

enum { TASKS = 5, RESOURCES = 3, ITEMS = 7, CHANGES = 2 * TASKS, HORIZON = 400, RECORDS = 1 << 14 };

typedef struct random_rates {
    takt_rate_settings_t settings;
    takt_task_spec_t tasks[TASKS];
    takt_item_t bodies[TASKS][ITEMS];
    takt_resource_spec_t resources[RESOURCES];
    takt_use_spec_t uses[TASKS * 2];
    takt_change_spec_t changes[CHANGES];
    takt_system_spec_t spec;
} random_rates_t;

static random_rates_t drawn;
static takt_record_t records[RECORDS];
static uint64_t record_count;
static uint64_t lock_count;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

/* ---- systems ------------------------------------------------------------------------------------------ */

static void use(uint32_t task, uint32_t resource) {
    drawn.uses[drawn.spec.use_count++] = (takt_use_spec_t){task, resource};
}

/* Run, then a section with another one in it, then run; or just run. */
static void make_body(uint32_t task) {
    const uint32_t outer = (uint32_t)check_below(RESOURCES);
    const uint32_t inner = (outer + 1u) % RESOURCES;
    const takt_item_t items[ITEMS] = {{TAKT_ITEM_RUN, 1 + check_below(2)},
                                      {TAKT_ITEM_LOCK, outer},
                                      {TAKT_ITEM_RUN, 1 + check_below(3)},
                                      {TAKT_ITEM_LOCK, inner},
                                      {TAKT_ITEM_RUN, 1},
                                      {TAKT_ITEM_UNLOCK, inner},
                                      {TAKT_ITEM_UNLOCK, outer}};
    for (uint32_t i = 0; i < ITEMS; i++) {
        drawn.bodies[task][i] = items[i];
    }
    drawn.tasks[task].body = drawn.bodies[task];
    drawn.tasks[task].body_count = ITEMS;
    drawn.tasks[task].locks = true;
    use(task, outer);
    use(task, inner);
}

static void make_task(uint32_t task) {
    const takt_duration_t period = 10 + check_below(40);
    drawn.tasks[task] = (takt_task_spec_t){
        .period = period,
        .relative_deadline = period,
        .wcet = 1 + check_below(6),
        .level = 1,
        .server = TAKT_ROOT,
        .task_class = (takt_task_class_t)check_below(3),
        .weight = 1,
        .blocking = TAKT_RATE_WHOLE / (1 + check_below(100)) / 4,
        .excess = TAKT_RATE_WHOLE / 50,
        .demand = 1 + check_below(12),
    };
    drawn.tasks[task].adapts = drawn.tasks[task].task_class == TAKT_CLASS_SOFT && check_below(2) == 0;
    if (check_below(4) > 0) {
        make_body(task);
    }
}

/* All enter, one after the other; then they leave. */
static void make_changes(void) {
    for (uint32_t i = 0; i < CHANGES; i++) {
        drawn.changes[i] = (takt_change_spec_t){
            .instant = i * 20 + check_below(20),
            .kind = i < TASKS ? TAKT_CHANGE_ENTER : TAKT_CHANGE_LEAVE,
            .task = i % TASKS,
        };
    }
}

static void make_system(void) {
    drawn.spec = (takt_system_spec_t){.policy = &takt_policy_rate_based, .levels = 1};
    drawn.settings = (takt_rate_settings_t){.beta = TAKT_RATE_WHOLE / 20,
                                            .grid = 1,
                                            .rule = (takt_rate_rule_t)check_below(3),
                                            .estimate_jobs = 2,
                                            .has_background = check_below(2) == 0,
                                            .has_compression = check_below(2) == 0,
                                            .has_cuts = check_below(2) == 0};
    for (uint32_t task = 0; task < TASKS; task++) {
        make_task(task);
    }
    for (uint32_t i = 0; i < RESOURCES; i++) {
        drawn.resources[i] =
            (takt_resource_spec_t){.protocol = TAKT_PROTOCOL_SRP, .ceiling = 1, .server = TAKT_ROOT};
    }
    make_changes();
    drawn.spec.tasks = drawn.tasks;
    drawn.spec.task_count = TASKS;
    drawn.spec.resources = drawn.resources;
    drawn.spec.resource_count = RESOURCES;
    drawn.spec.uses = drawn.uses;
    drawn.spec.rates = &drawn.settings;
    drawn.spec.changes = drawn.changes;
    drawn.spec.change_count = CHANGES;
}

/* ---- what they promise ---------------------------------------------------------------------------------- */

static void see_lock(void *context, takt_instant_t now, uint32_t task, uint32_t job, uint32_t resource,
                     takt_sim_lock_t what) {
    uint64_t *locks = (uint64_t *)context;
    (void)now;
    (void)task;
    (void)job;
    (void)resource;
    CHECK(what == TAKT_SIM_LOCKED || what == TAKT_SIM_UNLOCKED);
    (*locks)++;
}

static void see_ledger(void *context, takt_instant_t now, uint64_t reserved) {
    (void)context;
    (void)now;
    CHECK(reserved <= TAKT_RATE_WHOLE || drawn.settings.rule == TAKT_RATE_NAIVE);
}

static uint64_t run(void) {
    uint64_t locks = 0;
    const takt_sim_sinks_t sinks = {.context = &locks, .lock = see_lock, .ledger = see_ledger};
    takt_trace_t trace = {.record = keep_record};
    takt_sim_t sim;
    record_count = 0;
    CHECK(takt_sim_create(&sim, &drawn.spec, NULL));
    takt_sim_run(&sim, HORIZON, &sinks, &trace);
    takt_sim_destroy(&sim);
    return locks;
}

static void replay(uint64_t count, takt_replay_verdict_t expected) {
    takt_system_t system;
    CHECK(takt_system_create(&system, &drawn.spec));
    CHECK(takt_replay(&system, records, count).verdict == expected);
    takt_system_destroy(&system);
}

/* Whether the first job that runs may be the entity of the next record of `kind`. */
static void replay_first(takt_record_kind_t kind, uint64_t value, takt_replay_verdict_t expected) {
    uint64_t first = 0;
    while (records[first].kind != TAKT_RECORD_DECISION || records[first].entity == TAKT_NO_ENTITY) {
        first++;
        CHECK(first < record_count);
    }
    takt_record_t *next = &records[first + 1];
    *next = records[first];
    next->kind = (uint8_t)kind;
    next->value = value;
    next->sequence++;
    replay(first + 2, expected);
}

/* A task with windows may yield, but neither blocks nor has a level. */
static void replay_what_a_thread_does(void) {
    replay_first(TAKT_RECORD_YIELD, HORIZON, TAKT_REPLAY_IDENTICAL);
    replay_first(TAKT_RECORD_BLOCK, HORIZON, TAKT_REPLAY_INVALID);
    replay_first(TAKT_RECORD_PRIORITY, HORIZON, TAKT_REPLAY_INVALID);
    replay_first(TAKT_RECORD_SUSPEND, HORIZON, TAKT_REPLAY_INVALID);
}

static void replay_locks_of_what_is_not_there(void) {
    replay_first(TAKT_RECORD_LOCK, RESOURCES, TAKT_REPLAY_INVALID);
    replay_first(TAKT_RECORD_UNLOCK, RESOURCES, TAKT_REPLAY_INVALID);
}

/* A task may lock what it said that it uses. */
static void check_who_may_lock(void) {
    takt_system_t system;
    CHECK(takt_system_create(&system, &drawn.spec));
    for (uint32_t task = 0; task < TASKS; task++) {
        for (uint32_t resource = 0; resource < RESOURCES; resource++) {
            bool is_used = false;
            for (uint32_t use = 0; use < drawn.spec.use_count; use++) {
                is_used |= drawn.uses[use].task == task && drawn.uses[use].resource == resource;
            }
            const takt_allocator_t *allocator = system.rates[task].extension.allocation->functions;
            CHECK(allocator->may_lock(&system.tasks[task], &system.resources[resource]) == is_used);
        }
    }
    takt_system_destroy(&system);
}

static void one_system(void) {
    make_system();
    lock_count += run();
    replay(record_count, TAKT_REPLAY_IDENTICAL);
    replay_what_a_thread_does();
    replay_locks_of_what_is_not_there();
    check_who_may_lock();
}

int main(void) {
    check_sequences(one_system, 300);
    CHECK(lock_count > 0 || getenv("TAKT_SYSTEMS") != NULL);
    return check_report("test_rate_sharing");
}
