/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The budget of a server that owes an overrun, asked for ahead of its replenishments, as the kernel is asked. */
#include "driven.h"

enum { PERIOD = 20, CAPACITY = 5 };

/* Of 12 ticks owed at 20, the budgets of 20 and 40 pay back 5 each, so that 3 of the 5 of 60 are left. */
static void debts_are_paid_back_period_by_period(void) {
    static const takt_server_spec_t spec = {.kind = &takt_server_deferrable,
                                            .policy = &takt_policy_fp,
                                            .period = PERIOD,
                                            .capacity = CAPACITY,
                                            .level = 1,
                                            .parent = TAKT_ROOT,
                                            .levels = 1};
    static const takt_task_spec_t task = {
        .relative_deadline = 100, .wcet = 10, .level = 1, .is_external = true, .locks = true};
    static const takt_resource_spec_t resources[] = {
        {.protocol = TAKT_PROTOCOL_HSRP_PAYBACK, .ceiling = 1, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_HSRP_PAYBACK, .ceiling = 1, .is_shared = true, .longest = 2}};
    make_driven(&(takt_system_spec_t){.policy = &takt_policy_fp,
                                      .levels = 1,
                                      .servers = &spec,
                                      .server_count = 1,
                                      .tasks = &task,
                                      .task_count = 1,
                                      .resources = resources,
                                      .resource_count = 2});
    takt_server_t *server = &driven.servers[0];
    CHECK(pass(0).entity == NULL);
    CHECK(server->replenishment.instant == PERIOD);
    server->overrun = 12;
    CHECK(takt_server_budget(server, 19) == server->job.remaining);
    CHECK(takt_server_budget(server, 20) == 0 && takt_server_budget(server, 40) == 0);
    CHECK(takt_server_budget(server, 59) == 0);
    CHECK(takt_server_budget(server, 60) == 3 && takt_server_budget(server, 80) == CAPACITY);
    destroy_driven();
}

int main(void) {
    debts_are_paid_back_period_by_period();
    return check_report("test_sharing_servers");
}
