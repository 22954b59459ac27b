/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Changes of tasks and of the root's policy, call by call. */
#include "driven.h"

enum { LEAVE, ENTER, PARAMETERS, LATE_LEAVE, CHANGES };

static const takt_task_spec_t plain = {
    .period = 10, .relative_deadline = 10, .wcet = 3, .level = 1, .server = TAKT_ROOT, .changes = true};

static const takt_change_spec_t changes[CHANGES] = {
    [LEAVE] = {.kind = TAKT_CHANGE_LEAVE},
    [ENTER] = {.kind = TAKT_CHANGE_ENTER},
    [PARAMETERS] =
        {.kind = TAKT_CHANGE_PARAMETERS, .period = 4, .relative_deadline = 2, .wcet = 1, .level = 1},
    [LATE_LEAVE] = {.kind = TAKT_CHANGE_LEAVE},
};

static void make_one_task(takt_task_spec_t task) {
    const takt_system_spec_t spec = {.policy = &takt_policy_edf,
                                     .levels = 1,
                                     .tasks = &task,
                                     .task_count = 1,
                                     .changes = changes,
                                     .change_count = CHANGES};
    make_driven(&spec);
}

static void change(uint64_t number, takt_instant_t now) {
    tell_of(TAKT_EVENT_CHANGE, driven.changes[number].entity, now, number);
}

static void a_task_that_leaves_has_no_release_until_it_enters(void) {
    takt_task_spec_t task = plain;
    task.offset = 5;
    make_one_task(task);
    check_decision(pass(0), NULL, 5);
    change(LEAVE, 3);
    check_decision(pass(3), NULL, TAKT_NEVER);
    change(ENTER, 20);
    check_decision(pass(20), NULL, 25);
    check_decision(pass(25), task_entity(0), 35);
    CHECK(driven.tasks[0].job.number == 0 && driven.tasks[0].job.release == 25);
    destroy_driven();
}

static void an_absent_task_waits_for_its_entry(void) {
    takt_task_spec_t task = plain;
    task.is_absent = true;
    make_one_task(task);
    check_decision(pass(0), NULL, TAKT_NEVER);
    change(ENTER, 7);
    check_decision(pass(7), task_entity(0), 17);
    destroy_driven();
}

static void a_release_that_is_overdue_is_before_the_leave(void) {
    make_one_task(plain);
    change(LEAVE, 25);
    check_decision(pass(25), task_entity(0), TAKT_NEVER);
    CHECK(driven.tasks[0].waiting == 2);
    destroy_driven();
}

static void all_cycles_that_nobody_looked_at_are_made_up_for(void) {
    make_one_task(plain);
    change(LEAVE, 5);
    change(ENTER, 6);
    change(PARAMETERS, 12);
    change(LATE_LEAVE, 25);
    check_decision(pass(25), task_entity(0), TAKT_NEVER);
    const takt_instant_t releases[] = {0, 6, 16, 20, 24};
    const takt_duration_t deadlines[] = {10, 10, 2, 2, 2};
    for (size_t i = 0; i < 5; i++) {
        CHECK(driven.tasks[0].job.release == releases[i]);
        CHECK(driven.tasks[0].job.deadline == releases[i] + deadlines[i]);
        tell(TAKT_EVENT_COMPLETE, task_entity(0), 25);
        check_decision(pass(25), i < 4 ? task_entity(0) : NULL, TAKT_NEVER);
    }
    destroy_driven();
}

static void another_policy_moves_who_is_ready_and_who_comes_back(void) {
    takt_task_spec_t tasks[] = {plain, plain, plain};
    const takt_change_spec_t to_fp = {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_fp};
    tasks[0].relative_deadline = 3;
    tasks[0].suspends = true;
    tasks[0].level = 2;
    tasks[1].relative_deadline = 9;
    tasks[1].level = 2;
    tasks[2].relative_deadline = 8;
    tasks[2].level = 2;
    const takt_system_spec_t spec = {.policy = &takt_policy_edf,
                                     .levels = 2,
                                     .tasks = tasks,
                                     .task_count = 3,
                                     .changes = &to_fp,
                                     .change_count = 1};
    make_driven(&spec);
    check_decision(pass(0), task_entity(0), 10);
    tell_of(TAKT_EVENT_SUSPEND, task_entity(0), 1, 4);
    check_decision(pass(1), task_entity(2), 4);
    change(0, 2);
    CHECK(driven.dispatcher->root.policy == &takt_policy_fp);
    check_decision(pass(2), task_entity(2), 4);
    check_decision(pass(4), task_entity(2), 10);
    CHECK(task_entity(0)->key == 2);
    tell(TAKT_EVENT_COMPLETE, task_entity(2), 5);
    check_decision(pass(5), task_entity(1), 10);
    tell(TAKT_EVENT_COMPLETE, task_entity(1), 6);
    check_decision(pass(6), task_entity(0), 10);
    destroy_driven();
}

static takt_task_spec_t with_laxity(takt_duration_t deadline, takt_duration_t wcet) {
    takt_task_spec_t task = plain;
    task.period = 30;
    task.relative_deadline = deadline;
    task.wcet = wcet;
    task.level = 2;
    return task;
}

/* Keys follow laxities from the change on, as under llf from the start: at 2 the waiting job has less than the running one. */
static void a_policy_whose_keys_age_comes_into_force_with_them(void) {
    const takt_change_spec_t to_llf = {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_llf};
    const takt_task_spec_t tasks[] = {with_laxity(7, 4), with_laxity(8, 4)};
    const takt_system_spec_t spec = {.policy = &takt_policy_fp,
                                     .levels = 2,
                                     .tasks = tasks,
                                     .task_count = 2,
                                     .changes = &to_llf,
                                     .change_count = 1};
    make_driven(&spec);
    change(0, 0);
    CHECK(pass(0).entity == task_entity(0) && task_entity(0)->key < task_entity(1)->key);
    const takt_instant_t overtaken = take(0).until;
    CHECK(overtaken < 4);
    const takt_key_t before = task_entity(0)->key;
    CHECK(pass(overtaken).entity == task_entity(1));
    CHECK(task_entity(0)->key == before + overtaken);
    destroy_driven();
}

/* The heap is the last of the memory of a system, and as long as all that compete need: sanitizers notice one place less. */
static void another_policy_has_room_for_all(void) {
    static const takt_change_spec_t to_edf = {
        .instant = 1, .kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_edf};
    takt_task_spec_t tasks[5];
    for (uint32_t i = 0; i < 5; i++) {
        tasks[i] = plain;
        tasks[i].relative_deadline = 10u - i;
        tasks[i].level = 1u + i;
    }
    make_driven(&(takt_system_spec_t){.policy = &takt_policy_fp,
                                      .levels = 5,
                                      .tasks = tasks,
                                      .task_count = 5,
                                      .changes = &to_edf,
                                      .change_count = 1});
    check_decision(pass(0), task_entity(0), 10);
    tell_of(TAKT_EVENT_CHANGE, driven.changes[0].entity, 1, 0);
    check_decision(pass(1), task_entity(4), 10);
    destroy_driven();
}

/* Of a root that may get another policy: by keys they may be ordered, and keys may age. */
static void children_are_as_attentive_as_the_strictest_policy_wants(void) {
    takt_change_t of_root[] = {{.kind = TAKT_CHANGE_PARAMETERS},
                               {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_fp},
                               {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_llf}};
    const uint32_t expected[] = {0, 0, TAKT_ATTRIBUTE_KEYED, TAKT_ATTRIBUTE_KEYED | TAKT_ATTRIBUTE_AGING};
    for (uint32_t count = 0; count <= 3; count++) {
        takt_dispatcher_t dispatcher = {.changes = NULL};
        takt_dispatcher_set_changes(&dispatcher, of_root, count);
        CHECK(dispatcher.changes == of_root);
        CHECK(dispatcher.root.entity.attributes == expected[count]);
    }
}

int main(void) {
    a_task_that_leaves_has_no_release_until_it_enters();
    an_absent_task_waits_for_its_entry();
    a_release_that_is_overdue_is_before_the_leave();
    all_cycles_that_nobody_looked_at_are_made_up_for();
    another_policy_moves_who_is_ready_and_who_comes_back();
    a_policy_whose_keys_age_comes_into_force_with_them();
    another_policy_has_room_for_all();
    children_are_as_attentive_as_the_strictest_policy_wants();
    return check_report("test_changes");
}
