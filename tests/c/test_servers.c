/* What a deferrable server promises beyond its schedule, driven call by call: an inactive server costs
 * nothing, a wake in it waits, and late calls leave budgets and nominal instants right. */
#include "core/dispatcher.h"
#include "policy/table.h"
#include "sim/system.h"

#include "check.h"

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

static takt_system_t system_under_test;

static void make_system(void) {
    const takt_system_spec_t spec = {
        .policy = &takt_policy_fp,
        .levels = 2,
        .servers = &server_spec,
        .server_count = 1,
        .tasks = task_specs,
        .task_count = 2,
    };
    CHECK(takt_system_create(&system_under_test, &spec));
}

static takt_entity_t *entity(uint32_t task) { return &system_under_test.entities[task]; }

static takt_duration_t budget(void) { return system_under_test.servers[0].job.remaining; }

/* Steps until nothing is due at `now`, and decides. */
static takt_decision_t pass(takt_instant_t now) {
    while (takt_dispatcher_step(&system_under_test.dispatcher, now)) {
    }
    return takt_dispatcher_take(&system_under_test.dispatcher, now, 0);
}

static takt_decision_t post(takt_event_kind_t kind, takt_entity_t *concerned, takt_instant_t now) {
    const takt_event_t event = {kind, concerned, now, now};
    takt_dispatcher_post(&system_under_test.dispatcher, &event);
    return takt_dispatcher_take(&system_under_test.dispatcher, now, 0);
}

static void check_decision(takt_decision_t decision, const takt_entity_t *who, takt_instant_t until) {
    CHECK(decision.entity == who);
    CHECK(decision.until == until);
}

static void an_inactive_server_asks_for_no_instant_before_its_replenishment(void) {
    make_system();
    check_decision(pass(0), entity(BUSY), 3);
    /* Its task is released at 5, 10 and 15 too: those instants wait. */
    check_decision(pass(3), entity(BACKGROUND), 20);
    CHECK(budget() == 0);
    CHECK(system_under_test.tasks[BUSY].waiting == 0);
    check_decision(pass(20), entity(BUSY), 23);
    CHECK(system_under_test.tasks[BUSY].waiting == 4);
    takt_system_destroy(&system_under_test);
}

static void a_wake_in_an_inactive_server_waits_for_its_replenishment(void) {
    make_system();
    check_decision(pass(0), entity(BUSY), 3);
    check_decision(post(TAKT_EVENT_BLOCK, entity(BUSY), 2), entity(BACKGROUND), 5);
    check_decision(post(TAKT_EVENT_WAKE, entity(BUSY), 2), entity(BUSY), 3);
    check_decision(pass(3), entity(BACKGROUND), 20);
    check_decision(post(TAKT_EVENT_BLOCK, entity(BUSY), 4), entity(BACKGROUND), 20);
    check_decision(post(TAKT_EVENT_WAKE, entity(BUSY), 6), entity(BACKGROUND), 20);
    check_decision(pass(20), entity(BUSY), 23);
    takt_system_destroy(&system_under_test);
}

static void a_server_whose_only_work_is_blocked_keeps_its_budget(void) {
    make_system();
    check_decision(pass(0), entity(BUSY), 3);
    check_decision(post(TAKT_EVENT_BLOCK, entity(BUSY), 1), entity(BACKGROUND), 5);
    CHECK(budget() == 2);
    check_decision(post(TAKT_EVENT_WAKE, entity(BUSY), 4), entity(BUSY), 5);
    CHECK(budget() == 2);
    takt_system_destroy(&system_under_test);
}

/* Fault injection: the call that `until` asked for comes late. */
static void a_late_interrupt_ends_the_budget_at_0_and_not_below(void) {
    make_system();
    check_decision(pass(0), entity(BUSY), 3);
    check_decision(pass(9), entity(BACKGROUND), 20);
    CHECK(budget() == 0);
    takt_system_destroy(&system_under_test);
}

static void lost_ticks_leave_replenishments_and_releases_at_their_nominal_instants(void) {
    make_system();
    check_decision(pass(0), entity(BUSY), 3);
    check_decision(pass(47), entity(BUSY), 50);
    CHECK(budget() == 3);
    CHECK(system_under_test.servers[0].job.release == 40);
    CHECK(system_under_test.tasks[BUSY].waiting == 9);
    check_decision(post(TAKT_EVENT_COMPLETE, entity(BUSY), 49), entity(BUSY), 50);
    CHECK(system_under_test.tasks[BUSY].job.release == 5);
    CHECK(system_under_test.tasks[BUSY].job.deadline == 10);
    takt_system_destroy(&system_under_test);
}

static void an_early_wake_changes_nothing(void) {
    make_system();
    check_decision(pass(0), entity(BUSY), 3);
    check_decision(pass(1), entity(BUSY), 3);
    check_decision(pass(1), entity(BUSY), 3);
    CHECK(budget() == 2);
    takt_system_destroy(&system_under_test);
}

int main(void) {
    an_inactive_server_asks_for_no_instant_before_its_replenishment();
    a_wake_in_an_inactive_server_waits_for_its_replenishment();
    a_server_whose_only_work_is_blocked_keeps_its_budget();
    a_late_interrupt_ends_the_budget_at_0_and_not_below();
    lost_ticks_leave_replenishments_and_releases_at_their_nominal_instants();
    an_early_wake_changes_nothing();
    return check_report("test_servers");
}
