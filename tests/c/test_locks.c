/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What each protocol of SPEC.md, 9 promises, driven call by call: which entity holds, is blocked, runs instead, what
 * a deadlock does, and what is recorded. */
#include "sim/replay.h"

#include "driven.h"

enum { HIGH = 0, MIDDLE = 1, LOW = 2, LOWEST = 3, TASKS = 4, RESOURCES = 3, RECORDS = 256 };
enum { P = 0, Q = 1, R = 2 };

/* ---- systems ------------------------------------------------------------------------------------------ */

static takt_record_t records[RECORDS];
static uint32_t record_count;

static void keep_record(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    CHECK(record_count < RECORDS);
    records[record_count++] = *record;
}

static takt_trace_t trace = {keep_record};

/* Four tasks of levels 1 to 4, whose relative deadlines are ten times that. */
static takt_task_spec_t tasks[TASKS];
static takt_resource_spec_t resources[RESOURCES];
static takt_system_spec_t spec;

/* Resources P, Q and R under `protocol`, with the level of MIDDLE as ceiling of Q and that of HIGH as the others'. */
static void describe(const takt_policy_t *policy, takt_protocol_t protocol) {
    const takt_key_t unit = policy == &takt_policy_edf ? 10 : 1;
    for (uint32_t i = 0; i < TASKS; i++) {
        tasks[i] = (takt_task_spec_t){.relative_deadline = 10u * (i + 1u),
                                      .level = i + 1u,
                                      .server = TAKT_ROOT,
                                      .is_external = true,
                                      .locks = true};
    }
    for (uint32_t i = 0; i < RESOURCES; i++) {
        resources[i] = (takt_resource_spec_t){
            .protocol = protocol, .ceiling = i == Q ? 2 * unit : unit, .server = TAKT_ROOT};
    }
    spec = (takt_system_spec_t){.policy = policy,
                                .levels = TASKS,
                                .tasks = tasks,
                                .task_count = TASKS,
                                .resources = resources,
                                .resource_count = RESOURCES};
}

static void begin(void) {
    record_count = 0;
    make_driven(&spec);
    takt_dispatcher_record_to(driven.dispatcher, &trace);
}

static void make(takt_protocol_t protocol) {
    describe(&takt_policy_fp, protocol);
    begin();
}

/* What has been recorded is what a fresh system does. */
static void end(void) {
    destroy_driven();
    make_driven(&spec);
    CHECK(takt_replay(&driven, records, record_count).verdict == TAKT_REPLAY_IDENTICAL);
    destroy_driven();
}

/* ---- calls; each gives what runs then ------------------------------------------------------------------ */

static const takt_entity_t *arrive(uint32_t task, takt_instant_t now) {
    CHECK(takt_system_reserve(&driven, task));
    tell(TAKT_EVENT_ARRIVAL, task_entity(task), now);
    return pass(now).entity;
}

static const takt_entity_t *complete(uint32_t task, takt_instant_t now) {
    return post(TAKT_EVENT_COMPLETE, task_entity(task), now).entity;
}

static const takt_entity_t *lock(uint32_t task, uint32_t resource, takt_instant_t now) {
    tell_lock(TAKT_EVENT_LOCK, task_entity(task), now, resource);
    return take(now).entity;
}

static const takt_entity_t *unlock(uint32_t task, uint32_t resource, takt_instant_t now) {
    tell_lock(TAKT_EVENT_UNLOCK, task_entity(task), now, resource);
    return take(now).entity;
}

/* ---- what is asked ------------------------------------------------------------------------------------ */

static bool holds(uint32_t task, uint32_t resource) {
    return driven.resources[resource].holder == task_entity(task);
}

static bool is_free(uint32_t resource) { return driven.resources[resource].holder == NULL; }

static bool is_ready(uint32_t task) { return takt_entity_is_ready(task_entity(task)); }

static uint32_t count_of(takt_record_kind_t kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < record_count; i++) {
        count += records[i].kind == kind;
    }
    return count;
}

/* The `index`th record of `kind` is about `task` and `resource`. */
static void check_note(takt_record_kind_t kind, uint32_t index, uint32_t task, uint32_t resource) {
    uint32_t at = 0;
    while (at < record_count && (records[at].kind != kind || index-- > 0)) {
        at++;
    }
    CHECK(at < record_count);
    CHECK(records[at].entity == takt_entity_number(task_entity(task)) && records[at].value == resource);
}

#define RUNS(task, call) CHECK((call) == task_entity(task))
#define NOBODY_RUNS(call) CHECK((call) == NULL)

/* LOW has locked P at 0, and HIGH has come at 1. */
static const takt_entity_t *low_locks_and_high_comes(void) {
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    CHECK(holds(LOW, P));
    return arrive(HIGH, 1);
}

/* ---- each protocol ------------------------------------------------------------------------------------ */

static void under_none_a_blocked_job_is_not_ready_and_a_third_one_runs(void) {
    make(TAKT_PROTOCOL_NONE);
    RUNS(HIGH, low_locks_and_high_comes());
    RUNS(LOW, lock(HIGH, P, 1));
    CHECK(!is_ready(HIGH));
    check_note(TAKT_RECORD_REFUSE, 0, HIGH, P);
    RUNS(MIDDLE, arrive(MIDDLE, 2));
    RUNS(LOW, complete(MIDDLE, 3));
    RUNS(HIGH, unlock(LOW, P, 4));
    CHECK(holds(HIGH, P));
    check_note(TAKT_RECORD_GRANT, 1, HIGH, P);
    end();
}

static void under_npcs_nobody_displaces_a_holder(void) {
    make(TAKT_PROTOCOL_NPCS);
    RUNS(LOW, low_locks_and_high_comes());
    RUNS(HIGH, unlock(LOW, P, 2));
    end();
}

static void under_pip_the_holder_runs_instead_of_whom_it_blocks(void) {
    make(TAKT_PROTOCOL_PIP);
    RUNS(HIGH, low_locks_and_high_comes());
    RUNS(LOW, lock(HIGH, P, 1));
    CHECK(is_ready(HIGH));
    RUNS(LOW, arrive(MIDDLE, 2));
    RUNS(HIGH, unlock(LOW, P, 3));
    CHECK(holds(HIGH, P));
    RUNS(MIDDLE, complete(HIGH, 4));
    CHECK(is_free(P));
    end();
}

static void under_pip_a_chain_of_blocked_jobs_runs_from_its_end(void) {
    make(TAKT_PROTOCOL_PIP);
    RUNS(LOWEST, arrive(LOWEST, 0));
    RUNS(LOWEST, lock(LOWEST, P, 0));
    RUNS(LOW, arrive(LOW, 1));
    RUNS(LOW, lock(LOW, Q, 1));
    RUNS(LOWEST, lock(LOW, P, 1));
    RUNS(HIGH, arrive(HIGH, 2));
    RUNS(LOWEST, lock(HIGH, Q, 2));
    RUNS(LOWEST, arrive(MIDDLE, 3));
    RUNS(LOW, unlock(LOWEST, P, 4));
    CHECK(holds(LOW, P) && holds(LOW, Q));
    RUNS(LOW, unlock(LOW, P, 5));
    RUNS(HIGH, unlock(LOW, Q, 6));
    RUNS(MIDDLE, complete(HIGH, 7));
    end();
}

static void under_pcp_a_ceiling_keeps_a_job_from_a_free_resource(void) {
    make(TAKT_PROTOCOL_PCP);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    RUNS(MIDDLE, arrive(MIDDLE, 1));
    RUNS(LOW, lock(MIDDLE, Q, 1));
    CHECK(is_free(Q) && is_ready(MIDDLE));
    check_note(TAKT_RECORD_REFUSE, 0, MIDDLE, Q);
    RUNS(MIDDLE, unlock(LOW, P, 2));
    CHECK(holds(MIDDLE, Q));
    end();
}

/* The ceiling of Q is MIDDLE's level, which HIGH's is above. */
static void under_pcp_who_is_above_the_ceilings_locks(void) {
    make(TAKT_PROTOCOL_PCP);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, Q, 0));
    RUNS(HIGH, arrive(HIGH, 1));
    RUNS(HIGH, lock(HIGH, P, 1));
    CHECK(holds(HIGH, P) && holds(LOW, Q));
    end();
}

static void under_pcp_a_level_that_equals_the_ceiling_is_not_above_it(void) {
    make(TAKT_PROTOCOL_PCP);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    RUNS(HIGH, arrive(HIGH, 1));
    RUNS(LOW, lock(HIGH, R, 1));
    CHECK(is_free(R));
    RUNS(HIGH, unlock(LOW, P, 2));
    CHECK(holds(HIGH, R));
    end();
}

static void under_icpp_a_holder_is_as_urgent_as_the_ceiling(void) {
    make(TAKT_PROTOCOL_ICPP);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, Q, 0));
    RUNS(LOW, arrive(MIDDLE, 1));
    RUNS(HIGH, arrive(HIGH, 2));
    RUNS(LOW, complete(HIGH, 3));
    RUNS(MIDDLE, unlock(LOW, Q, 4));
    RUNS(LOW, complete(MIDDLE, 5));
    end();
}

static void under_icpp_an_equal_of_the_ceiling_waits(void) {
    make(TAKT_PROTOCOL_ICPP);
    RUNS(LOW, low_locks_and_high_comes());
    CHECK(task_entity(LOW)->key == 1);
    RUNS(HIGH, unlock(LOW, P, 2));
    CHECK(task_entity(LOW)->key == 3);
    end();
}

/* At 12 the deadline of a holder of Q becomes 12 + 20, the floor, before LOW's own 40. */
static void under_icpp_and_edf_the_deadline_of_a_holder_has_a_floor(void) {
    describe(&takt_policy_edf, TAKT_PROTOCOL_ICPP);
    begin();
    RUNS(LOW, arrive(LOW, 10));
    RUNS(LOW, lock(LOW, Q, 12));
    CHECK(task_entity(LOW)->key == 32);
    RUNS(LOW, arrive(MIDDLE, 12));
    RUNS(HIGH, arrive(HIGH, 13));
    RUNS(LOW, complete(HIGH, 14));
    RUNS(MIDDLE, unlock(LOW, Q, 15));
    CHECK(task_entity(LOW)->key == 40);
    end();
}

static void under_srp_nobody_starts_who_is_not_above_the_ceilings(void) {
    make(TAKT_PROTOCOL_SRP);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, Q, 0));
    RUNS(LOW, arrive(MIDDLE, 1));
    RUNS(HIGH, arrive(HIGH, 2));
    RUNS(HIGH, lock(HIGH, P, 2));
    RUNS(LOW, complete(HIGH, 3));
    RUNS(MIDDLE, unlock(LOW, Q, 4));
    CHECK(count_of(TAKT_RECORD_REFUSE) == 0);
    end();
}

static void under_srp_a_level_that_equals_the_ceiling_is_not_above_it(void) {
    make(TAKT_PROTOCOL_SRP);
    RUNS(LOW, low_locks_and_high_comes());
    RUNS(HIGH, unlock(LOW, P, 2));
    end();
}

/* A plain thread has no job; its level is its own key. */
static void under_srp_a_ceiling_bars_a_thread_too(void) {
    static const takt_thread_spec_t threads[] = {{.level = 2}, {.level = 1}};
    describe(&takt_policy_fp, TAKT_PROTOCOL_SRP);
    spec.threads = threads;
    spec.thread_count = 2;
    begin();
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, Q, 0));
    RUNS(LOW, post(TAKT_EVENT_WAKE, thread_entity(0), 1).entity);
    CHECK(post(TAKT_EVENT_WAKE, thread_entity(1), 2).entity == thread_entity(1));
    RUNS(LOW, post(TAKT_EVENT_BLOCK, thread_entity(1), 3).entity);
    CHECK(unlock(LOW, Q, 4) == thread_entity(0));
    end();
}

/* ---- ends --------------------------------------------------------------------------------------------- */

static void the_end_of_a_job_unlocks_what_it_locked_last_first(void) {
    make(TAKT_PROTOCOL_PIP);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    RUNS(LOW, lock(LOW, R, 1));
    RUNS(LOW, lock(LOW, Q, 1));
    NOBODY_RUNS(complete(LOW, 2));
    check_note(TAKT_RECORD_FREE, 0, LOW, Q);
    check_note(TAKT_RECORD_FREE, 1, LOW, R);
    check_note(TAKT_RECORD_FREE, 2, LOW, P);
    end();
}

static void those_that_were_not_ready_join_in_the_order_in_which_they_were_blocked(void) {
    describe(&takt_policy_fp, TAKT_PROTOCOL_NONE);
    tasks[HIGH].level = 2;
    begin();
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    RUNS(MIDDLE, arrive(MIDDLE, 1));
    RUNS(LOW, lock(MIDDLE, P, 1));
    RUNS(HIGH, arrive(HIGH, 2));
    RUNS(LOW, lock(HIGH, P, 2));
    RUNS(MIDDLE, unlock(LOW, P, 3));
    CHECK(holds(MIDDLE, P));
    RUNS(HIGH, complete(MIDDLE, 4));
    CHECK(holds(HIGH, P));
    end();
}

/* HIGH is blocked when its deadline comes; nothing of it is left behind. */
static void a_blocked_job_that_is_aborted_waits_no_more(void) {
    describe(&takt_policy_fp, TAKT_PROTOCOL_NONE);
    tasks[HIGH].on_miss = TAKT_ON_MISS_ABORT;
    begin();
    RUNS(HIGH, low_locks_and_high_comes());
    RUNS(LOW, lock(HIGH, P, 1));
    RUNS(LOW, pass(11).entity);
    CHECK(driven.resources[P].parked == NULL && holds(LOW, P));
    RUNS(LOW, unlock(LOW, P, 12));
    CHECK(count_of(TAKT_RECORD_GRANT) == 1);
    end();
}

/* ---- deadlock ----------------------------------------------------------------------------------------- */

/* LOW holds P and wants Q, HIGH holds Q and wants P. */
static const takt_entity_t *cross(void) {
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    RUNS(HIGH, arrive(HIGH, 1));
    RUNS(HIGH, lock(HIGH, Q, 1));
    RUNS(LOW, lock(HIGH, P, 2));
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 0);
    return lock(LOW, Q, 3);
}

static void check_circle(void) {
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 2);
    check_note(TAKT_RECORD_DEADLOCK, 0, LOW, Q);
    check_note(TAKT_RECORD_DEADLOCK, 1, HIGH, P);
    CHECK(!is_ready(LOW) && !is_ready(HIGH));
}

static void a_circle_is_reported_and_its_jobs_are_not_ready(takt_protocol_t protocol) {
    make(protocol);
    NOBODY_RUNS(cross());
    check_circle();
    RUNS(MIDDLE, arrive(MIDDLE, 4));
    end();
}

static void a_job_that_waits_for_a_circle_is_not_ready_either(void) {
    make(TAKT_PROTOCOL_PIP);
    NOBODY_RUNS(cross());
    RUNS(MIDDLE, arrive(MIDDLE, 4));
    NOBODY_RUNS(lock(MIDDLE, P, 4));
    CHECK(!is_ready(MIDDLE));
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 2);
    end();
}

/* LOW, which holds P, is aborted at 30: HIGH gets P, and MIDDLE, which waits for Q, lends it its urgency. */
static void the_abort_of_a_job_in_a_circle_frees_the_others(void) {
    describe(&takt_policy_fp, TAKT_PROTOCOL_PIP);
    tasks[LOW].on_miss = TAKT_ON_MISS_ABORT;
    begin();
    NOBODY_RUNS(cross());
    RUNS(MIDDLE, arrive(MIDDLE, 4));
    NOBODY_RUNS(lock(MIDDLE, Q, 4));
    RUNS(HIGH, pass(30).entity);
    CHECK(holds(HIGH, P) && holds(HIGH, Q) && is_ready(MIDDLE));
    RUNS(HIGH, unlock(HIGH, P, 31));
    RUNS(MIDDLE, complete(HIGH, 32));
    CHECK(holds(MIDDLE, Q) && is_free(P));
    end();
}

static void pcp_icpp_and_srp_know_no_circle(takt_protocol_t protocol) {
    make(protocol);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, P, 0));
    const takt_entity_t *runs = arrive(HIGH, 1);
    if (runs == task_entity(HIGH)) {
        RUNS(LOW, lock(HIGH, R, 1));
    }
    RUNS(LOW, lock(LOW, R, 2));
    RUNS(LOW, unlock(LOW, R, 3));
    RUNS(HIGH, unlock(LOW, P, 4));
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 0);
    end();
}

/* ---- servers ------------------------------------------------------------------------------------------ */

/* OUTER(P 20, Q 5) has INNER(P 8, Q 4, sporadic), in which LOW and HIGH share P and Q, and MIDDLE. */
enum { OUTER = 0, INNER = 1 };
static takt_server_spec_t servers[2];

static void describe_nested(takt_protocol_t protocol) {
    describe(&takt_policy_fp, protocol);
    servers[OUTER] = (takt_server_spec_t){.kind = &takt_server_deferrable,
                                          .policy = &takt_policy_fp,
                                          .period = 20,
                                          .capacity = 5,
                                          .level = 1,
                                          .parent = TAKT_ROOT,
                                          .levels = TASKS};
    servers[INNER] = (takt_server_spec_t){.kind = &takt_server_sporadic,
                                          .policy = &takt_policy_fp,
                                          .period = 8,
                                          .capacity = 4,
                                          .level = 1,
                                          .parent = OUTER,
                                          .levels = TASKS};
    spec.servers = servers;
    spec.server_count = 2;
    tasks[HIGH].server = tasks[LOW].server = INNER;
    tasks[MIDDLE].server = OUTER;
    resources[P].server = resources[Q].server = INNER;
}

/* A budget that runs out inside a section lets others run, and the section goes on with the next one. */
static void a_server_may_run_out_of_budget_inside_a_section(void) {
    describe_nested(TAKT_PROTOCOL_PIP);
    begin();
    RUNS(HIGH, (arrive(LOW, 0), lock(LOW, P, 0), arrive(HIGH, 1)));
    RUNS(LOW, lock(HIGH, P, 1));
    RUNS(LOW, arrive(MIDDLE, 2));
    RUNS(MIDDLE, pass(4).entity);
    CHECK(holds(LOW, P) && driven.servers[INNER].job.remaining == 0);
    NOBODY_RUNS(pass(5).entity);
    RUNS(LOW, pass(20).entity);
    RUNS(HIGH, unlock(LOW, P, 21));
    CHECK(holds(HIGH, P));
    end();
}

/* A circle leaves the server without work; what it has left is for others. */
static void a_circle_in_a_server_makes_the_server_not_ready(void) {
    describe_nested(TAKT_PROTOCOL_PIP);
    begin();
    RUNS(LOW, arrive(MIDDLE, 0) == NULL ? NULL : arrive(LOW, 0));
    RUNS(MIDDLE, (lock(LOW, P, 0), arrive(HIGH, 1), lock(HIGH, Q, 1), lock(HIGH, P, 1), lock(LOW, Q, 2)));
    CHECK(count_of(TAKT_RECORD_DEADLOCK) == 2);
    CHECK(!takt_entity_is_ready(server_entity(INNER)));
    CHECK(driven.servers[INNER].returns->count == 1);
    end();
}

/* The deadline of HIGH, which is in the circle, comes while OUTER has no budget, at 15. That is when LOW can go on,
 * and when the interval of INNER begins, although all this is found out at 20. */
static void an_abort_that_waits_in_an_exhausted_server_unlocks_at_its_nominal_instant(void) {
    describe_nested(TAKT_PROTOCOL_NONE);
    tasks[HIGH].on_miss = TAKT_ON_MISS_ABORT;
    tasks[HIGH].relative_deadline = 14;
    begin();
    RUNS(LOW, arrive(MIDDLE, 0) == NULL ? NULL : arrive(LOW, 0));
    RUNS(MIDDLE, (lock(LOW, P, 0), arrive(HIGH, 1), lock(HIGH, Q, 1), lock(HIGH, P, 1), lock(LOW, Q, 2)));
    NOBODY_RUNS(pass(5).entity);
    RUNS(LOW, pass(20).entity);
    CHECK(holds(LOW, P) && holds(LOW, Q));
    CHECK(driven.servers[INNER].job.release == 15);
    end();
}

/* ---- traces that cannot have been recorded ------------------------------------------------------------------ */

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
    make(TAKT_PROTOCOL_PCP);
    RUNS(HIGH, arrive(HIGH, 0));
    append_event(TAKT_RECORD_LOCK, HIGH, Q, 0);
    CHECK(verdict() == TAKT_REPLAY_INVALID);
}

static void a_holder_that_stops_cannot_have_been_recorded(takt_record_kind_t kind) {
    make(TAKT_PROTOCOL_PIP);
    RUNS(HIGH, arrive(HIGH, 0));
    RUNS(HIGH, lock(HIGH, P, 0));
    append_event(kind, HIGH, 1, 1);
    CHECK(verdict() == TAKT_REPLAY_INVALID);
}

/* Keys that are computed have no level in them. */
static void a_change_of_level_is_of_jobs_whose_keys_are_levels(const takt_policy_t *policy,
                                                               takt_replay_verdict_t expected) {
    describe(policy, TAKT_PROTOCOL_PIP);
    begin();
    RUNS(HIGH, arrive(HIGH, 0));
    append_event(TAKT_RECORD_PRIORITY, MIDDLE, 1, 0);
    CHECK(verdict() == expected);
}

/* ------------------------------------------------------------------------------------------------------------ */

static void test_protocols(void) {
    under_none_a_blocked_job_is_not_ready_and_a_third_one_runs();
    under_npcs_nobody_displaces_a_holder();
    under_pip_the_holder_runs_instead_of_whom_it_blocks();
    under_pip_a_chain_of_blocked_jobs_runs_from_its_end();
    under_pcp_a_ceiling_keeps_a_job_from_a_free_resource();
    under_pcp_who_is_above_the_ceilings_locks();
    under_pcp_a_level_that_equals_the_ceiling_is_not_above_it();
    under_icpp_a_holder_is_as_urgent_as_the_ceiling();
    under_icpp_an_equal_of_the_ceiling_waits();
    under_icpp_and_edf_the_deadline_of_a_holder_has_a_floor();
    under_srp_nobody_starts_who_is_not_above_the_ceilings();
    under_srp_a_level_that_equals_the_ceiling_is_not_above_it();
    under_srp_a_ceiling_bars_a_thread_too();
}

static void test_ends(void) {
    the_end_of_a_job_unlocks_what_it_locked_last_first();
    those_that_were_not_ready_join_in_the_order_in_which_they_were_blocked();
    a_blocked_job_that_is_aborted_waits_no_more();
}

static void test_deadlock(void) {
    a_circle_is_reported_and_its_jobs_are_not_ready(TAKT_PROTOCOL_NONE);
    a_circle_is_reported_and_its_jobs_are_not_ready(TAKT_PROTOCOL_PIP);
    a_job_that_waits_for_a_circle_is_not_ready_either();
    the_abort_of_a_job_in_a_circle_frees_the_others();
    pcp_icpp_and_srp_know_no_circle(TAKT_PROTOCOL_PCP);
    pcp_icpp_and_srp_know_no_circle(TAKT_PROTOCOL_ICPP);
    pcp_icpp_and_srp_know_no_circle(TAKT_PROTOCOL_SRP);
}

static void test_servers(void) {
    a_server_may_run_out_of_budget_inside_a_section();
    a_circle_in_a_server_makes_the_server_not_ready();
    an_abort_that_waits_in_an_exhausted_server_unlocks_at_its_nominal_instant();
}

static void test_traces(void) {
    a_lock_above_the_ceiling_cannot_have_been_recorded();
    a_holder_that_stops_cannot_have_been_recorded(TAKT_RECORD_BLOCK);
    a_holder_that_stops_cannot_have_been_recorded(TAKT_RECORD_SUSPEND);
    a_holder_that_stops_cannot_have_been_recorded(TAKT_RECORD_YIELD);
    a_change_of_level_is_of_jobs_whose_keys_are_levels(&takt_policy_fp, TAKT_REPLAY_IDENTICAL);
    a_change_of_level_is_of_jobs_whose_keys_are_levels(&takt_policy_edf, TAKT_REPLAY_INVALID);
    a_change_of_level_is_of_jobs_whose_keys_are_levels(&takt_policy_dual_priority, TAKT_REPLAY_INVALID);
}

int main(void) {
    test_protocols();
    test_ends();
    test_deadlock();
    test_servers();
    test_traces();
    return check_report("test_locks");
}
