/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The application's side of a scheduler at a distance: which answers it carries out, and what its records say then. Runs
 * with a mailbox would only take longer if it refused right ones: it asks again until the answer is the last word. */
#include "policy/table.h"
#include "remote/application.h"
#include "sim/system.h"
#include "tests/c/check.h"

enum { R, Q, RESOURCES, LIMIT = 2 };

static takt_application_t application;

static bool accepts(uint32_t posted, bool is_decision, uint32_t sequence) {
    application = (takt_application_t){.posted = posted};
    const takt_answer_t answer = {.is_decision = is_decision, .sequence = sequence};
    return takt_application_accepts(&application, &answer);
}

static void a_decision_that_considers_every_event_is_accepted(void) {
    CHECK(accepts(0, true, 0));
    CHECK(accepts(3, true, 3));
    CHECK(accepts(UINT32_MAX, true, UINT32_MAX));
}

static void an_answer_that_lacks_an_event_or_decides_nothing_is_not(void) {
    CHECK(!accepts(3, true, 2));
    CHECK(!accepts(0, true, UINT32_MAX));
    CHECK(!accepts(3, false, 3));
    CHECK(!accepts(0, false, 0));
}

/* ---- its records ---------------------------------------------------------------------------------------- */

static takt_system_t built;
static takt_entity_t *entities[LIMIT];
static takt_cpu_t cpu;

/* One task that locks: entity 1, behind the root. */
static takt_entity_t *begin(void) {
    static const takt_task_spec_t task = {.period = 10,
                                          .relative_deadline = 9,
                                          .wcet = 5,
                                          .demand = 5,
                                          .level = 1,
                                          .server = TAKT_ROOT,
                                          .locks = true};
    static const takt_resource_spec_t resource[RESOURCES] = {
        {.protocol = TAKT_PROTOCOL_PIP, .server = TAKT_ROOT},
        {.protocol = TAKT_PROTOCOL_PIP, .server = TAKT_ROOT}};
    static const takt_system_spec_t spec = {.policy = &takt_policy_fp,
                                            .levels = 1,
                                            .tasks = &task,
                                            .task_count = 1,
                                            .resources = resource,
                                            .resource_count = RESOURCES};
    CHECK(takt_system_create(&built, &spec));
    entities[1] = NULL;
    application =
        (takt_application_t){entities, LIMIT, built.resources, RESOURCES, built.changes, .posted = 0};
    return built.tasks[0].entity;
}

static void end(void) { takt_system_destroy(&built); }

static takt_message_t post(takt_event_kind_t kind, takt_entity_t *entity, takt_resource_t *resource) {
    return takt_application_post(
        &application, &(takt_event_t){.now = 7, .kind = kind, .entity = entity, .resource = resource});
}

static void carry_out(uint32_t job) {
    const takt_answer_t answer = {.is_decision = true, .entity = 1, .job = job, .change = TAKT_NO_CHANGE};
    CHECK(takt_application_carry_out(&application, &cpu, &answer).entity == entities[1]);
}

static void an_event_is_told_and_makes_its_entity_known(void) {
    takt_entity_t *entity = begin();
    const takt_message_t message = post(TAKT_EVENT_LOCK, entity, &built.resources[Q]);
    CHECK(message.seen == 7 && message.kind == TAKT_EVENT_LOCK && message.entity == 1);
    CHECK(message.job == 0 && message.value == built.resources[Q].number);
    CHECK(entities[1] == entity && application.posted == 1);
    end();
}

static void wakes_and_blocks_are_states(void) {
    takt_entity_t *entity = begin();
    takt_entity_clear_state(entity, TAKT_STATE_READY);
    (void)post(TAKT_EVENT_WAKE, entity, NULL);
    CHECK(takt_entity_is_ready(entity));
    (void)post(TAKT_EVENT_BLOCK, entity, NULL);
    CHECK(!takt_entity_is_ready(entity));
    end();
}

/* From the decision that selects it on, until it unlocks. */
static void a_job_holds_what_it_locks(void) {
    takt_entity_t *entity = begin();
    takt_resource_t *resources = built.resources;
    (void)post(TAKT_EVENT_LOCK, entity, &resources[R]);
    CHECK(resources[R].holder == NULL);
    carry_out(0);
    CHECK(resources[R].holder == entity && resources[Q].holder == NULL);
    (void)post(TAKT_EVENT_LOCK, entity, &resources[Q]);
    carry_out(0);
    CHECK(resources[R].holder == entity && resources[Q].holder == entity);
    (void)post(TAKT_EVENT_UNLOCK, entity, &resources[Q]);
    carry_out(0);
    CHECK(resources[R].holder == entity && resources[Q].holder == NULL);
    (void)post(TAKT_EVENT_UNLOCK, entity, &resources[R]);
    CHECK(resources[R].holder == NULL && entity->task->extension->held == NULL);
    end();
}

static void the_next_job_holds_and_wants_nothing(void) {
    takt_entity_t *entity = begin();
    (void)post(TAKT_EVENT_LOCK, entity, &built.resources[R]);
    carry_out(0);
    (void)post(TAKT_EVENT_LOCK, entity, &built.resources[Q]);
    carry_out(1);
    carry_out(1);
    CHECK(built.resources[R].holder == NULL && built.resources[Q].holder == NULL);
    CHECK(entity->task->extension->held == NULL);
    end();
}

static void a_decision_is_written_down(void) {
    takt_entity_t *entity = begin();
    takt_application_add(&application, entity);
    takt_answer_t answer = {.is_decision = true,
                            .should_yield = true,
                            .entity = 1,
                            .job = 3,
                            .waiting = 2,
                            .change = TAKT_NO_CHANGE,
                            .sequence = 5,
                            .release = 30,
                            .deadline = 39,
                            .until = 33};
    takt_decision_t decision = takt_application_carry_out(&application, &cpu, &answer);
    CHECK(decision.entity == entity && decision.until == 33 && decision.sequence == 5);
    CHECK(cpu.running == entity && cpu.should_yield);
    CHECK(entity->task->job.number == 3 && entity->task->job.release == 30);
    CHECK(entity->task->job.deadline == 39 && entity->task->waiting == 2);
    answer.entity = LIMIT;
    answer.until = TAKT_NOT_TOLD;
    decision = takt_application_carry_out(&application, &cpu, &answer);
    CHECK(decision.entity == NULL && decision.until == TAKT_NEVER && cpu.running == NULL);
    end();
}

int main(void) {
    an_event_is_told_and_makes_its_entity_known();
    wakes_and_blocks_are_states();
    a_job_holds_what_it_locks();
    the_next_job_holds_and_wants_nothing();
    a_decision_is_written_down();
    a_decision_that_considers_every_event_is_accepted();
    an_answer_that_lacks_an_event_or_decides_nothing_is_not();
    return check_report("test_application");
}
