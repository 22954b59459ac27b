/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Changes of tasks and of the root's policy that come late, and what attributes and room a change of policy needs. */
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

/* Of a root that may get another policy: by keys they may be ordered, and keys may age. Only the full pass rewrites their
 * keys. */
static void children_are_as_attentive_as_the_strictest_policy_wants(void) {
    takt_change_t of_root[] = {{.kind = TAKT_CHANGE_PARAMETERS},
                               {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_fp},
                               {.kind = TAKT_CHANGE_POLICY, .policy = &takt_policy_llf}};
    const uint32_t keyed = TAKT_ATTRIBUTE_KEYED | TAKT_ATTRIBUTE_FULL_PASS;
    const uint32_t expected[] = {0, 0, keyed, keyed | TAKT_ATTRIBUTE_AGING};
    for (uint32_t count = 0; count <= 3; count++) {
        takt_dispatcher_t dispatcher = {.changes = NULL};
        takt_dispatcher_set_changes(&dispatcher, of_root, count);
        CHECK(dispatcher.changes == of_root);
        CHECK(dispatcher.root.entity.attributes == expected[count]);
    }
}

int main(void) {
    a_release_that_is_overdue_is_before_the_leave();
    all_cycles_that_nobody_looked_at_are_made_up_for();
    a_policy_whose_keys_age_comes_into_force_with_them();
    another_policy_has_room_for_all();
    children_are_as_attentive_as_the_strictest_policy_wants();
    return check_report("test_changes");
}
