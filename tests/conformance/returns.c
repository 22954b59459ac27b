/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A thread that returns while it holds mutexes, or whose job holds a resource, is told by name, once, and all of it is unlocked,
 * the last first; who waits for it goes on. */
#include "kernel/hooks.h"
#include "kernel/mutex.h"
#include "tests/conformance/conformance.h"

enum { MUTEXES = 3, PERIOD = 1000 * 1000 };

static takt_mutex_t mutexes[MUTEXES];
static takt_resource_t resource;
static takt_thread_t holder, waiter, test_thread;
static takt_periodic_thread_t job;
static takt_task_extension_t extension;
static conformance_stack_t stacks[4];
static takt_semaphore_t wanted;
static takt_thread_t *volatile told;
static volatile uint32_t tales, taken;

void takt_hook_abandoned(takt_thread_t *thread) {
    check(takt_port_is_open(), "the_lock_is_open");
    told = thread;
    tales = tales + 1u;
}

/* Returns with the lock closed, too: nothing may depend on that. */
static bool is_to_close;

static void hold_and_return(void *argument) {
    (void)argument;
    for (uint32_t index = 0; index < MUTEXES; index++) {
        check(takt_mutex_lock(&mutexes[index]) == TAKT_OK, "a_lock_succeeds");
    }
    check(takt_semaphore_give(&wanted) == TAKT_OK, "a_give_succeeds");
    if (is_to_close) {
        (void)takt_port_lock();
    }
}

static void want(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&wanted) == TAKT_OK, "a_take_succeeds");
        check(takt_mutex_lock(&mutexes[0]) == TAKT_OK, "a_mutex_that_was_left_is_unlocked");
        taken = taken + 1u;
        check(takt_mutex_unlock(&mutexes[0]) == TAKT_OK, "an_unlock_succeeds");
    }
}

static void lock_in_a_job_and_return(void *argument) {
    (void)argument;
    check(takt_job_lock(&resource) == TAKT_OK, "a_lock_succeeds");
}

static void expect(const takt_thread_t *thread, uint32_t count) {
    check(tales == count && told == thread, "a_thread_that_returns_with_a_mutex_is_told_once");
}

/* The holder is more urgent than the test, the waiter than both. */
static void test_a_thread(uint32_t round) {
    is_to_close = round > 0;
    thread_begin(&holder, stacks[0], 7, hold_and_return, NULL);
    expect(&holder, round + 1u);
    check(taken == round + 1u, "who_waits_for_an_abandoned_mutex_gets_it");
    for (uint32_t index = 0; index < MUTEXES; index++) {
        check(takt_mutex_holder(&mutexes[index]) == NULL, "all_that_a_thread_held_is_unlocked");
    }
}

static void test(void *argument) {
    (void)argument;
    expect(&job.job.thread, 1);
    check(resource.holder == NULL && extension.held == NULL, "what_a_job_held_is_unlocked");
    tales = 0;
    test_a_thread(0);
    test_a_thread(1);
    board_exit(0);
}

static void make_job(void) {
    const takt_job_parameters_t parameters = {.thread = {.entry = lock_in_a_job_and_return,
                                                         .stack = stacks[1],
                                                         .stack_bytes = STACK_BYTES,
                                                         .priority = 9},
                                              .period = PERIOD,
                                              .relative_deadline = PERIOD,
                                              .extension = &extension};
    check(takt_job_resource_init(&resource, TAKT_PROTOCOL_PIP, 1, NULL) == TAKT_OK, "a_resource_is_made");
    check(takt_periodic_thread_create(&job, &parameters) == TAKT_OK, "a_periodic_thread_is_made");
}

int main(void) {
    const takt_mutex_parameters_t parameters = {.protocol = TAKT_PROTOCOL_PIP};
    kernel_begin();
    semaphore_begin(&wanted, 0);
    make_job();
    for (uint32_t index = 0; index < MUTEXES; index++) {
        check(takt_mutex_init(&mutexes[index], &parameters) == TAKT_OK, "a_mutex_is_made");
    }
    thread_begin(&waiter, stacks[2], 8, want, NULL);
    thread_begin(&test_thread, stacks[3], 5, test, NULL);
    kernel_go();
}
