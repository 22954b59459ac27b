/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Systems with few and with very many levels: tasks run in the order of their levels, at every depth of the rows of bits. */
#include "driven.h"

enum { TASKS = 40, MOST = 40000 };

static takt_task_spec_t tasks[TASKS];
static const takt_server_spec_t servers[] = {{.kind = &takt_server_deferrable,
                                              .policy = &takt_policy_fp,
                                              .period = 1000,
                                              .capacity = 1000,
                                              .level = 1,
                                              .parent = TAKT_ROOT,
                                              .levels = MOST}};

/* Distinct levels from 1 to `levels`, both of them among these, drawn in any order. */
static void draw(uint32_t levels, int32_t parent) {
    const uint32_t step = (levels - 1u) / (TASKS - 1u);
    const uint32_t turn = (uint32_t)check_below(TASKS);
    for (uint32_t i = 0; i < TASKS; i++) {
        const uint32_t rank = (7u * i + turn) % TASKS; /* 7 and TASKS have no common divisor */
        tasks[i] = (takt_task_spec_t){.period = 1000,
                                      .relative_deadline = 1000,
                                      .wcet = 1,
                                      .level = rank == TASKS - 1u ? levels : 1u + rank * step,
                                      .server = parent};
    }
}

/* The most urgent task that has not run yet. */
static uint32_t most_urgent(const bool *has_run) {
    uint32_t best = TASKS;
    for (uint32_t i = 0; i < TASKS; i++) {
        if (!has_run[i] && (best == TASKS || tasks[i].level < tasks[best].level)) {
            best = i;
        }
    }
    return best;
}

static void check_order(const takt_system_spec_t *spec) {
    bool has_run[TASKS] = {false};
    make_driven(spec);
    takt_decision_t decision = pass(0);
    for (uint32_t i = 0; i < TASKS; i++) {
        const uint32_t task = most_urgent(has_run);
        CHECK(decision.entity == task_entity(task));
        has_run[task] = true;
        decision = post(TAKT_EVENT_COMPLETE, task_entity(task), i + 1u);
    }
    CHECK(decision.entity == NULL);
    destroy_driven();
}

static void the_root_keeps_the_order_of_all_levels(void) {
    const uint32_t levels = TASKS + (uint32_t)check_below(check_below(2) == 0 ? MOST : 2000);
    draw(levels, TAKT_ROOT);
    check_order(&(takt_system_spec_t){
        .policy = &takt_policy_fp, .levels = levels, .tasks = tasks, .task_count = TASKS});
}

static void a_server_keeps_the_order_of_all_levels(void) {
    draw(MOST, 0);
    check_order(&(takt_system_spec_t){.policy = &takt_policy_fp,
                                      .levels = 1,
                                      .servers = servers,
                                      .server_count = 1,
                                      .tasks = tasks,
                                      .task_count = TASKS});
}

int main(void) {
    check_sequences(the_root_keeps_the_order_of_all_levels, 300);
    check_sequences(a_server_keeps_the_order_of_all_levels, 10);
    return check_report("test_levels");
}
