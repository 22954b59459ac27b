/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What each protocol among servers of SPEC.md, 9 does when the budget ends inside a section, driven call by call. */
#include "driven.h"

enum { HIGH = 0, LOW = 1, COUNT = 2 };
enum { AMONG = 0, OF_HIGH = 1, OF_LOW = 2, RESOURCES = 3 };

/* The low server has 5 of 20 ticks; one task in each server, and both lock what the servers share. */
static void make(takt_protocol_t protocol) {
    takt_server_spec_t servers[COUNT];
    takt_task_spec_t tasks[COUNT];
    takt_resource_spec_t resources[RESOURCES] = {{.protocol = protocol, .ceiling = 1, .server = TAKT_ROOT}};
    for (uint32_t i = 0; i < COUNT; i++) {
        servers[i] = (takt_server_spec_t){.kind = &takt_server_deferrable,
                                          .policy = &takt_policy_fp,
                                          .period = i == HIGH ? 10 : 20,
                                          .capacity = 5,
                                          .level = i + 1u,
                                          .parent = TAKT_ROOT,
                                          .levels = 1};
        tasks[i] = (takt_task_spec_t){.relative_deadline = 100,
                                      .wcet = 10,
                                      .level = 1,
                                      .server = (int32_t)i,
                                      .is_external = true,
                                      .locks = true};
        resources[OF_HIGH + i] = (takt_resource_spec_t){.protocol = protocol,
                                                        .ceiling = 1,
                                                        .server = (int32_t)i,
                                                        .is_shared = true,
                                                        .among = AMONG,
                                                        .longest = 2};
    }
    make_driven(&(takt_system_spec_t){.policy = &takt_policy_fp,
                                      .levels = COUNT,
                                      .servers = servers,
                                      .server_count = COUNT,
                                      .tasks = tasks,
                                      .task_count = COUNT,
                                      .resources = resources,
                                      .resource_count = RESOURCES});
}

static const takt_entity_t *arrive(uint32_t task, takt_instant_t now) {
    CHECK(takt_system_reserve(&driven, task));
    tell(TAKT_EVENT_ARRIVAL, task_entity(task), now);
    return pass(now).entity;
}

static const takt_entity_t *lock(uint32_t task, takt_instant_t now) {
    tell_lock(TAKT_EVENT_LOCK, task_entity(task), now, OF_HIGH + task);
    return take(now).entity;
}

static const takt_entity_t *unlock(uint32_t task, takt_instant_t now) {
    tell_lock(TAKT_EVENT_UNLOCK, task_entity(task), now, OF_HIGH + task);
    return pass(now).entity;
}

static bool low_holds(void) { return driven.resources[AMONG].holder == server_entity(LOW); }

static takt_duration_t budget_of_low(takt_instant_t now) {
    return takt_server_budget(&driven.servers[LOW], now);
}

#define RUNS(task, call) CHECK((call) == task_entity(task))
#define NOBODY_RUNS(call) CHECK((call) == NULL)

static void a_server_that_holds_bars_those_up_to_the_ceiling(void) {
    for (takt_protocol_t protocol = TAKT_PROTOCOL_GLOBAL_SRP; protocol < TAKT_PROTOCOLS; protocol++) {
        make(protocol);
        RUNS(LOW, arrive(LOW, 0));
        RUNS(LOW, lock(LOW, 0));
        CHECK(low_holds());
        RUNS(LOW, arrive(HIGH, 1));
        RUNS(HIGH, unlock(LOW, 2));
        CHECK(driven.resources[AMONG].holder == NULL);
        destroy_driven();
    }
}

/* LOW locks at 4 and has budget up to 5; HIGH comes at 4. Gives what runs at 5. */
static const takt_entity_t *budget_ends_inside(takt_protocol_t protocol) {
    make(protocol);
    RUNS(LOW, arrive(LOW, 0));
    RUNS(LOW, lock(LOW, 4));
    CHECK(low_holds());
    RUNS(LOW, arrive(HIGH, 4));
    return pass(5).entity;
}

static void under_global_srp_all_wait_for_the_next_budget(void) {
    NOBODY_RUNS(budget_ends_inside(TAKT_PROTOCOL_GLOBAL_SRP));
    CHECK(low_holds());
    NOBODY_RUNS(pass(10).entity);
    RUNS(LOW, pass(20).entity);
    RUNS(HIGH, unlock(LOW, 21));
    destroy_driven();
}

/* LOW overruns by 2 ticks; `next` is what it has at 20. */
static void overrun(takt_protocol_t protocol, takt_duration_t next) {
    RUNS(LOW, budget_ends_inside(protocol));
    CHECK(budget_of_low(5) == 0);
    RUNS(HIGH, unlock(LOW, 7));
    CHECK(!takt_entity_is_ready(server_entity(LOW)));
    RUNS(HIGH, pass(10).entity);
    tell(TAKT_EVENT_COMPLETE, task_entity(HIGH), 11);
    NOBODY_RUNS(pass(11).entity);
    RUNS(LOW, pass(20).entity);
    CHECK(budget_of_low(20) == next);
    destroy_driven();
}

static void under_sirap_a_lock_waits_for_the_budget_of_the_section(void) {
    make(TAKT_PROTOCOL_SIRAP);
    RUNS(LOW, arrive(LOW, 0));
    NOBODY_RUNS(lock(LOW, 4));
    CHECK(!low_holds() && budget_of_low(4) == 1);
    RUNS(HIGH, arrive(HIGH, 4));
    tell(TAKT_EVENT_COMPLETE, task_entity(HIGH), 5);
    NOBODY_RUNS(pass(5).entity);
    RUNS(LOW, pass(20).entity);
    CHECK(low_holds());
    destroy_driven();
}

/* Of 12 ticks owed at 20, the budgets of 20 and 40 pay back 5 each, so that 3 of the 5 of 60 are left. */
static void debts_are_paid_back_period_by_period(void) {
    make(TAKT_PROTOCOL_HSRP_PAYBACK);
    takt_server_t *low = &driven.servers[LOW];
    CHECK(pass(0).entity == NULL);
    CHECK(low->replenishment.instant == 20);
    low->overrun = 12;
    CHECK(takt_server_budget(low, 19) == low->job.remaining);
    CHECK(takt_server_budget(low, 20) == 0 && takt_server_budget(low, 40) == 0);
    CHECK(takt_server_budget(low, 59) == 0);
    CHECK(takt_server_budget(low, 60) == 3 && takt_server_budget(low, 80) == 5);
    destroy_driven();
}

int main(void) {
    a_server_that_holds_bars_those_up_to_the_ceiling();
    under_global_srp_all_wait_for_the_next_budget();
    overrun(TAKT_PROTOCOL_HSRP, 5);
    overrun(TAKT_PROTOCOL_HSRP_PAYBACK, 3);
    under_sirap_a_lock_waits_for_the_budget_of_the_section();
    debts_are_paid_back_period_by_period();
    return check_report("test_sharing_servers");
}
