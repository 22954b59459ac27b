/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Every misuse of servers, jobs, allocators, rates and the adapter is told by its code, and makes nothing.
 *
 * What is wrong is one field at a time of parameters that are right; at the end they are used as they are. */
#include "kernel/component.h"
#include "kernel/hybrid.h"
#include "kernel/rate.h"
#include "kernel/sporadic.h"
#include "tests/conformance/conformance.h"

/* So long that nothing of it is seen. */
enum { PERIOD = 9 * 1000 * 1000, BUDGET = 3 * 1000 * 1000 };

static takt_thread_server_t server, inner, no_server;
static takt_periodic_thread_t periodic, late, no_periodic;
static takt_sporadic_thread_t sporadic, no_sporadic;
static takt_allocated_thread_t allocated, no_allocated;
static takt_rate_thread_t no_rated;
static takt_allocation_t allocation, no_allocation;
static takt_rates_t rates;
static takt_hybrid_t hybrid, no_hybrid;
static takt_hybrid_task_t over, too_many, no_over;
static takt_thread_t test_thread;
static takt_task_extension_t extension_of_late, extension_of_allocated;
static takt_arrival_t arrivals[2];
static takt_resource_t resource, no_resource;
static conformance_stack_t stacks[5];
static takt_duration_t ticks;
static takt_instant_t instant;
static takt_rate_state_t state;

static void answer(takt_status_t status, takt_status_t expected, const char *what) {
    if (status != expected) {
        board_print(takt_status_message(status));
        board_print(", ");
        check(false, what);
    }
}

static void do_nothing(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_wait_next_period();
    }
}

/* A copy of `valid` with one thing wrong. */
#define WRONG(type, valid, field, value, call, thing, expected)  \
    do {                                                         \
        type wrong = (valid);                                    \
        wrong.field = (value);                                   \
        answer(call(thing, &wrong), expected, #call " " #field); \
    } while (0)

/* ---- servers ---------------------------------------------------------------------------------------- */

static takt_thread_server_parameters_t right_server(void) {
    return (takt_thread_server_parameters_t){.kind = &takt_server_deferrable,
                                             .policy = &takt_policy_edf,
                                             .period = PERIOD,
                                             .budget = BUDGET,
                                             .priority = 2};
}

#define WRONG_SERVER(field, value, expected)                                                        \
    WRONG(takt_thread_server_parameters_t, right_server(), field, value, takt_thread_server_create, \
          &no_server, expected)

static void refuse_servers(void) {
    const takt_thread_server_parameters_t right = right_server();
    takt_policy_t old = takt_policy_edf;
    old.version = 0;
    answer(takt_thread_server_create(NULL, &right), TAKT_ERROR_NULL, "no_server");
    answer(takt_thread_server_create(&no_server, NULL), TAKT_ERROR_NULL, "no_parameters");
    WRONG_SERVER(kind, NULL, TAKT_ERROR_NULL);
    WRONG_SERVER(policy, NULL, TAKT_ERROR_NULL);
    WRONG_SERVER(policy, &old, TAKT_ERROR_POLICY);
    WRONG_SERVER(kind, &takt_server_sporadic, TAKT_ERROR_NULL);
    WRONG_SERVER(period, 0, TAKT_ERROR_PERIOD);
    WRONG_SERVER(budget, 0, TAKT_ERROR_BUDGET);
    WRONG_SERVER(budget, PERIOD + 1, TAKT_ERROR_BUDGET);
    WRONG_SERVER(priority, TAKT_PRIORITIES, TAKT_ERROR_PRIORITY);
    WRONG_SERVER(parent, &no_server, TAKT_ERROR_OBJECT);
    WRONG_SERVER(kind, &takt_server_cbs, TAKT_ERROR_KIND);
    answer(takt_thread_server_budget(NULL, &ticks), TAKT_ERROR_NULL, "budget_of_none");
    answer(takt_thread_server_budget(&no_server, NULL), TAKT_ERROR_NULL, "budget_to_none");
    answer(takt_thread_server_budget(&no_server, &ticks), TAKT_ERROR_OBJECT, "budget_of_no_server");
    answer(takt_thread_server_next_replenishment(&no_server, &instant), TAKT_ERROR_OBJECT,
           "next_of_no_server");
    answer(takt_thread_server_next_replenishment(NULL, &instant), TAKT_ERROR_NULL, "next_of_none");
    answer(takt_components_create(NULL, 0), TAKT_ERROR_NULL, "no_components");
}

static void make_servers(void) {
    takt_thread_server_parameters_t right = right_server();
    answer(takt_thread_server_create(&server, &right), TAKT_OK, "a_server_is_made");
    right.parent = &server;
    right.kind = &takt_server_cbs;
    answer(takt_thread_server_create(&inner, &right), TAKT_OK, "a_server_is_made_in_a_server_with_deadlines");
    answer(takt_thread_server_budget(&inner, &ticks), TAKT_OK, "a_budget_is_told");
    check(ticks == BUDGET, "the_budget_is_full");
}

/* ---- threads ---------------------------------------------------------------------------------------- */

static takt_thread_parameters_t right_thread(uint32_t number) {
    return (takt_thread_parameters_t){
        .entry = do_nothing, .stack = stacks[number], .stack_bytes = STACK_BYTES, .priority = 3};
}

static takt_job_parameters_t right_periodic(void) {
    return (takt_job_parameters_t){
        .thread = right_thread(0), .period = 1000 * 1000, .relative_deadline = 1000 * 1000};
}

#define WRONG_PERIODIC(field, value, expected)                                                              \
    WRONG(takt_job_parameters_t, right_periodic(), field, value, takt_periodic_thread_create, &no_periodic, \
          expected)

static void refuse_periodic(void) {
    const takt_job_parameters_t right = right_periodic();
    answer(takt_periodic_thread_create(NULL, &right), TAKT_ERROR_NULL, "no_thread");
    answer(takt_periodic_thread_create(&no_periodic, NULL), TAKT_ERROR_NULL, "no_parameters");
    WRONG_PERIODIC(thread.entry, NULL, TAKT_ERROR_NULL);
    WRONG_PERIODIC(thread.stack_bytes, 8, TAKT_ERROR_STACK);
    WRONG_PERIODIC(thread.priority, TAKT_PRIORITIES, TAKT_ERROR_PRIORITY);
    WRONG_PERIODIC(period, 0, TAKT_ERROR_PERIOD);
    WRONG_PERIODIC(relative_deadline, 0, TAKT_ERROR_DEADLINE);
    WRONG_PERIODIC(on_miss, TAKT_ON_MISS_ABORT, TAKT_ERROR_EXTENSION);
    WRONG_PERIODIC(arrivals, arrivals, TAKT_ERROR_EXTENSION);
    WRONG_PERIODIC(capacity, 2, TAKT_ERROR_EXTENSION);
    WRONG_PERIODIC(allocation, &allocation, TAKT_ERROR_EXTENSION);
    takt_job_parameters_t limited = right;
    limited.is_limited = true;
    limited.preemption_key = TAKT_PRIORITIES;
    answer(takt_periodic_thread_create(&no_periodic, &limited), TAKT_ERROR_THRESHOLD, "threshold");
}

static takt_job_parameters_t right_sporadic(void) {
    return (takt_job_parameters_t){
        .thread = right_thread(1), .relative_deadline = 9, .arrivals = arrivals, .capacity = 2};
}

#define WRONG_SPORADIC(field, value, expected)                                                              \
    WRONG(takt_job_parameters_t, right_sporadic(), field, value, takt_sporadic_thread_create, &no_sporadic, \
          expected)

static void refuse_sporadic(void) {
    const takt_job_parameters_t right = right_sporadic();
    answer(takt_sporadic_thread_create(NULL, &right), TAKT_ERROR_NULL, "no_thread");
    answer(takt_sporadic_thread_create(&no_sporadic, NULL), TAKT_ERROR_NULL, "no_parameters");
    WRONG_SPORADIC(arrivals, NULL, TAKT_ERROR_NULL);
    WRONG_SPORADIC(capacity, 0, TAKT_ERROR_LENGTH);
    WRONG_SPORADIC(capacity, 3, TAKT_ERROR_LENGTH);
    WRONG_SPORADIC(relative_deadline, 0, TAKT_ERROR_DEADLINE);
    WRONG_SPORADIC(offset, 1, TAKT_ERROR_EXTENSION);
    WRONG_SPORADIC(extension, &extension_of_allocated, TAKT_ERROR_EXTENSION);
    WRONG_SPORADIC(allocation, &allocation, TAKT_ERROR_EXTENSION);
    takt_job_parameters_t limited = right;
    limited.is_limited = true;
    limited.preemption_key = TAKT_PRIORITIES;
    answer(takt_sporadic_thread_create(&no_sporadic, &limited), TAKT_ERROR_THRESHOLD, "threshold");
}

static const takt_allocator_t functions = {.version = TAKT_ALLOCATOR_VERSION,
                                           .size = sizeof(takt_allocator_t)};

static takt_job_parameters_t right_allocated(void) {
    return (takt_job_parameters_t){.thread = right_thread(2),
                                   .allocation = &allocation,
                                   .extension = &extension_of_allocated,
                                   .period = 9,
                                   .relative_deadline = 9};
}

#define WRONG_ALLOCATED(field, value, expected)                                                 \
    WRONG(takt_job_parameters_t, right_allocated(), field, value, takt_allocated_thread_create, \
          &no_allocated, expected)

static void refuse_allocated(void) {
    const takt_job_parameters_t right = right_allocated();
    takt_allocator_t old = functions;
    old.version = 0;
    answer(takt_kernel_add_allocator(NULL, &functions), TAKT_ERROR_NULL, "no_allocation");
    answer(takt_kernel_add_allocator(&allocation, NULL), TAKT_ERROR_NULL, "no_functions");
    answer(takt_kernel_add_allocator(&allocation, &old), TAKT_ERROR_POLICY, "old_functions");
    answer(takt_kernel_add_allocator(&allocation, &functions), TAKT_OK, "an_allocator_is_added");
    answer(takt_allocated_thread_create(NULL, &right), TAKT_ERROR_NULL, "no_thread");
    answer(takt_allocated_thread_create(&no_allocated, NULL), TAKT_ERROR_NULL, "no_parameters");
    WRONG_ALLOCATED(allocation, NULL, TAKT_ERROR_NULL);
    WRONG_ALLOCATED(extension, NULL, TAKT_ERROR_NULL);
    WRONG_ALLOCATED(offset, 1, TAKT_ERROR_EXTENSION);
    WRONG_ALLOCATED(is_limited, true, TAKT_ERROR_EXTENSION);
    WRONG_ALLOCATED(on_miss, TAKT_ON_MISS_SKIP, TAKT_ERROR_EXTENSION);
    WRONG_ALLOCATED(arrivals, arrivals, TAKT_ERROR_EXTENSION);
    WRONG_ALLOCATED(capacity, 2, TAKT_ERROR_EXTENSION);
    WRONG_ALLOCATED(allocation, &no_allocation, TAKT_ERROR_OBJECT);
    WRONG_ALLOCATED(thread.server, &server, TAKT_ERROR_OBJECT);
    WRONG_ALLOCATED(period, 0, TAKT_ERROR_PERIOD);
    WRONG_ALLOCATED(relative_deadline, 0, TAKT_ERROR_DEADLINE);
}

static void refuse_requests(void) {
    const takt_rate_demand_t demand = {.wcet = 1, .period = 9};
    answer(takt_allocated_thread_enter(NULL), TAKT_ERROR_NULL, "enter_none");
    answer(takt_allocated_thread_leave(NULL), TAKT_ERROR_NULL, "leave_none");
    answer(takt_allocated_thread_enter(&no_allocated.job), TAKT_ERROR_OBJECT, "enter_no_thread");
    answer(takt_allocated_thread_enter(&allocated.job), TAKT_ERROR_EXTENSION, "an_allocator_without_enter");
    answer(takt_allocated_thread_leave(&allocated.job), TAKT_ERROR_EXTENSION, "an_allocator_without_leave");
    answer(takt_rate_thread_enter(NULL), TAKT_ERROR_NULL, "enter_no_rate");
    answer(takt_rate_thread_enter(&no_rated), TAKT_ERROR_OBJECT, "enter_a_rate_not_made");
    answer(takt_rate_thread_leave(NULL), TAKT_ERROR_NULL, "leave_no_rate");
    answer(takt_rate_thread_leave(&no_rated), TAKT_ERROR_OBJECT, "leave_a_rate_not_made");
    answer(takt_rate_thread_request(NULL, &demand), TAKT_ERROR_NULL, "request_by_none");
    answer(takt_rate_thread_request(&no_rated, NULL), TAKT_ERROR_NULL, "request_of_nothing");
    answer(takt_rate_thread_request(&no_rated, &demand), TAKT_ERROR_OBJECT, "request_by_no_thread");
    answer(takt_rate_thread_get(NULL, &state), TAKT_ERROR_NULL, "state_of_none");
    answer(takt_rate_thread_get(&no_rated, &state), TAKT_ERROR_OBJECT, "state_of_no_thread");
}

/* ---- resources -------------------------------------------------------------------------------------- */

static void refuse_resources(void) {
    answer(takt_job_resource_init(NULL, TAKT_PROTOCOL_PIP, 1, NULL), TAKT_ERROR_NULL, "no_resource");
    answer(takt_job_resource_init(&resource, TAKT_PROTOCOL_HSRP, 1, NULL), TAKT_ERROR_PROTOCOL, "hsrp");
    no_server.server.policy = &takt_policy_llf;
    answer(takt_job_resource_init(&resource, TAKT_PROTOCOL_ICPP, 1, &no_server), TAKT_ERROR_PROTOCOL,
           "a_ceiling_without_levels");
    answer(takt_job_resource_init(&resource, TAKT_PROTOCOL_PIP, 1, NULL), TAKT_OK, "a_resource_is_made");
}

/* ---- the adapter ------------------------------------------------------------------------------------ */

static void set_no_priority(void *thread, uint32_t priority) {
    (void)thread;
    (void)priority;
}

static const takt_hybrid_host_t host = {.set_priority = set_no_priority};
static const takt_rate_settings_t settings = {.grid = 1, .estimate_jobs = 1};
static const takt_rate_demand_t of_over = {.wcet = 1, .period = 9};

#define WRONG_SETTINGS(field, value, expected)                                                     \
    do {                                                                                           \
        takt_rate_settings_t wrong = settings;                                                     \
        wrong.field = (value);                                                                     \
        answer(takt_hybrid_init(&no_hybrid, &host, &wrong, 2, NULL, 0), expected, "init " #field); \
    } while (0)

static void refuse_adapters(void) {
    answer(takt_hybrid_init(NULL, &host, &settings, 2, NULL, 0), TAKT_ERROR_NULL, "no_adapter");
    answer(takt_hybrid_init(&no_hybrid, NULL, &settings, 2, NULL, 0), TAKT_ERROR_NULL, "no_host");
    answer(takt_hybrid_init(&no_hybrid, &host, NULL, 2, NULL, 0), TAKT_ERROR_NULL, "no_settings");
    answer(takt_hybrid_init(&no_hybrid, &host, &settings, 2, NULL, 1), TAKT_ERROR_NULL, "no_records");
    WRONG_SETTINGS(grid, 0, TAKT_ERROR_PERIOD);
    WRONG_SETTINGS(estimate_jobs, 0, TAKT_ERROR_SIZE);
    WRONG_SETTINGS(beta, TAKT_RATE_WHOLE + 1u, TAKT_ERROR_BUDGET);
    answer(takt_hybrid_init(&hybrid, &host, &settings, TAKT_HYBRID_LEAST, NULL, 0), TAKT_OK, "an_adapter");
}

#define WRONG_OVER(field, value, expected)                                                                  \
    do {                                                                                                    \
        takt_rate_demand_t wrong = of_over;                                                                 \
        wrong.field = (value);                                                                              \
        answer(takt_hybrid_add(&hybrid, &no_over, NULL, TAKT_CLASS_HARD, &wrong), expected, "add " #field); \
        answer(takt_hybrid_request(&hybrid, &over, &wrong, 0), expected, "request " #field);                \
    } while (0)

static void refuse_over(void) {
    const takt_task_class_t type = TAKT_CLASS_HARD;
    answer(takt_hybrid_add(&hybrid, &over, NULL, type, &of_over), TAKT_OK, "a_task_is_added");
    answer(takt_hybrid_add(NULL, &no_over, NULL, type, &of_over), TAKT_ERROR_NULL, "add_to_none");
    answer(takt_hybrid_add(&hybrid, NULL, NULL, type, &of_over), TAKT_ERROR_NULL, "add_none");
    answer(takt_hybrid_add(&hybrid, &no_over, NULL, type, NULL), TAKT_ERROR_NULL, "add_without_demand");
    answer(takt_hybrid_add(&no_hybrid, &no_over, NULL, type, &of_over), TAKT_ERROR_OBJECT, "no_adapter");
    answer(takt_hybrid_add(&hybrid, &over, NULL, type, &of_over), TAKT_ERROR_EXISTS, "add_twice");
    answer(takt_hybrid_add(&hybrid, &too_many, NULL, type, &of_over), TAKT_ERROR_FULL, "no_priority_is_left");
    WRONG_OVER(period, 0, TAKT_ERROR_PERIOD);
    WRONG_OVER(relative_deadline, 10, TAKT_ERROR_DEADLINE);
    WRONG_OVER(wcet, 10, TAKT_ERROR_BUDGET);
}

static void refuse_requests_over(void) {
    answer(takt_hybrid_enter(NULL, &over, 0), TAKT_ERROR_NULL, "enter_nowhere");
    answer(takt_hybrid_enter(&hybrid, &no_over, 0), TAKT_ERROR_OBJECT, "enter_a_task_not_added");
    answer(takt_hybrid_leave(&hybrid, NULL, 0), TAKT_ERROR_NULL, "leave_none");
    answer(takt_hybrid_leave(&hybrid, &no_over, 0), TAKT_ERROR_OBJECT, "leave_a_task_not_added");
    answer(takt_hybrid_request(&hybrid, NULL, &of_over, 0), TAKT_ERROR_NULL, "request_by_none");
    answer(takt_hybrid_request(&hybrid, &over, NULL, 0), TAKT_ERROR_NULL, "request_of_nothing");
    answer(takt_hybrid_request(&hybrid, &no_over, &of_over, 0), TAKT_ERROR_OBJECT, "request_not_added");
    answer(takt_hybrid_request(&hybrid, &over, &of_over, 0), TAKT_ERROR_CHANGES, "request_without_record");
    answer(takt_hybrid_enter(&hybrid, &over, 0), TAKT_OK, "it_enters");
}

/* ---- what is right ---------------------------------------------------------------------------------- */

static void make_threads(void) {
    const takt_job_parameters_t of_periodic = right_periodic();
    takt_job_parameters_t of_late = right_periodic();
    const takt_job_parameters_t of_sporadic = right_sporadic();
    const takt_job_parameters_t of_allocated = right_allocated();
    of_late.thread = right_thread(3);
    of_late.on_miss = TAKT_ON_MISS_ABORT;
    of_late.extension = &extension_of_late;
    answer(takt_periodic_thread_create(&periodic, &of_periodic), TAKT_OK, "a_periodic_thread_is_made");
    answer(takt_periodic_thread_create(&late, &of_late), TAKT_OK, "one_with_an_extension_is_made");
    answer(takt_sporadic_thread_create(&sporadic, &of_sporadic), TAKT_OK, "a_sporadic_thread_is_made");
    answer(takt_allocated_thread_create(&allocated, &of_allocated), TAKT_OK, "an_allocated_thread_is_made");
    answer(takt_periodic_thread_create(&periodic, &of_periodic), TAKT_ERROR_EXISTS, "it_exists");
}

/* ---- in the wrong place ----------------------------------------------------------------------------- */

static void refuse_after_threads(void) {
    const takt_thread_server_parameters_t right = right_server();
    answer(takt_thread_server_create(&no_server, &right), TAKT_ERROR_ORDER, "a_server_after_threads");
    answer(takt_job_resource_init(&no_resource, TAKT_PROTOCOL_SRP, 1, NULL), TAKT_ERROR_ORDER,
           "one_of_srp_after_threads");
    answer(takt_job_arrive(&sporadic.job), TAKT_ERROR_NOT_STARTED, "an_arrival_before_the_start");
    answer(takt_job_suspend(1), TAKT_ERROR_NOT_STARTED, "a_suspension_before_the_start");
    answer(takt_job_point(), TAKT_ERROR_NOT_STARTED, "a_point_before_the_start");
    check(takt_job_number() == 0 && !takt_job_should_yield(), "before_the_start_there_is_no_job");
}

static void refuse_in_isr(void) {
    answer(takt_job_arrive(&sporadic.job), TAKT_ERROR_IN_ISR, "an_arrival_in_an_interrupt");
    answer(takt_job_arrive_from_isr(&sporadic.job, takt_kernel_now()), TAKT_OK,
           "an_arrival_from_an_interrupt");
    answer(takt_allocated_thread_enter_from_isr(&allocated.job), TAKT_ERROR_EXTENSION, "without_enter");
    answer(takt_thread_server_budget(&server, &ticks), TAKT_OK, "a_budget_is_told_in_an_interrupt");
    answer(takt_wait_next_period(), TAKT_ERROR_IN_ISR, "a_wait_in_an_interrupt");
}

static void refuse_after_the_start(void) {
    const takt_thread_server_parameters_t right = right_server();
    const takt_job_parameters_t of_sporadic = right_sporadic();
    const takt_job_parameters_t of_allocated = right_allocated();
    const takt_job_parameters_t of_periodic = right_periodic();
    answer(takt_thread_server_create(&no_server, &right), TAKT_ERROR_STARTED, "a_server_after_the_start");
    answer(takt_sporadic_thread_create(&no_sporadic, &of_sporadic), TAKT_ERROR_STARTED, "sporadic");
    answer(takt_periodic_thread_create(&no_periodic, &of_periodic), TAKT_ERROR_STARTED, "periodic");
    answer(takt_allocated_thread_create(&no_allocated, &of_allocated), TAKT_ERROR_STARTED, "allocated");
    answer(takt_kernel_add_allocator(&no_allocation, &functions), TAKT_ERROR_STARTED, "allocator");
}

static void refuse_by_thread(void) {
    answer(takt_job_arrive(NULL), TAKT_ERROR_NULL, "an_arrival_at_none");
    answer(takt_job_arrive(&no_sporadic.job), TAKT_ERROR_OBJECT, "an_arrival_at_no_thread");
    answer(takt_job_arrive(&periodic.job), TAKT_ERROR_ARRIVALS, "an_arrival_at_a_periodic_thread");
    answer(takt_job_arrive_from_isr(&sporadic.job, 0), TAKT_ERROR_NOT_IN_ISR, "no_interrupt");
    answer(takt_allocated_thread_enter_from_isr(&allocated.job), TAKT_ERROR_EXTENSION, "without_enter");
    answer(takt_wait_next_period(), TAKT_ERROR_NOT_PERIODIC, "a_wait_of_a_plain_thread");
    answer(takt_job_suspend(1), TAKT_ERROR_NOT_PERIODIC, "a_suspension_of_a_plain_thread");
    answer(takt_job_optional_point(), TAKT_ERROR_NOT_PERIODIC, "a_point_of_a_plain_thread");
    answer(takt_job_lock(&resource), TAKT_ERROR_NOT_PERIODIC, "a_lock_of_a_plain_thread");
    answer(takt_thread_suspend(&sporadic.job.thread), TAKT_ERROR_JOBS, "who_executes_jobs_is_not_suspended");
    answer(takt_thread_delete(&sporadic.job.thread), TAKT_ERROR_JOBS, "who_executes_jobs_is_not_deleted");
}

static void test(void *argument) {
    (void)argument;
    refuse_by_thread();
    refuse_after_the_start();
    const takt_port_level_t level = takt_port_lock();
    answer(takt_job_arrive(&sporadic.job), TAKT_ERROR_LOCKED, "an_arrival_with_interrupts_masked");
    takt_port_unlock(level);
    answer(takt_job_arrive(&sporadic.job), TAKT_OK, "a_job_arrives");
    board_interrupt_enable(0, refuse_in_isr);
    board_interrupt_pend(0);
    board_exit(0);
}

int main(void) {
    const takt_thread_server_parameters_t right = right_server();
    board_begin();
    answer(takt_thread_server_create(&no_server, &right), TAKT_ERROR_NOT_INITIALISED, "before_init");
    answer(takt_kernel_add_allocator(&no_allocation, &functions), TAKT_ERROR_NOT_INITIALISED, "before_init");
    answer(takt_job_resource_init(&resource, TAKT_PROTOCOL_PIP, 1, NULL), TAKT_ERROR_NOT_INITIALISED,
           "before_init");
    answer(takt_rates_init(&rates, &settings, NULL, 0), TAKT_ERROR_NOT_INITIALISED, "before_init");
    kernel_begin();
    answer(takt_rates_init(&rates, &settings, NULL, 0), TAKT_ERROR_POLICY, "rates_on_another_policy");
    refuse_servers();
    make_servers();
    refuse_periodic();
    refuse_sporadic();
    refuse_allocated();
    refuse_resources();
    make_threads();
    refuse_requests();
    refuse_adapters();
    refuse_over();
    refuse_requests_over();
    refuse_after_threads();
    thread_begin(&test_thread, stacks[4], 5, test, NULL);
    kernel_go();
}
