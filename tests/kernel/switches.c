/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The hook of switches sees every switch once and in order: each begins with the thread that the one before has ended with,
 * and that is the thread which runs. Built with TAKT_SWITCH_HOOK=1. */
#include "kernel/hooks.h"
#include "tests/conformance/conformance.h"

enum { ENOUGH = 3000 };

static takt_thread_t high, low, equal;
static takt_periodic_thread_t periodic;
static takt_thread_server_t server;
static takt_thread_t inside;
static conformance_stack_t stacks[5];
static takt_semaphore_t semaphore;
static takt_thread_t *latest;
static volatile uint32_t switches;

static void is_last(const takt_thread_t *thread) {
    check(latest == thread, "what_runs_is_what_was_switched_to");
}

void takt_hook_switch(takt_thread_t *from, takt_thread_t *to) {
    check(from == latest && to != from && to != NULL, "a_switch_begins_where_the_one_before_has_ended");
    latest = to;
    switches++;
}

static void take(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&semaphore) == TAKT_OK, "a_take_succeeds");
        is_last(&high);
    }
}

static void give(void) { (void)takt_semaphore_give_from_isr(&semaphore); }

static void yield(void *argument) {
    for (;;) {
        (void)takt_thread_yield();
        is_last(argument);
        board_pass();
        if (switches > ENOUGH) {
            board_exit(0);
        }
    }
}

static void delay(void *argument) {
    for (;;) {
        (void)takt_thread_delay(board_span(3001));
        is_last(argument);
    }
}

static void work(void *argument) {
    (void)argument;
    for (;;) {
        is_last(&periodic.job.thread);
        (void)takt_wait_next_period();
    }
}

static void begin(void *argument) {
    board_ticker_start(board_span(2503), give);
    yield(argument);
}

int main(void) {
    kernel_begin();
    semaphore_begin(&semaphore, 0);
    const takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                        .policy = &takt_policy_fp,
                                                        .period = board_span(20000),
                                                        .budget = board_span(9000),
                                                        .priority = 12};
    check(takt_thread_server_create(&server, &parameters) == TAKT_OK, "a_server_is_created");
    thread_begin(&low, stacks[0], 3, begin, &low);
    thread_begin(&equal, stacks[1], 3, yield, &equal);
    thread_begin(&high, stacks[2], 9, take, NULL);
    periodic_begin(&periodic, stacks[3], 20, work, board_span(17011), board_span(5000));
    const takt_thread_parameters_t of_inside = {.entry = delay,
                                                .argument = &inside,
                                                .stack = stacks[4],
                                                .stack_bytes = sizeof stacks[4],
                                                .priority = 1,
                                                .server = &server};
    check(takt_thread_create(&inside, &of_inside) == TAKT_OK, "a_thread_is_created");
    kernel_go();
}
