/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An interrupt that ends the turn of the running thread among its equals; and notifications that are awaited until an
 * instant. TURNS_IN_SERVER: the threads are in a server. */
#include "tests/conformance/conformance.h"

#ifndef TURNS_IN_SERVER
#define TURNS_IN_SERVER 0
#endif

enum { EQUALS = 3, PRIORITY = 4, ROUNDS = 20, BIT = 8 };

#define MUST(call) check((call) == TAKT_OK, #call)

static takt_thread_t equals[EQUALS], waiter;
static conformance_stack_t stacks[EQUALS + 1];
static takt_thread_server_t server;
static volatile uint32_t turns[EQUALS];

static void end_turn(void) { MUST(takt_thread_yield_from_isr()); }

static void create(takt_thread_t *thread, uint32_t number, uint32_t priority, void (*entry)(void *argument)) {
    const takt_thread_parameters_t parameters = {.name = "turn",
                                                 .entry = entry,
                                                 .argument = (void *)(uintptr_t)number,
                                                 .stack = stacks[number],
                                                 .stack_bytes = sizeof stacks[number],
                                                 .priority = priority,
                                                 .server = (TURNS_IN_SERVER) != 0 ? &server : NULL};
    MUST(takt_thread_create(thread, &parameters));
}

/* Each is interrupted once in its turn, and continues when all others were. */
static void take_turns(void *argument) {
    const uint32_t self = (uint32_t)(uintptr_t)argument;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        turns[self]++;
        board_interrupt_pend(0);
        for (uint32_t other = 0; other < EQUALS; other++) {
            check(turns[other] == round || (other < self && turns[other] == round + 1),
                  "equals take turns in their order");
        }
    }
    if (self != EQUALS - 1) {
        return;
    }
    board_interrupt_pend(0); /* the others have ended: no effect */
    board_exit(0);
}

/* More urgent, without equals: it does not lose the processor. */
static void wait(void *argument) {
    uint32_t bits = 0;
    const takt_duration_t ahead = board_span(20000);
    (void)argument;
    board_interrupt_pend(0);
    check(turns[0] == 0, "a thread without equals keeps the processor");
    check(takt_notification_take_until(NULL, 0) == TAKT_ERROR_NULL, "NULL is refused");
    check(takt_notification_take_until(&bits, takt_kernel_now()) == TAKT_TIMEOUT && bits == 0,
          "an instant that is not ahead does not wait");
    MUST(takt_thread_notify(&waiter, BIT));
    check(takt_notification_take_until(&bits, 0) == TAKT_OK && bits == BIT, "bits that are there are taken");
    const takt_instant_t until = takt_kernel_now() + ahead;
    check(takt_notification_take_until(&bits, until) == TAKT_TIMEOUT && bits == 0, "the wait ends");
    check(takt_kernel_now() >= until && takt_kernel_now() < until + ahead, "it ends at the instant");
    board_interrupt_pend(1);
    check(takt_notification_take_until(&bits, takt_kernel_now() + ahead) == TAKT_OK && bits == BIT,
          "an interrupt notifies");
}

static void notify(void) { MUST(takt_thread_notify_from_isr(&waiter, BIT)); }

int main(void) {
    kernel_begin();
    if ((TURNS_IN_SERVER) != 0) {
        const takt_thread_server_parameters_t parameters = {.kind = &takt_server_deferrable,
                                                            .policy = &takt_policy_fp,
                                                            .period = board_span(10000000),
                                                            .budget = board_span(10000000),
                                                            .priority = 1};
        MUST(takt_thread_server_create(&server, &parameters));
    }
    check(takt_thread_yield_from_isr() == TAKT_ERROR_NOT_IN_ISR, "threads have a call of their own");
    board_interrupt_enable(0, end_turn);
    board_interrupt_enable(1, notify);
    for (uint32_t number = 0; number < EQUALS; number++) {
        create(&equals[number], number, PRIORITY, take_turns);
    }
    create(&waiter, EQUALS, PRIORITY + 1, wait);
    kernel_go();
}
