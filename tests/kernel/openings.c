/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An interrupt at every instruction of calls that open interrupts between their steps.
 *
 * The kernel's own timer is the interrupt: an alarm, or the end of a wait, comes d ticks after a call has been prepared,
 * for d = 0, 1, 2, ..., so that on a machine whose instructions take a tick or more each one of the call, and some before
 * and after it, is interrupted once. After each round a model says what can have happened: nothing is lost, nothing comes
 * twice, threads are served by urgency, and the objects are as they were. */
#include "kernel/alarm.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "tests/conformance/conformance.h"

/* 1: there are mutexes, and so a pass; else the kernel has none. */
#ifndef OPENINGS_MUTEXES
#define OPENINGS_MUTEXES 1
#endif

enum { LAST = 1500 /* ticks: longer than any of the calls */, LONG = 100 * LAST, HELPERS = 3 };

/* Helpers 0 and 1 are more urgent than the director, helper 2 is less urgent. */
static const uint32_t priorities[HELPERS] = {12, 11, 5};

typedef struct helper {
    takt_thread_t thread;
    conformance_stack_t stack;
    takt_semaphore_t go;
    void (*job)(uint32_t number);
    takt_status_t status;
    volatile uint32_t ends;
} helper_t;

static helper_t helpers[HELPERS];
static takt_alarm_t alarm;
static volatile bool has_come;
static takt_duration_t distance; /* of the interrupt, from the preparation */
static takt_semaphore_t semaphore, rest_semaphore;
static takt_messages_t messages;
static takt_message_word_t message_memory;

static void help(void *argument) {
    const uint32_t number = (uint32_t)(uintptr_t)argument;
    helper_t *self = &helpers[number];
    for (;;) {
        check(takt_semaphore_take(&self->go) == TAKT_OK, "a_take_succeeds");
        self->job(number);
        self->ends++;
    }
}

static void begin_job(uint32_t number, void (*job)(uint32_t number)) {
    helpers[number].job = job;
    helpers[number].ends = 0;
    check(takt_semaphore_give(&helpers[number].go) == TAKT_OK, "a_give_succeeds");
}

/* Lets the less urgent helper run until it waits. */
static void rest(void) { check(takt_thread_delay(LAST) == TAKT_OK, "a_delay_succeeds"); }

static void await_interrupt(void) {
    while (!has_come) {
        board_pass();
    }
    has_come = false;
}

static void start_alarm(void (*function)(void *argument)) {
    check(takt_alarm_init(&alarm, function, NULL) == TAKT_OK, "an_alarm_is_made");
    check(takt_alarm_start(&alarm, distance) == TAKT_OK, "an_alarm_is_started");
}

/* ---- a timed take -------------------------------------------------------------------------------- */

static void take_one(uint32_t number) {
    helpers[number].status = takt_semaphore_take_for(&semaphore, TAKT_NEVER);
}

static void give_two(void *argument) {
    (void)argument;
    for (uint32_t unit = 0; unit < 2; unit++) {
        check(takt_semaphore_give_from_isr(&semaphore) == TAKT_OK, "an_interrupt_gives");
    }
    has_come = true;
}

/* Helper 0 has the first unit. The second one is the director's, unless the interrupt came before it waited. */
static void take_beside_gives(void) {
    begin_job(0, take_one);
    begin_job(2, take_one);
    rest();
    start_alarm(give_two);
    const takt_status_t status = takt_semaphore_take_for(&semaphore, 4 * LAST);
    await_interrupt();
    rest();
    check(helpers[0].ends == 1, "the_most_urgent_waiter_is_served_first");
    check(status == TAKT_OK || status == TAKT_TIMEOUT, "a_timed_take_ends");
    check(helpers[2].ends == (status == TAKT_OK ? 0u : 1u), "each_unit_wakes_one_waiter");
    if (status == TAKT_OK) {
        check(takt_semaphore_give(&semaphore) == TAKT_OK, "a_give_succeeds");
        rest();
    }
    check(helpers[2].ends == 1 && takt_semaphore_count(&semaphore) == 0, "no_unit_is_left");
}

static void take_rest(uint32_t number) { helpers[number].status = takt_semaphore_take(&rest_semaphore); }

static void give_rest(void *argument) {
    (void)argument;
    check(takt_semaphore_give_from_isr(&rest_semaphore) == TAKT_OK, "an_interrupt_gives");
    has_come = true;
}

/* The interrupt wakes a more urgent thread while the director begins to wait. */
static void time_out_beside_give(void) {
    begin_job(2, take_one);
    rest();
    begin_job(0, take_rest);
    start_alarm(give_rest);
    const takt_instant_t began = takt_kernel_now();
    check(takt_semaphore_take_for(&semaphore, 2 * LAST) == TAKT_TIMEOUT, "a_timed_take_times_out");
    check(takt_kernel_now() - began < 4 * LAST, "it_does_so_in_time");
    await_interrupt();
    check(helpers[0].ends == 1, "the_other_one_is_woken_once");
    check(takt_semaphore_give(&semaphore) == TAKT_OK, "a_give_succeeds");
    rest();
    check(helpers[2].ends == 1, "the_waiter_behind_has_the_next_unit");
}

/* ---- a message and a sender that waits -------------------------------------------------------------- */

static takt_message_word_t taken; /* by the interrupt, 0: none */

static void receive_too(void *argument) {
    (void)argument;
    taken = 0;
    const takt_status_t status = takt_messages_receive_from_isr(&messages, &taken);
    check(status == TAKT_OK || status == TAKT_TIMEOUT, "an_interrupt_receives_or_finds_nothing");
    has_come = true;
}

static void send_too(void *argument) {
    const takt_message_word_t message = 3;
    (void)argument;
    taken = 0;
    check(takt_messages_send_from_isr(&messages, &message) == TAKT_TIMEOUT,
          "a_place_is_the_waiting_sender's");
    has_come = true;
}

static void send_second(uint32_t number) {
    const takt_message_word_t message = 2;
    helpers[number].status = takt_messages_send(&messages, &message);
}

/* Messages 1 and 2 are received once each, in this order. */
static void receive_beside(void (*function)(void *argument)) {
    takt_message_word_t message = 1, last = 0;
    check(takt_messages_send(&messages, &message) == TAKT_OK, "a_message_is_sent");
    begin_job(0, send_second);
    start_alarm(function);
    check(takt_messages_receive(&messages, &message) == TAKT_OK, "a_message_is_received");
    if (function == receive_too) {
        await_interrupt();
    }
    check(helpers[0].ends == 1 && helpers[0].status == TAKT_OK, "the_waiting_sender_is_let_in_once");
    const takt_status_t status = takt_messages_try_receive(&messages, &last);
    check((status == TAKT_OK) == (last != 0), "a_message_is_received_or_none");
    check(function != receive_too || message + taken + last == 1 + 2, "each_message_is_received_once");
    check(function == receive_too || (message == 1 && last == 2), "messages_come_in_order");
    check(takt_messages_count(&messages) == 0, "no_message_is_left");
}

static void receive_beside_receipt(void) { receive_beside(receive_too); }

/* Once both messages are out the interrupt's has a place, so that it must come before. */
static void receive_beside_send(void) {
    if (distance < LAST / 30) {
        receive_beside(send_too);
        await_interrupt();
    }
}

#if OPENINGS_MUTEXES
/* ---- a mutex and a lock that times out --------------------------------------------------------------- */

static takt_mutex_t mutex;

static void lock_for_a_while(uint32_t number) {
    helpers[number].status = takt_mutex_lock_for(&mutex, distance);
    if (helpers[number].status == TAKT_OK) {
        check(takt_mutex_holder(&mutex) == &helpers[number].thread, "a_lock_is_held");
        check(takt_mutex_unlock(&mutex) == TAKT_OK, "an_unlock_succeeds");
    }
}

static void lock_for_ever(uint32_t number) {
    helpers[number].status = takt_mutex_lock(&mutex);
    check(takt_mutex_holder(&mutex) == &helpers[number].thread, "a_lock_is_held");
    check(takt_mutex_unlock(&mutex) == TAKT_OK, "an_unlock_succeeds");
}

static void judge_lock_of(uint32_t number) {
    rest();
    const takt_status_t status = helpers[number].status;
    check(helpers[number].ends == 1 && (status == TAKT_OK || status == TAKT_TIMEOUT),
          "a_timed_lock_ends_once");
    check(takt_mutex_holder(&mutex) == NULL, "a_mutex_is_free_at_last");
    check(takt_mutex_lock(&mutex) == TAKT_OK && takt_mutex_unlock(&mutex) == TAKT_OK, "it_can_be_locked");
}

/* The wait of helper 0 ends while the director unlocks; helper 1 waits for the mutex as well. */
static void unlock_beside_timeout(void) {
    check(takt_mutex_lock(&mutex) == TAKT_OK, "a_lock_succeeds");
    begin_job(1, lock_for_ever);
    begin_job(0, lock_for_a_while);
    check(takt_mutex_unlock(&mutex) == TAKT_OK, "an_unlock_succeeds");
    judge_lock_of(0);
    check(helpers[1].ends == 1 && helpers[1].status == TAKT_OK, "the_other_one_gets_it");
}

/* The wait of helper 1 ends while its holder wakes helper 0, which concerns no mutex. */
static void give_beside_timeout(void) {
    begin_job(0, take_rest);
    check(takt_mutex_lock(&mutex) == TAKT_OK, "a_lock_succeeds");
    begin_job(1, lock_for_a_while);
    check(takt_semaphore_give(&rest_semaphore) == TAKT_OK, "a_give_succeeds");
    check(helpers[0].ends == 1, "a_woken_thread_that_is_more_urgent_runs_at_once");
    check(takt_mutex_unlock(&mutex) == TAKT_OK, "an_unlock_succeeds");
    judge_lock_of(1);
}

/* Likewise, but helper 1 is woken, which is less urgent than the waiting one: it runs when that has ended. */
static void give_less_urgent_beside_timeout(void) {
    begin_job(1, take_rest);
    check(takt_mutex_lock(&mutex) == TAKT_OK, "a_lock_succeeds");
    begin_job(0, lock_for_a_while);
    check(takt_semaphore_give(&rest_semaphore) == TAKT_OK, "a_give_succeeds");
    const bool has_ended = helpers[0].ends != 0;
    check(!has_ended || helpers[1].ends == 1, "a_woken_thread_runs_when_no_other_one_inherits");
    check(takt_mutex_unlock(&mutex) == TAKT_OK, "an_unlock_succeeds");
    check(helpers[1].ends == 1, "a_woken_thread_runs_after_the_unlock");
    judge_lock_of(0);
}
#endif

/* ---- another thread's priority, and its end ------------------------------------------------------------ */

static void take_for_a_while(uint32_t number) {
    helpers[number].status = takt_semaphore_take_for(&semaphore, distance);
}

static void set_priority_beside_timeout(void) {
    begin_job(1, take_one);
    begin_job(0, take_for_a_while);
    check(takt_thread_set_priority(&helpers[0].thread, 13) == TAKT_OK, "a_priority_is_set");
    check(takt_thread_set_priority(&helpers[0].thread, priorities[0]) == TAKT_OK, "a_priority_is_set");
    rest();
    check(helpers[0].ends == 1 && helpers[0].status == TAKT_TIMEOUT, "a_timed_take_ends_once");
    check(helpers[1].ends == 0, "the_other_one_still_waits");
    check(takt_semaphore_give(&semaphore) == TAKT_OK && helpers[1].ends == 1, "and_has_the_next_unit");
}

static void (*const scenes[])(void) = {
    take_beside_gives,     time_out_beside_give,        receive_beside_receipt,
    receive_beside_send,   set_priority_beside_timeout,
#if OPENINGS_MUTEXES
    unlock_beside_timeout, give_beside_timeout,         give_less_urgent_beside_timeout,
#endif
};

static void direct(void *argument) {
    (void)argument;
    for (uint32_t number = 0; number < sizeof scenes / sizeof *scenes; number++) {
        for (distance = 1; distance < LAST; distance++) {
            scenes[number]();
        }
    }
    board_exit(0);
}

static takt_thread_t director;
static conformance_stack_t director_stack;

int main(void) {
    board_begin();
    kernel_begin();
    semaphore_begin(&semaphore, 0);
    semaphore_begin(&rest_semaphore, 0);
#if OPENINGS_MUTEXES
    const takt_mutex_parameters_t inheritance = {.protocol = TAKT_PROTOCOL_PIP};
    check(takt_mutex_init(&mutex, &inheritance) == TAKT_OK, "a_mutex_is_made");
#endif
    check(takt_messages_init(&messages, &message_memory, sizeof message_memory, 1) == TAKT_OK,
          "a_queue_is_made");
    for (uint32_t number = 0; number < HELPERS; number++) {
        semaphore_begin(&helpers[number].go, 0);
        thread_begin(&helpers[number].thread, helpers[number].stack, priorities[number], help,
                     (void *)(uintptr_t)number);
    }
    thread_begin(&director, director_stack, 10, direct, NULL);
    kernel_go();
}
