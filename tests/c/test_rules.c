/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the deadline rules of SPEC.md, 3 and 4 give, worked out by hand: deadlines, starts, and which job goes first. */
#include "driven.h"

enum { A = 0, B = 1, TASKS = 2 };

static takt_task_spec_t tasks[TASKS];
static takt_server_spec_t server;

static takt_task_spec_t task_of(int32_t home, takt_duration_t wcet, takt_duration_t relative_deadline) {
    return (takt_task_spec_t){.relative_deadline = relative_deadline,
                              .wcet = wcet,
                              .level = 1,
                              .server = home,
                              .is_external = true};
}

static void make(takt_system_spec_t spec, uint32_t task_count) {
    spec.levels = 1;
    spec.tasks = tasks;
    spec.task_count = task_count;
    make_driven(&spec);
}

static void arrive(uint32_t task, takt_instant_t now) {
    CHECK(takt_system_reserve(&driven, task));
    tell(TAKT_EVENT_ARRIVAL, task_entity(task), now);
}

/* The current job of `task` completes at `now`, and then `next` runs, NULL for none. */
static void complete(uint32_t task, takt_instant_t now, const takt_entity_t *next) {
    tell(TAKT_EVENT_COMPLETE, task_entity(task), now);
    CHECK(pass(now).entity == next);
}

/* ---- rate-based execution -------------------------------------------------------------------------- */

/* T1 of the specification's example: (2, 5, 5), five events at 0 and one at 12. */
static void rbe_spaces_deadlines_out_and_lets_jobs_run_at_once(void) {
    static const takt_instant_t deadlines[] = {5, 5, 10, 10, 15, 17};
    tasks[A] = task_of(TAKT_ROOT, 1, 5);
    tasks[A].events = 2;
    tasks[A].interval = 5;
    make((takt_system_spec_t){.policy = &takt_policy_rbe}, 1);
    for (int i = 0; i < 5; i++) {
        arrive(A, 0);
    }
    CHECK(pass(0).entity == task_entity(A));
    for (takt_instant_t now = 0; now < 5; now++) {
        CHECK(driven.tasks[A].job.deadline == deadlines[now]);
        complete(A, now + 1, now < 4 ? task_entity(A) : NULL);
    }
    arrive(A, 12);
    CHECK(pass(12).entity == task_entity(A));
    CHECK(driven.tasks[A].job.deadline == deadlines[5]);
    destroy_driven();
}

/* ---- bandwidth ------------------------------------------------------------------------------------- */

/* Jobs of 2 ticks in a group with a quarter of the processor: each takes 8 ticks of the group's time. */
static void make_group(const takt_bandwidth_kind_t *kind) {
    server = (takt_server_spec_t){.bandwidth = kind,
                                  .policy = &takt_policy_fp,
                                  .period = 4,
                                  .capacity = 1,
                                  .parent = TAKT_ROOT,
                                  .level = 1,
                                  .levels = 1};
    tasks[A] = task_of(0, 2, 8);
    tasks[B] = task_of(0, 2, 8);
    make((takt_system_spec_t){.policy = &takt_policy_edf, .servers = &server, .server_count = 1}, TASKS);
}

static void total_bandwidth_chains_deadlines_across_its_tasks(void) {
    make_group(&takt_bandwidth_total);
    arrive(A, 1);
    arrive(B, 2);
    CHECK(pass(2).entity == task_entity(A));
    CHECK(driven.tasks[A].job.deadline == 9 && driven.tasks[B].job.deadline == 17);
    complete(A, 4, task_entity(B));
    complete(B, 6, NULL);
    arrive(A, 20);
    CHECK(pass(20).entity == task_entity(A));
    CHECK(driven.tasks[A].job.deadline == 28);
    destroy_driven();
}

static void constant_utilization_also_waits_for_the_last_deadline(void) {
    make_group(&takt_bandwidth_constant);
    arrive(A, 1);
    arrive(B, 2);
    CHECK(pass(2).entity == task_entity(A));
    complete(A, 4, NULL);
    CHECK(pass(8).entity == NULL);
    CHECK(pass(9).entity == task_entity(B));
    CHECK(driven.tasks[B].job.deadline == 17);
    destroy_driven();
}

/* ---- shares ---------------------------------------------------------------------------------------- */

/* Flow A has twice the weight of B; four jobs of A and two of B, a tick each, come at 0. Gives which job runs when. */
static void check_order(takt_share_variant_t variant, const uint32_t order[6]) {
    tasks[A] = task_of(TAKT_ROOT, 1, 10);
    tasks[B] = task_of(TAKT_ROOT, 1, 10);
    tasks[A].weight = 2;
    tasks[B].weight = 1;
    make((takt_system_spec_t){.policy = &takt_policy_share, .has_shares = true, .share = variant}, TASKS);
    for (int i = 0; i < 4; i++) {
        arrive(A, 0);
    }
    arrive(B, 0);
    arrive(B, 0);
    CHECK(pass(0).entity == task_entity(order[0]));
    for (uint32_t i = 0; i < 6; i++) {
        complete(order[i], i + 1u, i < 5 ? task_entity(order[i + 1u]) : NULL);
    }
    destroy_driven();
}

static void wfq_serves_by_the_end_in_the_fluid_system(void) {
    static const uint32_t order[] = {A, A, B, A, A, B};
    check_order(TAKT_SHARE_WFQ, order);
}

static void wf2q_serves_nobody_before_its_start_in_the_fluid_system(void) {
    static const uint32_t order[] = {A, B, A, A, B, A};
    check_order(TAKT_SHARE_WF2Q, order);
}

/* 2^11 flows of the largest weight have 2^64 ticks of work and more: the second job of the first flow would start beyond
 * all time, and no timer stands for that. */
static void a_start_beyond_all_time_has_no_timer(void) {
    enum { FLOWS = 1 << 11 };
    static takt_task_spec_t flows[FLOWS];
    for (uint32_t i = 0; i < FLOWS; i++) {
        flows[i] = task_of(TAKT_ROOT, (UINT64_C(1) << 53) + 1u, 10);
        flows[i].weight = TAKT_SHARE_WEIGHTS;
    }
    const takt_system_spec_t spec = {.policy = &takt_policy_share,
                                     .has_shares = true,
                                     .share = TAKT_SHARE_WF2Q,
                                     .levels = 1,
                                     .tasks = flows,
                                     .task_count = FLOWS};
    make_driven(&spec);
    for (uint32_t i = 0; i < FLOWS; i++) {
        arrive(i, 0);
    }
    arrive(A, 0);
    check_decision(pass(0), task_entity(A), TAKT_NEVER);
    destroy_driven();
}

int main(void) {
    rbe_spaces_deadlines_out_and_lets_jobs_run_at_once();
    total_bandwidth_chains_deadlines_across_its_tasks();
    constant_utilization_also_waits_for_the_last_deadline();
    wfq_serves_by_the_end_in_the_fluid_system();
    wf2q_serves_nobody_before_its_start_in_the_fluid_system();
    a_start_beyond_all_time_has_no_timer();
    return check_report("test_rules");
}
