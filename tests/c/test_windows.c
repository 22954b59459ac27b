/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the allocators of policy/window.h promise, driven call by call: when windows open and close, what late calls
 * find, and what is recorded. */
#include "driven.h"

enum { A = 0, B = 1 };

static void make(const takt_policy_t *policy, const takt_task_spec_t *tasks,
                 const takt_window_spec_t *windows) {
    const takt_system_spec_t spec = {
        .policy = policy, .levels = 2, .tasks = tasks, .task_count = 2, .windows = windows};
    make_driven(&spec);
}

/* A (6, 2) before B (9, 3). */
static const takt_task_spec_t two_tasks[] = {
    {.period = 6, .relative_deadline = 6, .wcet = 2, .level = 1, .server = TAKT_ROOT},
    {.period = 9, .relative_deadline = 9, .wcet = 3, .level = 2, .server = TAKT_ROOT},
};

/* ---- time-driven ------------------------------------------------------------------------------------- */

static const takt_slot_t slots_of_a[] = {{0, 2}, {5, 1}};
static const takt_slot_t slots_of_b[] = {{2, 3}};
static const takt_window_spec_t table[] = {
    {TAKT_WINDOWS_TIME_DRIVEN, {.slots = slots_of_a, .slot_count = 2, .cycle = 8}},
    {TAKT_WINDOWS_TIME_DRIVEN, {.slots = slots_of_b, .slot_count = 1, .cycle = 8}},
};

static void a_slot_ends_whatever_its_job_still_wants(void) {
    make(&takt_policy_time_driven, two_tasks, table);
    check_decision(pass(0), task_entity(A), 2);
    check_decision(pass(2), task_entity(B), 5);
    check_decision(pass(5), task_entity(A), 6);
    CHECK(driven.tasks[A].job.number == 0);
    CHECK(pass(6).entity == NULL);
    CHECK(driven.tasks[A].waiting == 1);
    check_decision(pass(8), task_entity(A), 9);
    destroy_driven();
}

static void the_next_job_goes_on_in_the_same_slot(void) {
    make(&takt_policy_time_driven, two_tasks, table);
    check_decision(pass(0), task_entity(A), 2);
    check_decision(pass(2), task_entity(B), 5);
    check_decision(pass(5), task_entity(A), 6);
    CHECK(pass(6).entity == NULL);
    check_decision(pass(8), task_entity(A), 9);
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(A), 9).entity == task_entity(A));
    CHECK(driven.tasks[A].job.number == 1);
    CHECK(driven.tasks[A].job.release == 6);
    CHECK(driven.tasks[A].job.remaining == 1);
    destroy_driven();
}

static void a_late_call_finds_the_slot_that_is_open(void) {
    make(&takt_policy_time_driven, two_tasks, table);
    check_decision(pass(3), task_entity(B), 5);
    CHECK(driven.tasks[A].job.remaining == 2);
    check_decision(pass(17), task_entity(A), 18);
    destroy_driven();
}

/* ---- dual-priority ------------------------------------------------------------------------------------ */

static void a_promotion_displaces_who_is_in_the_middle(void) {
    static const takt_window_spec_t windows[] = {{TAKT_WINDOWS_DUAL_PRIORITY, {.part = 4}},
                                                 {TAKT_WINDOWS_NONE, {.part = 0}}};
    make(&takt_policy_dual_priority, two_tasks, windows);
    check_decision(pass(0), task_entity(B), 4);
    check_decision(pass(4), task_entity(A), 6);
    check_decision(post(TAKT_EVENT_COMPLETE, task_entity(A), 6), task_entity(B), 6);
    check_decision(pass(6), task_entity(B), 9);
    destroy_driven();
}

static void both_levels_share_one_budget(void) {
    static const takt_window_spec_t windows[] = {{TAKT_WINDOWS_DUAL_PRIORITY, {.part = 1}},
                                                 {TAKT_WINDOWS_DUAL_PRIORITY, {.part = 9}}};
    make(&takt_policy_dual_priority, two_tasks, windows);
    check_decision(pass(0), task_entity(A), 1);
    check_decision(pass(1), task_entity(A), 2);
    check_decision(pass(2), task_entity(B), 5);
    CHECK(pass(5).entity == NULL);
    check_decision(pass(6), task_entity(A), 7);
    destroy_driven();
}

/* ---- imprecise ---------------------------------------------------------------------------------------- */

static const takt_window_spec_t parts[] = {{TAKT_WINDOWS_IMPRECISE, {.part = 1}},
                                           {TAKT_WINDOWS_IMPRECISE, {.part = 2}}};

static void optional_parts_wait_for_all_mandatory_ones(void) {
    make(&takt_policy_imprecise, two_tasks, parts);
    check_decision(pass(0), task_entity(A), 1);
    check_decision(pass(1), task_entity(B), 3);
    check_decision(pass(3), task_entity(A), 4);
    check_decision(pass(4), task_entity(B), 5);
    CHECK(driven.tasks[A].job.number == 1);
    CHECK(pass(5).entity == NULL);
    CHECK(driven.tasks[B].job.number == 1);
    destroy_driven();
}

/* What allocators say. */
typedef struct listener {
    takt_trace_t trace; /* first of all */
    takt_allocation_event_t last;
    uint32_t count;
} listener_t;

static void listen_to(takt_trace_t *trace, const takt_record_t *record) {
    listener_t *listener = TAKT_CONTAINER_OF(trace, listener_t, trace);
    if (record->kind == TAKT_RECORD_ALLOCATION) {
        listener->last = takt_allocation_event_of(record->value);
        listener->count++;
    }
}

static void the_deadline_cuts_what_is_optional_and_aborts_what_is_not(void) {
    listener_t listener = {{listen_to}, TAKT_ALLOCATION_ADMITTED, 0};
    make(&takt_policy_imprecise, two_tasks, parts);
    takt_dispatcher_record_to(driven.dispatcher, &listener.trace);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(pass(1).entity == task_entity(B));
    CHECK(pass(6).entity == task_entity(A));
    CHECK(listener.last == TAKT_ALLOCATION_CUT);
    CHECK(listener.count == 1);
    CHECK(pass(20).entity == task_entity(A));
    CHECK(listener.last == TAKT_ALLOCATION_ABORTED);
    takt_dispatcher_record_to(driven.dispatcher, NULL);
    destroy_driven();
}

/* ---- budgets ------------------------------------------------------------------------------------------ */

static void a_suspended_task_gets_its_budget_back_with_the_next_release(void) {
    static const takt_window_spec_t windows[] = {{TAKT_WINDOWS_SUSPEND, {.part = 0}},
                                                 {TAKT_WINDOWS_NONE, {.part = 0}}};
    make(&takt_policy_edf, two_tasks, windows);
    check_decision(pass(0), task_entity(A), 2);
    check_decision(pass(2), task_entity(B), 6);
    check_decision(pass(6), task_entity(B), 9);
    check_decision(post(TAKT_EVENT_COMPLETE, task_entity(B), 7), task_entity(A), 9);
    check_decision(pass(8), task_entity(A), 9);
    CHECK(driven.tasks[A].job.number == 0);
    CHECK(driven.tasks[A].job.remaining == 1);
    destroy_driven();
}

static void an_aborted_job_makes_room_for_the_next_one(void) {
    static const takt_window_spec_t windows[] = {{TAKT_WINDOWS_ABORT, {.part = 0}},
                                                 {TAKT_WINDOWS_NONE, {.part = 0}}};
    make(&takt_policy_edf, two_tasks, windows);
    check_decision(pass(0), task_entity(A), 2);
    check_decision(pass(2), task_entity(B), 6);
    CHECK(driven.tasks[A].job.number == 1);
    CHECK(!takt_task_is_active(&driven.tasks[A]));
    destroy_driven();
}

static void a_job_that_is_complete_when_its_budget_is_used_up_is_not_aborted(void) {
    static const takt_window_spec_t windows[] = {{TAKT_WINDOWS_ABORT, {.part = 0}},
                                                 {TAKT_WINDOWS_NONE, {.part = 0}}};
    listener_t listener = {{listen_to}, TAKT_ALLOCATION_ADMITTED, 0};
    make(&takt_policy_edf, two_tasks, windows);
    takt_dispatcher_record_to(driven.dispatcher, &listener.trace);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(A), 2).entity == task_entity(B));
    CHECK(listener.count == 0);
    takt_dispatcher_record_to(driven.dispatcher, NULL);
    destroy_driven();
}

int main(void) {
    a_slot_ends_whatever_its_job_still_wants();
    the_next_job_goes_on_in_the_same_slot();
    a_late_call_finds_the_slot_that_is_open();
    a_promotion_displaces_who_is_in_the_middle();
    both_levels_share_one_budget();
    optional_parts_wait_for_all_mandatory_ones();
    the_deadline_cuts_what_is_optional_and_aborts_what_is_not();
    a_suspended_task_gets_its_budget_back_with_the_next_release();
    an_aborted_job_makes_room_for_the_next_one();
    a_job_that_is_complete_when_its_budget_is_used_up_is_not_aborted();
    return check_report("test_windows");
}
