/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What each kind of server promises, driven call by call: when its budget comes back and when it is lost, that
 * an inactive server costs nothing, and that late calls leave budgets and nominal instants right. */
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

static void an_inactive_server_asks_for_no_instant_before_its_replenishment(void) {
    make_system();
    check_decision(pass(0), task_entity(BUSY), 3);
    /* Its task is released at 5, 10 and 15 too: those instants wait. */
    check_decision(pass(3), task_entity(BACKGROUND), 20);
    CHECK(budget() == 0);
    CHECK(driven.tasks[BUSY].waiting == 0);
    check_decision(pass(20), task_entity(BUSY), 23);
    CHECK(driven.tasks[BUSY].waiting == 4);
    destroy_driven();
}

static void a_wake_in_an_inactive_server_waits_for_its_replenishment(void) {
    make_system();
    check_decision(pass(0), task_entity(BUSY), 3);
    check_decision(post(TAKT_EVENT_BLOCK, task_entity(BUSY), 2), task_entity(BACKGROUND), 5);
    check_decision(post(TAKT_EVENT_WAKE, task_entity(BUSY), 2), task_entity(BUSY), 3);
    check_decision(pass(3), task_entity(BACKGROUND), 20);
    check_decision(post(TAKT_EVENT_BLOCK, task_entity(BUSY), 4), task_entity(BACKGROUND), 20);
    check_decision(post(TAKT_EVENT_WAKE, task_entity(BUSY), 6), task_entity(BACKGROUND), 20);
    check_decision(pass(20), task_entity(BUSY), 23);
    destroy_driven();
}

static void a_server_whose_only_work_is_blocked_keeps_its_budget(void) {
    make_system();
    check_decision(pass(0), task_entity(BUSY), 3);
    check_decision(post(TAKT_EVENT_BLOCK, task_entity(BUSY), 1), task_entity(BACKGROUND), 5);
    CHECK(budget() == 2);
    check_decision(post(TAKT_EVENT_WAKE, task_entity(BUSY), 4), task_entity(BUSY), 5);
    CHECK(budget() == 2);
    destroy_driven();
}

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
static void make_server(const takt_server_kind_t *kind, takt_duration_t period, takt_duration_t capacity,
                        takt_instant_t offset) {
    const takt_server_spec_t server = {
        .kind = kind,
        .policy = &takt_policy_edf,
        .period = period,
        .capacity = capacity,
        .offset = offset,
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

/* ---- idling ---- */

static void an_idling_server_is_charged_when_it_idles(void) {
    make_server(&takt_server_idling, 10, 3, 0);
    check_decision(pass(0), server_entity(0), 3);
    check_decision(arrive(1), task_entity(BUSY), 3);
    CHECK(budget() == 2);
    check_decision(complete(2), server_entity(0), 3);
    check_decision(pass(3), task_entity(BACKGROUND), 10);
    CHECK(budget() == 0);
    check_decision(pass(10), server_entity(0), 13);
    destroy_driven();
}

/* ---- polling ---- */

static void a_polling_server_loses_its_budget_at_the_end_of_the_instant(void) {
    make_server(&takt_server_polling, 10, 3, 0);
    check_decision(arrive(0), task_entity(BUSY), 3);
    tell(TAKT_EVENT_COMPLETE, task_entity(BUSY), 1);
    CHECK(budget() == 2);
    check_decision(arrive(1), task_entity(BUSY), 3);
    check_decision(complete(2), task_entity(BACKGROUND), 10);
    CHECK(budget() == 0);
    check_decision(arrive(4), task_entity(BACKGROUND), 10);
    check_decision(pass(10), task_entity(BUSY), 13);
    destroy_driven();
}

static void a_polling_server_needs_work_at_its_replenishment_instant(void) {
    make_server(&takt_server_polling, 10, 3, 0);
    check_decision(pass(0), task_entity(BACKGROUND), 10);
    CHECK(budget() == 0);
    check_decision(arrive(10), task_entity(BUSY), 13);
    check_decision(complete(11), task_entity(BACKGROUND), 20);
    check_decision(pass(20), task_entity(BACKGROUND), 30);
    CHECK(budget() == 0);
    check_decision(arrive(21), task_entity(BACKGROUND), 30);
    destroy_driven();
}

/* ---- sporadic ---- */

static const takt_server_returns_t *returns(void) { return driven.servers[0].returns; }

static void a_sporadic_server_gets_back_what_it_consumed_one_period_after_it_became_eligible(void) {
    make_server(&takt_server_sporadic, 10, 3, 0);
    check_decision(pass(0), task_entity(BACKGROUND), 1000000);
    check_decision(arrive(2), task_entity(BUSY), 5);
    check_decision(complete(3), task_entity(BACKGROUND), 12);
    check_decision(arrive(6), task_entity(BUSY), 8);
    CHECK(server_deadline() == 16);
    check_decision(pass(8), task_entity(BACKGROUND), 12);
    check_decision(pass(12), task_entity(BUSY), 13);
    check_decision(pass(13), task_entity(BACKGROUND), 16);
    check_decision(pass(16), task_entity(BUSY), 18);
    destroy_driven();
}

static void a_completion_and_an_arrival_at_one_instant_are_two_intervals_of_a_sporadic_server(void) {
    make_server(&takt_server_sporadic, 10, 3, 0);
    check_decision(arrive(0), task_entity(BUSY), 3);
    tell(TAKT_EVENT_COMPLETE, task_entity(BUSY), 1);
    check_decision(arrive(1), task_entity(BUSY), 3);
    check_decision(complete(2), task_entity(BACKGROUND), 10);
    CHECK(returns()->count == 2);
    CHECK(takt_server_return(returns(), 0)->instant == 10 && takt_server_return(returns(), 0)->amount == 1);
    CHECK(takt_server_return(returns(), 1)->instant == 11 && takt_server_return(returns(), 1)->amount == 1);
    destroy_driven();
}

static void an_interval_that_outlasts_its_return_gives_back_when_it_ends(void) {
    make_server(&takt_server_sporadic, 4, 3, 0);
    check_decision(arrive(0), task_entity(BUSY), 3);
    /* The processor does something else from 2 to 5. */
    (void)pass(2);
    check_decision(take(5), task_entity(BUSY), 6);
    check_decision(pass(6), task_entity(BUSY), 9);
    CHECK(budget() == 3 && server_deadline() == 10);
    destroy_driven();
}

static void one_more_return_than_there_is_room_for_joins_the_last_one(void) {
    make_server(&takt_server_sporadic, 1000, 40, 0);
    for (takt_instant_t i = 0; i <= TAKT_SERVER_RETURNS; i++) {
        CHECK(arrive(2 * i).entity == task_entity(BUSY));
        CHECK(complete(2 * i + 1).entity == task_entity(BACKGROUND));
    }
    const takt_server_return_t *last = takt_server_return(returns(), TAKT_SERVER_RETURNS - 1);
    CHECK(returns()->count == TAKT_SERVER_RETURNS);
    CHECK(last->instant == 1000 + 2 * TAKT_SERVER_RETURNS && last->amount == 2);
    CHECK(budget() == 40 - TAKT_SERVER_RETURNS - 1);
    (void)pass(1000 + 2 * TAKT_SERVER_RETURNS - 1);
    CHECK(budget() == 38 && returns()->count == 1);
    check_decision(pass(1000 + 2 * TAKT_SERVER_RETURNS), task_entity(BACKGROUND), 1000000);
    CHECK(budget() == 40);
    destroy_driven();
}

static void work_that_comes_before_a_late_replenishment_is_looked_at_begins_the_interval(void) {
    make_server(&takt_server_sporadic, 10, 2, 0);
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
    make_server(&takt_server_sporadic, 10, 3, 0);
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

/* ---- constant bandwidth ---- */

/* The hole: the budget is used up at a completion, and the next arrival comes before d. */
static void a_cbs_that_ended_without_budget_is_exhausted_at_the_next_arrival(void) {
    make_server(&takt_server_cbs, 6, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(complete(2), task_entity(BACKGROUND), 1000000);
    CHECK(budget() == 0 && server_deadline() == 6);
    check_decision(arrive(3), task_entity(BUSY), 5);
    CHECK(budget() == 2 && server_deadline() == 12);
    destroy_driven();
}

static void a_hard_cbs_that_ended_without_budget_waits_for_its_deadline(void) {
    make_server(&takt_server_hard_cbs, 6, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(complete(2), task_entity(BACKGROUND), 1000000);
    check_decision(arrive(3), task_entity(BACKGROUND), 6);
    CHECK(budget() == 0);
    check_decision(pass(6), task_entity(BUSY), 8);
    CHECK(budget() == 2 && server_deadline() == 12);
    destroy_driven();
}

static void a_cbs_with_work_goes_on_at_a_later_deadline(void) {
    make_server(&takt_server_cbs, 6, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(pass(2), task_entity(BUSY), 4);
    CHECK(budget() == 2 && server_deadline() == 12);
    destroy_driven();
}

static void a_hard_cbs_whose_deadline_has_passed_begins_anew_at_an_arrival(void) {
    make_server(&takt_server_hard_cbs, 6, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(complete(2), task_entity(BACKGROUND), 1000000);
    check_decision(arrive(8), task_entity(BUSY), 10);
    CHECK(server_deadline() == 14);
    check_decision(pass(10), task_entity(BACKGROUND), 14);
    check_decision(pass(14), task_entity(BUSY), 16);
    CHECK(server_deadline() == 20);
    destroy_driven();
}

/* The budget runs out after d: the next one comes at once, and both are counted from d. */
static void a_hard_cbs_that_is_exhausted_after_its_deadline_does_not_wait(void) {
    make_server(&takt_server_hard_cbs, 6, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    (void)pass(1);
    check_decision(take(7), task_entity(BUSY), 8);
    check_decision(pass(8), task_entity(BUSY), 10);
    CHECK(server_deadline() == 12);
    destroy_driven();
}

static void work_that_comes_before_a_late_deadline_is_looked_at_renews_a_hard_cbs_once(void) {
    make_server(&takt_server_hard_cbs, 10, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(pass(2), task_entity(BACKGROUND), 10);
    tell(TAKT_EVENT_BLOCK, task_entity(BUSY), 3);
    /* No call at 10. */
    tell(TAKT_EVENT_WAKE, task_entity(BUSY), 12);
    check_decision(pass(12), task_entity(BUSY), 14);
    CHECK(budget() == 2 && server_deadline() == 22);
    destroy_driven();
}

static void a_cbs_keeps_a_budget_that_is_within_its_share(void) {
    make_server(&takt_server_cbs, 10, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    (void)complete(1);
    check_decision(arrive(4), task_entity(BUSY), 5);
    CHECK(budget() == 1 && server_deadline() == 10);
    (void)post(TAKT_EVENT_BLOCK, task_entity(BUSY), 4);
    /* 1 * 10 >= (10 - 5) * 2 */
    check_decision(post(TAKT_EVENT_WAKE, task_entity(BUSY), 5), task_entity(BUSY), 7);
    CHECK(budget() == 2 && server_deadline() == 15);
    destroy_driven();
}

static void work_that_waits_for_a_cbs_arrives_at_its_offset(void) {
    make_server(&takt_server_cbs, 10, 2, 5);
    check_decision(arrive(1), task_entity(BACKGROUND), 5);
    CHECK(budget() == 0);
    check_decision(pass(5), task_entity(BUSY), 7);
    CHECK(server_deadline() == 15);
    destroy_driven();
}

static void the_events_of_an_exhausted_cbs_do_not_wait(void) {
    make_server(&takt_server_hard_cbs, 10, 2, 0);
    check_decision(arrive(0), task_entity(BUSY), 2);
    check_decision(pass(2), task_entity(BACKGROUND), 10);
    check_decision(arrive(5), task_entity(BACKGROUND), 10);
    CHECK(driven.tasks[BUSY].waiting == 1);
    destroy_driven();
}

static void test_deferrable(void) {
    an_inactive_server_asks_for_no_instant_before_its_replenishment();
    a_wake_in_an_inactive_server_waits_for_its_replenishment();
    a_server_whose_only_work_is_blocked_keeps_its_budget();
    a_late_interrupt_ends_the_budget_at_0_and_not_below();
    lost_ticks_leave_replenishments_and_releases_at_their_nominal_instants();
    an_early_wake_changes_nothing();
}

static void test_sporadic(void) {
    a_sporadic_server_gets_back_what_it_consumed_one_period_after_it_became_eligible();
    a_completion_and_an_arrival_at_one_instant_are_two_intervals_of_a_sporadic_server();
    an_interval_that_outlasts_its_return_gives_back_when_it_ends();
    one_more_return_than_there_is_room_for_joins_the_last_one();
    work_that_comes_before_a_late_replenishment_is_looked_at_begins_the_interval();
    what_a_sporadic_server_is_charged_without_work_returns_too();
}

static void test_bandwidth(void) {
    a_cbs_that_ended_without_budget_is_exhausted_at_the_next_arrival();
    a_hard_cbs_that_ended_without_budget_waits_for_its_deadline();
    a_cbs_with_work_goes_on_at_a_later_deadline();
    a_hard_cbs_whose_deadline_has_passed_begins_anew_at_an_arrival();
    a_hard_cbs_that_is_exhausted_after_its_deadline_does_not_wait();
    work_that_comes_before_a_late_deadline_is_looked_at_renews_a_hard_cbs_once();
    a_cbs_keeps_a_budget_that_is_within_its_share();
    work_that_waits_for_a_cbs_arrives_at_its_offset();
    the_events_of_an_exhausted_cbs_do_not_wait();
}

int main(void) {
    test_deferrable();
    an_idling_server_is_charged_when_it_idles();
    a_polling_server_loses_its_budget_at_the_end_of_the_instant();
    a_polling_server_needs_work_at_its_replenishment_instant();
    test_sporadic();
    test_bandwidth();
    return check_report("test_servers");
}
