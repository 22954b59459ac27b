/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shares at the limit of time, and which of equal starts is the first. What deadline rules give otherwise, cases and
 * random systems say. */
#include "driven.h"

static void make_shares(const takt_task_spec_t *flows, uint32_t count) {
    const takt_system_spec_t spec = {.policy = &takt_policy_share,
                                     .has_shares = true,
                                     .share = TAKT_SHARE_WF2Q,
                                     .levels = 1,
                                     .tasks = flows,
                                     .task_count = count};
    make_driven(&spec);
}

static void arrive(uint32_t task) {
    CHECK(takt_system_reserve(&driven, task));
    tell(TAKT_EVENT_ARRIVAL, task_entity(task), 0);
}

/* 2^11 flows of the largest weight have 2^64 ticks of work and more: the second job of the first flow would start beyond
 * all time, and no timer stands for that. */
static void a_start_beyond_all_time_has_no_timer(void) {
    enum { FLOWS = 1 << 11 };
    static takt_task_spec_t flows[FLOWS];
    for (uint32_t i = 0; i < FLOWS; i++) {
        flows[i] = (takt_task_spec_t){.relative_deadline = 10,
                                      .wcet = (UINT64_C(1) << 53) + 1u,
                                      .level = 1,
                                      .server = TAKT_ROOT,
                                      .is_external = true,
                                      .weight = TAKT_SHARE_WEIGHTS};
    }
    make_shares(flows, FLOWS);
    for (uint32_t i = 0; i < FLOWS; i++) {
        arrive(i);
    }
    arrive(0);
    check_decision(pass(0), task_entity(0), TAKT_NEVER);
    destroy_driven();
}

/* The order of releases at one instant is that of the numbers, whatever order the jobs arrived in. */
static void of_equal_starts_the_smaller_number_is_the_first(void) {
    enum { FLOWS = 2 };
    static const takt_task_spec_t flow = {.relative_deadline = 10,
                                          .wcet = 1,
                                          .level = 1,
                                          .server = TAKT_ROOT,
                                          .is_external = true,
                                          .weight = 1};
    const takt_task_spec_t flows[FLOWS] = {flow, flow};
    make_shares(flows, FLOWS);
    for (uint32_t i = 2u * FLOWS; i-- > 0;) {
        arrive(i / 2u);
    }
    const takt_rule_t *rule = task_entity(0)->task->extension->rule;
    const takt_keys_t *starts = &TAKT_CONTAINER_OF(rule, takt_share_flow_t, rule)->share->starts;
    CHECK(starts->count == FLOWS && starts->slots[0]->key == starts->slots[1]->key);
    CHECK(starts->slots[0]->tie == takt_entity_number(task_entity(0)));
    destroy_driven();
}

int main(void) {
    of_equal_starts_the_smaller_number_is_the_first();
    a_start_beyond_all_time_has_no_timer();
    return check_report("test_rules");
}
