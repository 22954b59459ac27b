/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A domain by itself: memory, receipts, state, inputs that are refused. How whole systems run, and what is refused
 * of images, tests/linux/test_domain.py says. */
#include "linux/domain.h"

#include "check.h"
#include "image_writer.h"

enum { LONG, URGENT, EVENTS, TASKS, HORIZON = 1000, WORDS = 1024, RECORDS = 256, BYTES = 1 << 16 };

static const takt_task_spec_t tasks[TASKS] = {
    [LONG] = {.period = 100,
              .relative_deadline = 90,
              .wcet = 50,
              .demand = 50,
              .level = 2,
              .server = TAKT_ROOT,
              .is_limited = true,
              .preemption_key = TAKT_KEY_MOST_URGENT,
              .suspends = true},
    [URGENT] = {.period = 10,
                .offset = 5,
                .relative_deadline = 4,
                .wcet = 3,
                .demand = 3,
                .level = 1,
                .weight = 1,
                .server = TAKT_ROOT},
    [EVENTS] = {.period = 100,
                .relative_deadline = 100,
                .wcet = 1,
                .demand = 1,
                .level = 3,
                .server = TAKT_ROOT,
                .is_external = true,
                .ring = 1},
};

static const takt_system_spec_t fixed = {
    .policy = &takt_policy_fp, .levels = 4, .cpu_count = 1, .bulk = 1, .tasks = tasks, .task_count = TASKS};

static _Alignas(16) char memory[BYTES];
static uint64_t words[WORDS];
static takt_domain_order_t order;

static const takt_domain_t *built(void) { return (const takt_domain_t *)(const void *)memory; }

static uint64_t domain(void) { return (uint64_t)(uintptr_t)memory; }

static uint64_t number_of(uint32_t task) { return 1u + task; }

static uint64_t build_in(uint64_t bytes) {
    memset(memory, 0, sizeof memory);
    return takt_domain_build(domain(), bytes, (uint64_t)(uintptr_t)&order);
}

static void write_image(const takt_system_spec_t *spec, const takt_input_t *inputs, uint32_t count) {
    static takt_program_t program;
    static image_tables_t tables;
    program = (takt_program_t){.horizon = HORIZON, .resolution_ns = 1, .is_remote = true, .spec = *spec};
    program.inputs = inputs;
    program.input_count = count;
    image_take(&tables, &program);
    order = (takt_domain_order_t){.words = words, .records = RECORDS};
    order.count = image_put(&tables, words);
    CHECK(order.count <= WORDS);
}

static void begin(const takt_system_spec_t *spec, const takt_input_t *inputs, uint32_t count) {
    write_image(spec, inputs, count);
    CHECK(build_in(BYTES) == TAKT_DOMAIN_OK);
}

static uint64_t post(takt_event_kind_t kind, uint64_t entity, uint64_t job, uint64_t value,
                     takt_instant_t now) {
    return takt_domain_post(domain(), (uint64_t)kind << TAKT_DOMAIN_KIND_SHIFT | entity, job, value, now);
}

static void decide(uint64_t expected, takt_instant_t now) {
    CHECK(takt_domain_peek(domain(), now) == expected && built()->is_outdated);
    CHECK(takt_domain_take(domain(), now) == expected && !built()->is_outdated);
}

static bool has(uint32_t task, uint64_t bits) { return takt_domain_state(domain(), number_of(task)) == bits; }

/* ---- memory ------------------------------------------------------------------------------------------- */

/* The first answer is what the image needs, the second all. */
static void check_memory_is_asked_for_in_two_answers(void) {
    write_image(&fixed, NULL, 0);
    CHECK(build_in(0) == TAKT_DOMAIN_MEMORY && order.bytes > sizeof(takt_domain_t));
    const uint64_t program = order.bytes;
    CHECK(build_in(program) == TAKT_DOMAIN_MEMORY && order.bytes > program);
    const uint64_t all = order.bytes;
    CHECK(build_in(all - 16u) == TAKT_DOMAIN_MEMORY && order.bytes == all);
    CHECK(build_in(all) == TAKT_DOMAIN_OK && order.bytes == all && all < BYTES);
    for (uint64_t byte = all; byte < BYTES; byte++) {
        CHECK(memory[byte] == 0);
    }
}

static void check_each_status_has_a_message(void) {
    const char *none = takt_domain_message((takt_domain_status_t)(TAKT_DOMAIN_RECORDS + 1));
    for (takt_domain_status_t status = TAKT_DOMAIN_OK; status <= TAKT_DOMAIN_RECORDS; status++) {
        CHECK(takt_domain_message(status) != none);
    }
}

/* ---- events ------------------------------------------------------------------------------------------- */

static void check_receipts(void) {
    begin(&fixed, NULL, 0);
    const uint64_t running = number_of(LONG), beyond = number_of(TASKS);
    decide(running, 0);
    CHECK(post(TAKT_EVENT_ARRIVAL, number_of(EVENTS), 0, 1, 1) == TAKT_RECEIPT_RECEIVED);
    CHECK(post(TAKT_EVENT_ARRIVAL, number_of(EVENTS), 0, 1, 1) == TAKT_RECEIPT_FULL);
    CHECK(post(TAKT_EVENT_COMPLETE, running, 1, 1, 1) == TAKT_RECEIPT_STALE);
    CHECK(post(TAKT_EVENT_COMPLETE, number_of(URGENT), 0, 1, 1) == TAKT_RECEIPT_STALE);
    CHECK(post(TAKT_EVENT_WAKE, running, 0, 1, 1) == TAKT_RECEIPT_UNFIT);
    CHECK(post(TAKT_EVENT_SUSPEND, running, 0, TAKT_TIME_MOST + 1u, 1) == TAKT_RECEIPT_UNFIT);
    CHECK(post(TAKT_EVENT_COMPLETE, 0, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post(TAKT_EVENT_COMPLETE, TAKT_NO_ENTITY, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post(TAKT_EVENT_LOCK, running, 0, 0, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post(TAKT_EVENT_TIME, running, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post(TAKT_EVENT_BLOCK, beyond, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(built()->system.dispatcher->sequence == 3); /* an arrival, two stale ones */
}

/* A thread may say what its job does, and not what it may do. */
static void check_a_thread_requests_what_is_its_own(void) {
    begin(&fixed, NULL, 0);
    const uint64_t running = number_of(LONG), by_itself = TAKT_DOMAIN_OF_THREAD | running;
    decide(running, 0);
    CHECK(post(TAKT_EVENT_PRIORITY, by_itself, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post(TAKT_EVENT_PRIORITY, running, 0, 1, 1) == TAKT_RECEIPT_RECEIVED);
    CHECK(post(TAKT_EVENT_BLOCK, by_itself, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post((takt_event_kind_t)UINT32_MAX, running, 0, 1, 1) == TAKT_RECEIPT_UNKNOWN);
    CHECK(post(TAKT_EVENT_COMPLETE, by_itself, 0, 1, 1) == TAKT_RECEIPT_RECEIVED);
}

static void check_instants_never_go_back(void) {
    begin(&fixed, NULL, 0);
    decide(number_of(URGENT), 20);
    CHECK(post(TAKT_EVENT_COMPLETE, number_of(URGENT), 0, 3, 3) == TAKT_RECEIPT_RECEIVED);
    decide(number_of(URGENT), 4);
    CHECK(built()->now == 20 && built()->answer.release == 15 && built()->answer.job == 1);
}

/* ---- state -------------------------------------------------------------------------------------------- */

static void check_state_and_instants(void) {
    begin(&fixed, NULL, 0);
    const uint64_t running = TAKT_DOMAIN_HAS_JOB | TAKT_DOMAIN_READY | TAKT_DOMAIN_RUNS;
    const uint64_t own = TAKT_DOMAIN_PERIODIC | TAKT_DOMAIN_HAS_POINTS;
    CHECK(takt_domain_next(domain()) == 0);
    decide(number_of(LONG), 0);
    CHECK(has(LONG, own | running) && has(URGENT, TAKT_DOMAIN_PERIODIC) && has(EVENTS, 0));
    CHECK(takt_domain_next(domain()) == 5 && takt_domain_next_release(domain(), number_of(LONG)) == 100);
    CHECK(takt_domain_next_release(domain(), number_of(EVENTS)) == TAKT_NEVER);
    CHECK(takt_domain_peek(domain(), 5) == number_of(LONG) && !built()->is_outdated);
    CHECK(has(LONG, own | running | TAKT_DOMAIN_YIELDS));
    CHECK(has(URGENT, TAKT_DOMAIN_PERIODIC | TAKT_DOMAIN_HAS_JOB | TAKT_DOMAIN_READY));
    CHECK(post(TAKT_EVENT_BLOCK, number_of(LONG), 0, 6, 6) == TAKT_RECEIPT_RECEIVED);
    CHECK(has(LONG, own | TAKT_DOMAIN_HAS_JOB | TAKT_DOMAIN_BLOCKED));
    decide(number_of(URGENT), 6);
    CHECK(post(TAKT_EVENT_COMPLETE, number_of(URGENT), 0, 7, 7) == TAKT_RECEIPT_RECEIVED);
    decide(TAKT_NO_ENTITY, 7);
    CHECK(takt_domain_next_release(domain(), number_of(URGENT)) == 15);
    CHECK(post(TAKT_EVENT_WAKE, number_of(LONG), 0, 8, 8) == TAKT_RECEIPT_RECEIVED);
    decide(number_of(LONG), 8);
    CHECK(post(TAKT_EVENT_SUSPEND, number_of(LONG), 0, 12, 9) == TAKT_RECEIPT_RECEIVED);
    CHECK(has(LONG, own | TAKT_DOMAIN_HAS_JOB) && takt_domain_next(domain()) == 12);
    const uint64_t none[] = {0, number_of(TASKS), number_of(TASKS) + 1u, TAKT_NO_ENTITY,
                             UINT64_C(1) << 32 | 1u};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK(takt_domain_state(domain(), none[i]) == 0);
        CHECK(takt_domain_next_release(domain(), none[i]) == TAKT_NEVER);
    }
}

/* ---- inputs ------------------------------------------------------------------------------------------- */

static void check_inputs_are_posted_when_due_and_counted_when_refused(void) {
    static const takt_input_t inputs[] = {{.instant = 3, .nominal = 2, .index = EVENTS},
                                          {.instant = 4, .nominal = 4, .index = EVENTS},
                                          {.instant = 30, .nominal = 30, .index = EVENTS}};
    begin(&fixed, inputs, 3);
    decide(number_of(LONG), 0);
    CHECK(takt_domain_next(domain()) == 3 && takt_domain_peek(domain(), 2) == number_of(LONG));
    CHECK(built()->next_input == 0 && !built()->is_outdated);
    decide(number_of(LONG), 4);
    CHECK(built()->next_input == 2 && built()->refused == 1 && built()->refused_as == TAKT_RECEIPT_FULL);
    CHECK(takt_domain_next(domain()) == 5);
    CHECK(takt_domain_take(domain(), 40) == number_of(LONG) && takt_domain_next(domain()) == 30);
    CHECK(post(TAKT_EVENT_PRIORITY, number_of(TASKS), 0, 1, 40) == TAKT_RECEIPT_UNKNOWN);
}

/* ---- locks that wait for a budget ----------------------------------------------------------------------- */

/* A job without budget has requested a lock. It waits for the budget once; there is no memory for a second one. */
static void check_a_lock_waits_for_its_budget_once(void) {
    static const takt_task_spec_t task = {.period = 100,
                                          .relative_deadline = 100,
                                          .wcet = 2,
                                          .demand = 9,
                                          .level = 1,
                                          .weight = 1,
                                          .locks = true,
                                          .server = TAKT_ROOT};
    static const takt_rate_settings_t rates = {.beta = TAKT_RATE_WHOLE / 20, .grid = 1, .estimate_jobs = 1};
    static const takt_resource_spec_t resource = {
        .protocol = TAKT_PROTOCOL_SRP, .ceiling = 1, .server = TAKT_ROOT};
    static const takt_use_spec_t use = {0, 0};
    static const takt_change_spec_t enters = {.kind = TAKT_CHANGE_ENTER,
                                              .period = 100,
                                              .relative_deadline = 100,
                                              .wcet = 2,
                                              .level = 1,
                                              .weight = 1,
                                              .demand = 9};
    static const takt_input_t input = {.kind = TAKT_INPUT_CHANGE};
    static const takt_system_spec_t spec = {.policy = &takt_policy_rate_based,
                                            .levels = 1,
                                            .cpu_count = 1,
                                            .bulk = 1,
                                            .rates = &rates,
                                            .tasks = &task,
                                            .task_count = 1,
                                            .resources = &resource,
                                            .resource_count = 1,
                                            .uses = &use,
                                            .use_count = 1,
                                            .changes = &enters,
                                            .change_count = 1};
    begin(&spec, &input, 1);
    decide(1, 0);
    CHECK(built()->refused == 0 && takt_domain_next(domain()) == 2);
    decide(TAKT_NO_ENTITY, 2);
    CHECK(has(0, TAKT_DOMAIN_HAS_JOB));
    CHECK(post(TAKT_EVENT_LOCK, 1, 0, 0, 3) == TAKT_RECEIPT_STALE);
    CHECK(post(TAKT_EVENT_LOCK, 1, 0, 0, 3) == TAKT_RECEIPT_UNFIT);
    CHECK(built()->scheduler.deferred_count == 1);
    const takt_instant_t next = takt_domain_next(domain());
    decide(1, next);
    CHECK(built()->scheduler.deferred_count == 0 && built()->scheduler.last == TAKT_RECEIPT_RECEIVED);
    CHECK(built()->system.resources[0].holder == &built()->system.entities[0]);
}

int main(void) {
    check_memory_is_asked_for_in_two_answers();
    check_each_status_has_a_message();
    check_receipts();
    check_a_thread_requests_what_is_its_own();
    check_instants_never_go_back();
    check_state_and_instants();
    check_inputs_are_posted_when_due_and_counted_when_refused();
    check_a_lock_waits_for_its_budget_once();
    return check_report("test_domain");
}
