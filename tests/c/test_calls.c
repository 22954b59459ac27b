/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What policy/calls.h promises, driven call by call: the states of a window, when calls are due, which go first, and what
 * late calls find. */
#include "driven.h"

enum { A = 0, B = 1, ALLOCATOR = 2 };

/* A (6, 2) before B (9, 3), and calls of a tick; the allocator's own task may have 2 ticks in 12. */
static const takt_task_spec_t three_tasks[] = {
    {.period = 6, .relative_deadline = 6, .wcet = 2, .level = 1, .server = TAKT_ROOT},
    {.period = 9, .relative_deadline = 9, .wcet = 3, .level = 2, .server = TAKT_ROOT},
    {.period = 12, .relative_deadline = 6, .wcet = 1, .level = 3, .server = TAKT_ROOT},
};
static const takt_window_spec_t in_spare_time[] = {{TAKT_WINDOWS_SUSPEND, {.part = 0}},
                                                   {TAKT_WINDOWS_SUSPEND, {.part = 0}},
                                                   {TAKT_WINDOWS_SPARE_TIME, {.part = 0}}};
static const takt_window_spec_t on_top[] = {{TAKT_WINDOWS_SUSPEND, {.part = 0}},
                                            {TAKT_WINDOWS_SUSPEND, {.part = 0}},
                                            {TAKT_WINDOWS_TOP, {.part = 2}}};

static void make(const takt_window_spec_t *windows, uint32_t count, uint32_t bulk) {
    const takt_system_spec_t spec = {.policy = &takt_policy_rm,
                                     .levels = 3,
                                     .tasks = three_tasks,
                                     .task_count = count,
                                     .windows = windows,
                                     .bulk = bulk};
    make_driven(&spec);
}

static const takt_windowed_t *windowed(uint32_t task) { return takt_windowed_of(&driven.tasks[task]); }

/* ---- states (Wang and Lin 1999, Figure 3) --------------------------------------------------------------------------- */

static uint64_t ready_windows(uint32_t task) { return windowed(task)->handed - windowed(task)->begun; }

static bool is_active(uint32_t task) {
    return takt_task_is_open(&driven.tasks[task]) && windowed(task)->is_open;
}

static bool is_asleep(uint32_t task) {
    return windowed(task)->is_open && driven.tasks[task].job.remaining > 0 &&
           !takt_entity_is_ready(task_entity(task));
}

static bool is_ended(uint32_t task) {
    return !windowed(task)->is_open || (driven.tasks[task].job.remaining == 0 && !is_active(task));
}

static void a_window_is_ready_active_asleep_and_ended(void) {
    static const takt_slot_t first[] = {{0, 4}, {6, 2}};
    static const takt_slot_t second[] = {{4, 2}};
    static const takt_window_spec_t table[] = {
        {TAKT_WINDOWS_TIME_DRIVEN, {.slots = first, .slot_count = 2, .cycle = 8}},
        {TAKT_WINDOWS_TIME_DRIVEN, {.slots = second, .slot_count = 1, .cycle = 8}}};
    const takt_system_spec_t spec = {.policy = &takt_policy_time_driven,
                                     .levels = 2,
                                     .tasks = three_tasks,
                                     .task_count = 2,
                                     .windows = table,
                                     .bulk = 3};
    make_driven(&spec);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(ready_windows(A) == 2 && ready_windows(B) == 3); /* start: ready to active */
    CHECK(is_active(A) && is_ended(B));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(A), 2).entity == NULL);
    CHECK(is_asleep(A)); /* its work ends: active to asleep */
    CHECK(pass(4).entity == task_entity(B));
    CHECK(is_ended(A)); /* finish: asleep to ended */
    CHECK(ready_windows(B) == 2);
    CHECK(pass(6).entity == task_entity(A)); /* work comes with the slot */
    CHECK(ready_windows(A) == 1);
    CHECK(is_ended(B)); /* budget and finish: active to ended */
    CHECK(pass(8).entity == task_entity(A));
    CHECK(is_ended(B) && is_active(A));
    CHECK(ready_windows(A) == 3); /* the last one has begun: called */
    CHECK(windowed(A)->called == 2 && windowed(B)->called == 1);
    destroy_driven();
}

static void work_that_comes_wakes_a_window(void) {
    static const takt_slot_t slots[] = {{1, 8}};
    static const takt_window_spec_t table[] = {
        {TAKT_WINDOWS_TIME_DRIVEN, {.slots = slots, .slot_count = 1, .cycle = 9}}};
    const takt_system_spec_t spec = {.policy = &takt_policy_time_driven,
                                     .levels = 1,
                                     .tasks = three_tasks,
                                     .task_count = 1,
                                     .windows = table};
    make_driven(&spec);
    CHECK(pass(0).entity == NULL);
    CHECK(pass(1).entity == task_entity(A));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(A), 3).entity == NULL);
    CHECK(is_asleep(A));
    check_decision(pass(6), task_entity(A), 9);
    CHECK(is_active(A));
    CHECK(driven.tasks[A].job.remaining == 6);
    destroy_driven();
}

static void a_budget_that_is_used_up_ends_a_window(void) {
    make(in_spare_time, 2, 1);
    check_decision(pass(0), task_entity(A), 2);
    CHECK(pass(2).entity == task_entity(B));
    CHECK(is_ended(A));
    CHECK(pass(6).entity == task_entity(A));
    CHECK(is_active(A));
    destroy_driven();
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static void calls_are_due_when_the_last_window_begins(void) {
    make(in_spare_time, 2, 2);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(windowed(A)->called == 1 && windowed(B)->called == 1);
    CHECK(pass(6).entity == task_entity(A));
    CHECK(windowed(A)->called == 2 && windowed(B)->called == 1);
    CHECK(pass(9).entity != NULL);
    CHECK(windowed(A)->called == 2 && windowed(B)->called == 2);
    destroy_driven();
}

static void those_of_instant_0_take_no_time(void) {
    make(in_spare_time, 3, 1);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(windowed(A)->handed == 2 && windowed(B)->handed == 2);
    CHECK(!takt_task_is_active(&driven.tasks[ALLOCATOR]));
    destroy_driven();
}

/* At 6 A asks for the window of 12, at 9 B for that of 18; each call takes a tick. */
static void a_call_goes_on_top_at_its_last_safe_instant(void) {
    make(in_spare_time, 3, 1);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(pass(2).entity == task_entity(B));
    CHECK(pass(5).entity == NULL);
    check_decision(pass(6), task_entity(A), 8);
    CHECK(windowed(A)->call.safe == 11 && windowed(A)->call.needed == 12);
    CHECK(task_entity(ALLOCATOR)->key == TAKT_KEY_LEAST_URGENT);
    check_decision(pass(8), task_entity(ALLOCATOR), 9);
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(ALLOCATOR), 9).entity == NULL);
    CHECK(pass(9).entity == task_entity(B));
    CHECK(windowed(B)->call.safe == 17);
    CHECK(pass(12).entity == task_entity(A)); /* which asks again, and stands behind B */
    CHECK(windowed(A)->call.safe == 16);
    CHECK(task_entity(ALLOCATOR)->key == TAKT_KEY_LEAST_URGENT);
    check_decision(pass(16), task_entity(ALLOCATOR), 17);
    CHECK(task_entity(ALLOCATOR)->key == TAKT_KEY_MOST_URGENT);
    destroy_driven();
}

/* A call that stands behind another one is safe only as long as both fit. */
static void who_is_behind_takes_who_is_before_to_the_top(void) {
    make(in_spare_time, 3, 1);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(pass(18).entity == task_entity(ALLOCATOR)); /* no call was made before: all wait */
    const takt_call_t *first = driven.calls.first;
    CHECK(first->task == &driven.tasks[A] && first->next->task == &driven.tasks[B]);
    CHECK(first->asked == 6 && first->safe == 11);
    CHECK(first->next->asked == 9 && first->next->safe == 16);
    CHECK(driven.calls.first_urgent == first && driven.calls.last_urgent == first->next);
    destroy_driven();
}

static void on_top_calls_wait_for_budget(void) {
    make(on_top, 3, 1);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(pass(2).entity == task_entity(B));
    CHECK(pass(5).entity == NULL);
    check_decision(pass(6), task_entity(ALLOCATOR), 8);
    check_decision(post(TAKT_EVENT_COMPLETE, task_entity(ALLOCATOR), 7), task_entity(A), 9);
    check_decision(pass(9), task_entity(ALLOCATOR), 10);
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(ALLOCATOR), 10).entity == task_entity(B));
    CHECK(driven.tasks[ALLOCATOR].job.remaining == 0);
    check_decision(pass(12), task_entity(ALLOCATOR), 14);
    destroy_driven();
}

/* What a call takes beyond its cost is charged to no budget, and the next call has its own again. */
static void a_call_that_takes_longer_goes_on(void) {
    make(in_spare_time, 3, 1);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(A), 1).entity == task_entity(B));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(B), 3).entity == NULL);
    CHECK(pass(6).entity == task_entity(A));
    check_decision(post(TAKT_EVENT_COMPLETE, task_entity(A), 7), task_entity(ALLOCATOR), 8);
    CHECK(pass(8).entity == task_entity(ALLOCATOR));
    CHECK(!takt_task_is_open(&driven.tasks[ALLOCATOR]));
    CHECK(pass(9).entity == task_entity(B));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(B), 10).entity == task_entity(ALLOCATOR));
    CHECK(post(TAKT_EVENT_COMPLETE, task_entity(ALLOCATOR), 11).entity == task_entity(ALLOCATOR));
    CHECK(driven.tasks[ALLOCATOR].job.remaining == 1);
    check_decision(pass(11), task_entity(ALLOCATOR), 12);
    destroy_driven();
}

/* A's slots are 0 to 2 and 5 to 6 of 8, B's is 2 to 5. */
static void a_late_call_finds_the_slot_that_is_open(void) {
    static const takt_slot_t of_a[] = {{0, 2}, {5, 1}}, of_b[] = {{2, 3}};
    static const takt_window_spec_t table[] = {
        {TAKT_WINDOWS_TIME_DRIVEN, {.slots = of_a, .slot_count = 2, .cycle = 8}},
        {TAKT_WINDOWS_TIME_DRIVEN, {.slots = of_b, .slot_count = 1, .cycle = 8}}};
    const takt_system_spec_t spec = {.policy = &takt_policy_time_driven,
                                     .levels = 2,
                                     .tasks = three_tasks,
                                     .task_count = 2,
                                     .windows = table};
    make_driven(&spec);
    check_decision(pass(3), task_entity(B), 5);
    CHECK(driven.tasks[A].job.remaining == 2);
    check_decision(pass(17), task_entity(A), 18);
    destroy_driven();
}

/* What executed before a window that opens late is not charged to it. */
static void a_late_call_charges_a_window_from_its_start_on(void) {
    static const takt_window_spec_t parts[] = {{TAKT_WINDOWS_IMPRECISE, {.part = 1}},
                                               {TAKT_WINDOWS_IMPRECISE, {.part = 2}}};
    const takt_system_spec_t spec = {.policy = &takt_policy_imprecise,
                                     .levels = 2,
                                     .tasks = three_tasks,
                                     .task_count = 2,
                                     .windows = parts};
    make_driven(&spec);
    CHECK(pass(0).entity == task_entity(A));
    CHECK(pass(1).entity == task_entity(B));
    CHECK(pass(6).entity == task_entity(A));
    CHECK(pass(20).entity == task_entity(A));
    destroy_driven();
}

/* ---- attributes (Wang and Lin 1999, Table 2) ------------------------------------------------------------------------ */

/* The second window of A: what it has of start, finish and budget, and the key that orders it. */
static void check_attributes(takt_instant_t start, takt_instant_t finish, takt_duration_t budget,
                             takt_key_t key) {
    CHECK(windowed(A)->start == start);
    CHECK(windowed(A)->deadline == finish);
    CHECK(driven.tasks[A].job.remaining == budget);
    CHECK(task_entity(A)->key == key);
}

static void registered_tasks_get_the_attributes_of_their_policy(void) {
    static const takt_slot_t slots[] = {{1, 2}, {6, 3}};
    static const takt_window_spec_t table[] = {
        {TAKT_WINDOWS_TIME_DRIVEN, {.slots = slots, .slot_count = 2, .cycle = 9}}};
    takt_system_spec_t spec = {.policy = &takt_policy_rm,
                               .levels = 1,
                               .tasks = three_tasks,
                               .task_count = 1,
                               .windows = in_spare_time};
    make_driven(&spec);
    CHECK(windowed(A)->handed == 0); /* registered, and not called yet */
    CHECK(pass(6).entity == task_entity(A));
    check_attributes(6, 12, 2, 6);
    destroy_driven();
    spec.policy = &takt_policy_edf;
    make_driven(&spec);
    CHECK(pass(6).entity == task_entity(A));
    check_attributes(6, 12, 2, 12);
    destroy_driven();
    spec.policy = &takt_policy_time_driven;
    spec.windows = table;
    make_driven(&spec);
    CHECK(pass(6).entity == task_entity(A));
    check_attributes(6, 9, 3, 9);
    destroy_driven();
}

int main(void) {
    registered_tasks_get_the_attributes_of_their_policy();
    a_window_is_ready_active_asleep_and_ended();
    work_that_comes_wakes_a_window();
    a_budget_that_is_used_up_ends_a_window();
    a_late_call_finds_the_slot_that_is_open();
    a_late_call_charges_a_window_from_its_start_on();
    calls_are_due_when_the_last_window_begins();
    those_of_instant_0_take_no_time();
    a_call_goes_on_top_at_its_last_safe_instant();
    who_is_behind_takes_who_is_before_to_the_top();
    on_top_calls_wait_for_budget();
    a_call_that_takes_longer_goes_on();
    return check_report("test_calls");
}
