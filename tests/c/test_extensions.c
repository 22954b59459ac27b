/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What threads that execute jobs keep of their parameters, in the extension of their task: random parameters of every kind of
 * thread on the fake port. Of sporadic ones also what it means: how many arrivals fit, and how far apart they are released. */
#include "check.h"
#include "kernel/allocated.h"
#include "kernel/rate.h"
#include "kernel/sporadic.h"
#include "policy/table.h"
#include "tests/fake_port/fake_port.h"

#include <string.h>

enum { SEQUENCES = 400, RING = 8, STACK = TAKT_STACK_BYTES_MIN / sizeof(uint64_t) };

static uint64_t stack[STACK];
static takt_arrival_t arrivals[RING];
static takt_task_extension_t own;
static takt_job_parameters_t parameters;

static void entry(void *argument) { (void)argument; }

static void begin(const takt_policy_t *policy) {
    fake_port_reset();
    memset(&own, 0, sizeof own);
    memset(arrivals, 0, sizeof arrivals);
    CHECK(takt_kernel_init(policy) == TAKT_OK);
    parameters = (takt_job_parameters_t){
        .thread = {.entry = entry, .stack = stack, .stack_bytes = sizeof stack, .priority = 3},
        .relative_deadline = 1 + check_below(100),
    };
}

/* Checks what an extension has, other than `rule`: nothing but what is asked for. */
static void check_extension(const takt_task_t *task, const takt_task_extension_t *extension,
                            const takt_allocation_t *allocation) {
    CHECK(task->extension == extension && task->relative_deadline == parameters.relative_deadline);
    CHECK(extension->task == task && extension->period == parameters.period);
    CHECK(extension->arrivals == parameters.arrivals && extension->capacity == parameters.capacity);
    CHECK(extension->on_miss == parameters.on_miss && extension->allocation == allocation);
    CHECK(extension->source != NULL && extension->count == 0 && extension->held == NULL);
    CHECK(takt_task_is_periodic(task) == (parameters.capacity == 0 && allocation == NULL));
}

static void a_periodic_thread_has_the_extension_that_it_is_given(void) {
    static takt_periodic_thread_t thread;
    begin(&takt_policy_fp);
    memset(&thread, 0, sizeof thread);
    parameters.period = 1 + check_below(100);
    parameters.on_miss = (takt_on_miss_t)check_below(4);
    parameters.extension = parameters.on_miss != TAKT_ON_MISS_CONTINUE || check_below(2) == 0 ? &own : NULL;
    CHECK(takt_periodic_thread_create(&thread, &parameters) == TAKT_OK);
    if (parameters.extension == NULL) {
        CHECK(thread.task.extension == NULL && takt_task_is_periodic(&thread.task));
    } else {
        check_extension(&thread.task, &own, NULL);
        CHECK(own.rule == NULL);
    }
}

static void an_allocated_thread_has_the_allocation_that_it_is_given(void) {
    static const takt_allocator_t functions = {.version = TAKT_ALLOCATOR_VERSION,
                                               .size = sizeof(takt_allocator_t)};
    static takt_allocation_t allocation;
    static takt_allocated_thread_t thread;
    begin(&takt_policy_edf);
    memset(&allocation, 0, sizeof allocation);
    memset(&thread, 0, sizeof thread);
    CHECK(takt_kernel_add_allocator(&allocation, &functions) == TAKT_OK);
    parameters.period = 1 + check_below(100);
    parameters.extension = &own;
    parameters.allocation = &allocation;
    CHECK(takt_allocated_thread_create(&thread, &parameters) == TAKT_OK);
    check_extension(&thread.task, &own, &allocation);
    CHECK(own.rule == NULL);
}

static uint32_t calls;

static void ask_for_a_call(takt_task_t *task, takt_instant_t now) {
    takt_allocator_call(task->extension->allocation, now);
}

static void count_call(takt_allocation_t *allocation, takt_instant_t instant) {
    (void)allocation;
    (void)instant;
    calls++;
}

static void let_enter(void *thread) {
    CHECK(takt_allocated_thread_enter_from_isr(&((takt_allocated_thread_t *)thread)->job) == TAKT_OK);
}

/* Also if the interrupt finds a thread without attributes running, which nothing displaces. */
static void what_an_allocator_asks_for_in_an_interrupt_is_done_after_it(void) {
    static const takt_allocator_t functions = {.version = TAKT_ALLOCATOR_VERSION,
                                               .size = sizeof(takt_allocator_t),
                                               .enter = ask_for_a_call,
                                               .timer = count_call};
    static takt_allocation_t allocation;
    static takt_allocated_thread_t thread;
    begin(&takt_policy_fp);
    memset(&allocation, 0, sizeof allocation);
    memset(&thread, 0, sizeof thread);
    calls = 0;
    CHECK(takt_kernel_add_allocator(&allocation, &functions) == TAKT_OK);
    parameters.period = 10;
    parameters.extension = &own;
    parameters.allocation = &allocation;
    CHECK(takt_allocated_thread_create(&thread, &parameters) == TAKT_OK);
    CHECK(fake_port_start_kernel() == TAKT_OK && calls == 0);
    fake_port_interrupt(let_enter, &thread);
    CHECK(calls == 1);
}

static void a_rate_thread_has_the_allocation_of_its_scheduler(void) {
    static const takt_rate_settings_t settings = {.grid = 1, .estimate_jobs = 1};
    static takt_rates_t rates;
    static takt_rate_thread_t thread;
    begin(&takt_policy_rate_based);
    memset(&rates, 0, sizeof rates);
    memset(&thread, 0, sizeof thread);
    CHECK(takt_rates_init(&rates, &settings, NULL, 0) == TAKT_OK);
    parameters.period = parameters.relative_deadline + check_below(9);
    const takt_rate_parameters_t of_rate = {
        .thread = parameters.thread,
        .rates = &rates,
        .type = TAKT_CLASS_HARD,
        .demand = {
            .wcet = 1, .period = parameters.period, .relative_deadline = parameters.relative_deadline}};
    CHECK(takt_rate_thread_create(&thread, &of_rate) == TAKT_OK);
    check_extension(&thread.task, &thread.rate.extension, &rates.based.allocation);
}

/* ---- sporadic threads ------------------------------------------------------------------------------------ */

static takt_sporadic_thread_t sporadic;

static void arrive(void *status) {
    CHECK(takt_job_arrive_from_isr(&sporadic.job, fake_port.now) == *(const takt_status_t *)status);
}

/* What has come too early is due when the separation has passed since the release before. */
static void check_ring(void) {
    takt_instant_t release = 0;
    for (uint32_t i = 0; i < sporadic.extension.count; i++) {
        const takt_arrival_t *arrival = takt_task_arrival(&sporadic.extension, i);
        CHECK(arrival >= arrivals && arrival < arrivals + parameters.capacity);
        CHECK(arrival->instant == release && arrival->nominal == 0);
        CHECK(arrival->deadline ==
              (sporadic.extension.rule == NULL ? 0 : release + parameters.relative_deadline));
        release += parameters.separation;
    }
}

static void a_sporadic_thread_has_its_ring_and_its_separation(void) {
    takt_status_t fits = TAKT_OK, is_full = TAKT_ERROR_ARRIVALS;
    begin(&takt_policy_fp);
    memset(&sporadic, 0, sizeof sporadic);
    parameters.on_miss = (takt_on_miss_t)check_below(4);
    parameters.separation = check_below(2) * (1 + check_below(50));
    parameters.arrivals = arrivals;
    parameters.capacity = 1u << check_below(4);
    CHECK(takt_sporadic_thread_create(&sporadic, &parameters) == TAKT_OK);
    check_extension(&sporadic.task, &sporadic.extension, NULL);
    CHECK((sporadic.extension.rule != NULL) == (parameters.separation > 0));
    CHECK(fake_port_start_kernel() == TAKT_OK);
    fake_port.is_in_isr = true;
    for (uint32_t i = 0; i < parameters.capacity; i++) {
        arrive(&fits);
    }
    arrive(&is_full);
    CHECK(sporadic.extension.count == parameters.capacity);
    check_ring();
}

int main(void) {
    check_sequences(a_periodic_thread_has_the_extension_that_it_is_given, SEQUENCES);
    check_sequences(an_allocated_thread_has_the_allocation_that_it_is_given, SEQUENCES);
    check_sequences(what_an_allocator_asks_for_in_an_interrupt_is_done_after_it, 1);
    check_sequences(a_rate_thread_has_the_allocation_of_its_scheduler, SEQUENCES);
    check_sequences(a_sporadic_thread_has_its_ring_and_its_separation, SEQUENCES);
    return check_report("test_extensions");
}
