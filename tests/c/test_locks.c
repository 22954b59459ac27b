/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replay refuses traces of tasks with resources that cannot have been recorded. What each protocol decides, cases and
 * random systems say. */
#include "core/protocol.h"
#include "sim/replay.h"

#include "driven.h"

enum { HIGH = 0, LOW = 1, TASKS = 2, P = 0, Q = 1, RESOURCES = 2, RECORDS = 64 };

static takt_record_t records[RECORDS];
static uint32_t record_count;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

static takt_trace_t trace = {.record = keep_record};

/* The ceiling of P is the level of HIGH, that of Q the level of LOW. */
static const takt_task_spec_t tasks[TASKS] = {
    {.relative_deadline = 10, .level = 1, .server = TAKT_ROOT, .is_external = true, .locks = true},
    {.relative_deadline = 20, .level = 2, .server = TAKT_ROOT, .is_external = true, .locks = true},
};
static takt_resource_spec_t resources[RESOURCES];
static takt_system_spec_t spec = {.levels = TASKS,
                                  .tasks = tasks,
                                  .task_count = TASKS,
                                  .resources = resources,
                                  .resource_count = RESOURCES};

/* A job of HIGH has arrived at 0 and runs. */
static void begin(const takt_policy_t *policy, takt_protocol_t protocol) {
    for (uint32_t i = 0; i < RESOURCES; i++) {
        resources[i] = (takt_resource_spec_t){.protocol = protocol, .ceiling = i + 1u, .server = TAKT_ROOT};
    }
    spec.policy = policy;
    record_count = 0;
    make_driven(&spec);
    takt_dispatcher_record_to(driven.dispatcher, &trace);
    CHECK(takt_system_reserve(&driven, HIGH));
    tell(TAKT_EVENT_ARRIVAL, task_entity(HIGH), 0);
    CHECK(pass(0).entity == task_entity(HIGH));
}

static takt_replay_verdict_t verdict(void) {
    destroy_driven();
    make_driven(&spec);
    const takt_replay_result_t result = takt_replay(&driven, records, record_count);
    destroy_driven();
    return result.verdict;
}

static void append_event(takt_record_kind_t kind, uint32_t task, uint64_t value, takt_instant_t now) {
    records[record_count++] = (takt_record_t){.now = now,
                                              .value = value,
                                              .entity = takt_entity_number(task_entity(task)),
                                              .sequence = driven.dispatcher->sequence + 1u,
                                              .kind = (uint8_t)kind};
}

static void a_lock_above_the_ceiling_cannot_have_been_recorded(void) {
    begin(&takt_policy_fp, TAKT_PROTOCOL_PCP);
    append_event(TAKT_RECORD_LOCK, HIGH, Q, 0);
    CHECK(verdict() == TAKT_REPLAY_INVALID);
}

static takt_replay_verdict_t verdict_on_a_holder_that_stops(takt_record_kind_t kind) {
    begin(&takt_policy_fp, TAKT_PROTOCOL_PIP);
    tell_lock(TAKT_EVENT_LOCK, task_entity(HIGH), 0, P);
    CHECK(take(0).entity == task_entity(HIGH));
    append_event(kind, HIGH, 1, 1);
    return verdict();
}

/* HIGH, which holds P, blocks. LOW runs meanwhile, also where a ceiling would bar it; its lock of P waits. */
static void a_holder_that_has_blocked_lets_others_run(takt_protocol_t protocol) {
    begin(&takt_policy_fp, protocol);
    CHECK(takt_system_reserve(&driven, LOW));
    tell_lock(TAKT_EVENT_LOCK, task_entity(HIGH), 0, P);
    tell(TAKT_EVENT_BLOCK, task_entity(HIGH), 1);
    tell(TAKT_EVENT_ARRIVAL, task_entity(LOW), 1);
    CHECK(pass(1).entity == task_entity(LOW));
    tell_lock(TAKT_EVENT_LOCK, task_entity(LOW), 2, P);
    CHECK(pass(2).entity == NULL);
    tell(TAKT_EVENT_WAKE, task_entity(HIGH), 3);
    CHECK(pass(3).entity == task_entity(HIGH));
    tell(TAKT_EVENT_COMPLETE, task_entity(HIGH), 4);
    CHECK(pass(4).entity == task_entity(LOW));
    tell(TAKT_EVENT_COMPLETE, task_entity(LOW), 5);
    CHECK(pass(5).entity == NULL);
    CHECK(verdict() == TAKT_REPLAY_IDENTICAL);
}

static void a_job_that_waits_for_a_resource_does_not_block(void) {
    begin(&takt_policy_fp, TAKT_PROTOCOL_PIP);
    CHECK(takt_system_reserve(&driven, LOW));
    tell_lock(TAKT_EVENT_LOCK, task_entity(HIGH), 0, P);
    tell(TAKT_EVENT_BLOCK, task_entity(HIGH), 1);
    tell(TAKT_EVENT_ARRIVAL, task_entity(LOW), 1);
    CHECK(pass(1).entity == task_entity(LOW));
    tell_lock(TAKT_EVENT_LOCK, task_entity(LOW), 2, P);
    append_event(TAKT_RECORD_BLOCK, LOW, 2, 2);
    CHECK(verdict() == TAKT_REPLAY_INVALID);
}

/* Keys that are computed have no level in them. */
static void a_change_of_level_is_of_jobs_whose_keys_are_levels(const takt_policy_t *policy,
                                                               takt_replay_verdict_t expected) {
    begin(policy, TAKT_PROTOCOL_PIP);
    append_event(TAKT_RECORD_PRIORITY, LOW, 1, 0);
    CHECK(verdict() == expected);
}

/* A program is linked with the search for ceilings by the rows that need it. */
static void every_protocol_that_bars_has_the_search(void) {
    for (uint32_t protocol = 0; protocol < TAKT_PROTOCOLS; protocol++) {
        const takt_protocol_kind_t *row = takt_protocols[protocol];
        CHECK((row->bars != TAKT_BARS_NOTHING) == (row->highest != NULL));
    }
}

int main(void) {
    every_protocol_that_bars_has_the_search();
    a_lock_above_the_ceiling_cannot_have_been_recorded();
    CHECK(verdict_on_a_holder_that_stops(TAKT_RECORD_BLOCK) == TAKT_REPLAY_IDENTICAL);
    CHECK(verdict_on_a_holder_that_stops(TAKT_RECORD_SUSPEND) == TAKT_REPLAY_INVALID);
    CHECK(verdict_on_a_holder_that_stops(TAKT_RECORD_YIELD) == TAKT_REPLAY_INVALID);
    for (takt_protocol_t protocol = TAKT_PROTOCOL_NONE; protocol <= TAKT_PROTOCOL_SRP; protocol++) {
        a_holder_that_has_blocked_lets_others_run(protocol);
    }
    a_job_that_waits_for_a_resource_does_not_block();
    a_change_of_level_is_of_jobs_whose_keys_are_levels(&takt_policy_fp, TAKT_REPLAY_IDENTICAL);
    a_change_of_level_is_of_jobs_whose_keys_are_levels(&takt_policy_edf, TAKT_REPLAY_INVALID);
    a_change_of_level_is_of_jobs_whose_keys_are_levels(&takt_policy_dual_priority, TAKT_REPLAY_INVALID);
    return check_report("test_locks");
}
