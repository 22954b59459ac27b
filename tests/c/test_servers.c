/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Late and early calls leave the budgets and the nominal instants of servers right. What each kind promises otherwise,
 * cases and random systems say. */
#include "driven.h"

/* ---- deferrable ------------------------------------------------------------------------------------ */

/* S(P 20, Q 3) with busy(T 5, C 5) in it; beside it background(T 100, C 100), less urgent. */
static const takt_server_spec_t server_spec = {
    .kind = &takt_server_deferrable,
    .policy = &takt_policy_fp,
    .period = 20,
    .capacity = 3,
    .level = 1,
    .parent = TAKT_ROOT,
    .levels = 1,
};
static const takt_task_spec_t task_specs[] = {
    {.period = 5, .relative_deadline = 5, .demand = 5, .level = 1, .server = 0},
    {.period = 100, .relative_deadline = 100, .demand = 100, .level = 2, .server = TAKT_ROOT},
};
enum { BUSY = 0, BACKGROUND = 1 };

static void make_system(void) {
    const takt_system_spec_t spec = {
        .policy = &takt_policy_fp,
        .levels = 2,
        .servers = &server_spec,
        .server_count = 1,
        .tasks = task_specs,
        .task_count = 2,
    };
    make_driven(&spec);
}

static takt_duration_t budget(void) { return driven.servers[0].job.remaining; }

/* Fault injection: the call that `until` asked for comes late. */
static void a_late_interrupt_ends_the_budget_at_0_and_not_below(void) {
    make_system();
    check_decision(pass(0), task_entity(BUSY), 3);
    check_decision(pass(9), task_entity(BACKGROUND), 20);
    CHECK(budget() == 0);
    destroy_driven();
}

static void lost_ticks_leave_replenishments_and_releases_at_their_nominal_instants(void) {
    make_system();
    check_decision(pass(0), task_entity(BUSY), 3);
    check_decision(pass(47), task_entity(BUSY), 50);
    CHECK(budget() == 3);
    CHECK(driven.servers[0].job.release == 40);
    CHECK(driven.tasks[BUSY].waiting == 9);
    check_decision(post(TAKT_EVENT_COMPLETE, task_entity(BUSY), 49), task_entity(BUSY), 50);
    CHECK(driven.tasks[BUSY].job.release == 5);
    CHECK(driven.tasks[BUSY].job.deadline == 10);
    destroy_driven();
}

static void an_early_wake_changes_nothing(void) {
    make_system();
    check_decision(pass(0), task_entity(BUSY), 3);
    check_decision(pass(1), task_entity(BUSY), 3);
    check_decision(pass(1), task_entity(BUSY), 3);
    CHECK(budget() == 2);
    destroy_driven();
}

/* ---- the other kinds --------------------------------------------------------------------------------- */

/* A server of `kind` with busy, whose jobs arrive as events, and background beside it; both policies edf, under
 * which background's deadline is far. */
static void make_server(const takt_server_kind_t *kind, takt_duration_t period, takt_duration_t capacity) {
    const takt_server_spec_t server = {
        .kind = kind,
        .policy = &takt_policy_edf,
        .period = period,
        .capacity = capacity,
        .parent = TAKT_ROOT,
        .levels = 1,
    };
    const takt_task_spec_t tasks[] = {
        {.relative_deadline = 5, .server = 0, .is_external = true},
        {.period = 1000000, .relative_deadline = 1000000, .server = TAKT_ROOT},
    };
    const takt_system_spec_t spec = {
        .policy = &takt_policy_edf,
        .levels = 1,
        .servers = &server,
        .server_count = 1,
        .tasks = tasks,
        .task_count = 2,
    };
    make_driven(&spec);
}

static takt_decision_t arrive(takt_instant_t now) {
    CHECK(takt_system_reserve(&driven, BUSY));
    tell(TAKT_EVENT_ARRIVAL, task_entity(BUSY), now);
    return pass(now);
}

static takt_decision_t complete(takt_instant_t now) {
    tell(TAKT_EVENT_COMPLETE, task_entity(BUSY), now);
    return pass(now);
}

static takt_instant_t server_deadline(void) { return driven.servers[0].job.deadline; }

/* ---- sporadic ---- */

static void an_interval_that_outlasts_its_return_gives_back_when_it_ends(void) {
    make_server(&takt_server_sporadic, 4, 3);
    check_decision(arrive(0), task_entity(BUSY), 3);
    /* The processor does something else from 2 to 5. */
    (void)pass(2);
    check_decision(take(5), task_entity(BUSY), 6);
    check_decision(pass(6), task_entity(BUSY), 9);
    CHECK(budget() == 3 && server_deadline() == 10);
    destroy_driven();
}

static void work_that_comes_before_a_late_replenishment_is_looked_at_begins_the_interval(void) {
    make_server(&takt_server_sporadic, 10, 2);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(complete(2), task_entity(BACKGROUND), 10);
    /* No call at 10. */
    CHECK(takt_system_reserve(&driven, BUSY));
    tell(TAKT_EVENT_ARRIVAL, task_entity(BUSY), 3);
    tell(TAKT_EVENT_BLOCK, task_entity(BACKGROUND), 3);
    check_decision(pass(3), NULL, 10);
    tell(TAKT_EVENT_BLOCK, task_entity(BUSY), 4);
    tell(TAKT_EVENT_WAKE, task_entity(BUSY), 12);
    check_decision(pass(12), task_entity(BUSY), 14);
    check_decision(pass(14), NULL, 22);
    destroy_driven();
}

/* Between an event and the next decision the processor is still charged to the job that ran. */
static void what_a_sporadic_server_is_charged_without_work_returns_too(void) {
    make_server(&takt_server_sporadic, 10, 3);
    check_decision(arrive(0), task_entity(BUSY), 3);
    tell(TAKT_EVENT_COMPLETE, task_entity(BUSY), 1);
    check_decision(pass(2), task_entity(BACKGROUND), 10);
    CHECK(budget() == 1);
    check_decision(arrive(4), task_entity(BUSY), 5);
    check_decision(pass(5), task_entity(BACKGROUND), 10);
    check_decision(pass(10), task_entity(BUSY), 12);
    check_decision(complete(11), task_entity(BACKGROUND), 14);
    check_decision(pass(14), task_entity(BACKGROUND), 20);
    CHECK(budget() == 2);
    check_decision(pass(20), task_entity(BACKGROUND), 1000000);
    CHECK(budget() == 3);
    destroy_driven();
}

/* Of a strict one as from the end of the interval, so that no tick comes back within a period. */
static void what_a_strict_server_is_charged_without_work_counts_from_the_end(void) {
    make_server(&takt_server_sporadic_strict, 10, 3);
    check_decision(arrive(0), task_entity(BUSY), 3);
    tell(TAKT_EVENT_COMPLETE, task_entity(BUSY), 1);
    check_decision(pass(2), task_entity(BACKGROUND), 10);
    CHECK(budget() == 1);
    check_decision(arrive(4), task_entity(BUSY), 5);
    check_decision(pass(5), task_entity(BACKGROUND), 10);
    check_decision(pass(10), task_entity(BUSY), 11);
    check_decision(pass(11), task_entity(BUSY), 12);
    check_decision(complete(12), task_entity(BACKGROUND), 14);
    CHECK(budget() == 0);
    check_decision(pass(14), task_entity(BACKGROUND), 20);
    check_decision(pass(20), task_entity(BACKGROUND), 21);
    CHECK(budget() == 2);
    destroy_driven();
}

/* ---- constant bandwidth ---- */

/* The budget runs out after d: the next one comes at once, and both are counted from d. */
static void a_hard_cbs_that_is_exhausted_after_its_deadline_does_not_wait(void) {
    make_server(&takt_server_hard_cbs, 6, 2);
    check_decision(arrive(0), task_entity(BUSY), 2);
    (void)pass(1);
    check_decision(take(7), task_entity(BUSY), 8);
    check_decision(pass(8), task_entity(BUSY), 10);
    CHECK(server_deadline() == 12);
    destroy_driven();
}

static void work_that_comes_before_a_late_deadline_is_looked_at_renews_a_hard_cbs_once(void) {
    make_server(&takt_server_hard_cbs, 10, 2);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(pass(2), task_entity(BACKGROUND), 10);
    tell(TAKT_EVENT_BLOCK, task_entity(BUSY), 3);
    /* No call at 10. */
    tell(TAKT_EVENT_WAKE, task_entity(BUSY), 12);
    check_decision(pass(12), task_entity(BUSY), 14);
    CHECK(budget() == 2 && server_deadline() == 22);
    destroy_driven();
}

int main(void) {
    a_late_interrupt_ends_the_budget_at_0_and_not_below();
    lost_ticks_leave_replenishments_and_releases_at_their_nominal_instants();
    an_early_wake_changes_nothing();
    an_interval_that_outlasts_its_return_gives_back_when_it_ends();
    work_that_comes_before_a_late_replenishment_is_looked_at_begins_the_interval();
    what_a_sporadic_server_is_charged_without_work_returns_too();
    what_a_strict_server_is_charged_without_work_counts_from_the_end();
    a_hard_cbs_that_is_exhausted_after_its_deadline_does_not_wait();
    work_that_comes_before_a_late_deadline_is_looked_at_renews_a_hard_cbs_once();
    return check_report("test_servers");
}
