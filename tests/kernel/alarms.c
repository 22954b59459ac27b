/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Alarms whose functions change alarms: they stop, restart and re-arm themselves and others, and come late.
 *
 * Periods are so long that what is done at an instant is over at the next, on every machine. */
#include "kernel/alarm.h"
#include "tests/conformance/conformance.h"

enum { SOON = 100 * 1000, CALLS = 5 };

static takt_alarm_t tested, other;
static takt_semaphore_t called;
static uint32_t calls_of_first, calls_of_second;
static takt_instant_t began;
static void (*act)(void);

/* The function of both: what it does besides is `act`. */
static void on_alarm(void *argument) {
    uint32_t *calls = argument;
    (*calls)++;
    check(takt_port_is_in_isr(), "a_function_is_called_in_an_interrupt");
    check(takt_semaphore_give_from_isr(&called) == TAKT_OK, "a_function_may_call_the_kernel");
    act();
}

static void do_nothing(void) {}

static takt_duration_t left_of(takt_alarm_t *alarm) {
    takt_duration_t ticks = 0;
    check(takt_alarm_remaining(alarm, &ticks) == TAKT_OK, "what_is_left_can_be_asked");
    return ticks;
}

static void begin(void (*what)(void)) {
    act = what;
    calls_of_first = 0;
    calls_of_second = 0;
    began = takt_kernel_now();
}

static void await(uint32_t calls) {
    for (uint32_t number = 0; number < calls; number++) {
        check(takt_semaphore_take(&called) == TAKT_OK, "a_take_succeeds");
    }
}

/* No more alarms come. */
static void end(void) {
    check(takt_semaphore_take_for(&called, 4 * SOON) == TAKT_TIMEOUT, "nothing_comes_that_was_not_asked_for");
    check(left_of(&tested) == TAKT_NEVER && left_of(&other) == TAKT_NEVER, "no_alarm_is_left");
}

/* ---- what functions do -------------------------------------------------------------------------- */

static void stop_first(void) { check(takt_alarm_stop(&tested) == TAKT_OK, "an_alarm_is_stopped"); }

static void stop_both_at_the_end(void) {
    if (calls_of_first == CALLS) {
        check(takt_alarm_stop(&tested) == TAKT_OK && takt_alarm_stop(&other) == TAKT_OK,
              "alarms_are_stopped");
    }
}

static void start_first_again(void) {
    if (calls_of_first < CALLS) {
        check(takt_alarm_start(&tested, SOON) == TAKT_OK, "an_alarm_is_started");
    }
}

static void start_first_at_once(void) {
    if (calls_of_first < CALLS) {
        check(takt_alarm_start(&tested, 0) == TAKT_OK, "an_alarm_is_started");
    }
}

static void start_second_in_place_of_first(void) {
    if (calls_of_second == 0) {
        check(takt_alarm_stop(&tested) == TAKT_OK, "an_alarm_is_stopped");
        check(takt_alarm_start(&other, SOON) == TAKT_OK, "an_alarm_is_started");
    }
}

/* ---- scenes ------------------------------------------------------------------------------------- */

static void once(void) {
    begin(do_nothing);
    check(takt_alarm_start(&tested, SOON) == TAKT_OK, "an_alarm_is_started");
    check(left_of(&tested) <= SOON && left_of(&tested) > 0, "what_is_left_is_less_than_the_delay");
    await(1);
    check(takt_kernel_now() >= began + SOON, "an_alarm_does_not_come_before_its_instant");
    end();
    check(calls_of_first == 1, "an_alarm_comes_once");
}

static void stopped_in_time(void) {
    begin(do_nothing);
    check(takt_alarm_start(&tested, SOON) == TAKT_OK && takt_alarm_stop(&tested) == TAKT_OK,
          "an_alarm_is_stopped");
    check(takt_alarm_start(&other, SOON) == TAKT_OK && takt_alarm_start(&other, 2 * SOON) == TAKT_OK,
          "an_armed_alarm_is_started_anew");
    await(1);
    check(takt_kernel_now() >= began + 2 * SOON, "the_later_start_counts");
    end();
    check(calls_of_first == 0 && calls_of_second == 1, "a_stopped_alarm_does_not_come");
}

static void periodic_and_stopped_by_itself(void) {
    begin(stop_both_at_the_end);
    check(takt_alarm_start_periodic(&tested, SOON, SOON) == TAKT_OK, "an_alarm_is_started");
    check(takt_alarm_start_periodic(&other, 1000 * (takt_duration_t)SOON, SOON) == TAKT_OK,
          "an_alarm_is_started");
    for (uint32_t call = 1; call <= CALLS; call++) {
        await(1);
        check(takt_kernel_now() >= began + call * SOON, "a_periodic_alarm_does_not_come_early");
    }
    end();
    check(calls_of_first == CALLS && calls_of_second == 0, "it_comes_until_it_is_stopped");
}

static void stopped_by_its_first_call(void) {
    begin(stop_first);
    check(takt_alarm_start_periodic(&tested, SOON, SOON) == TAKT_OK, "an_alarm_is_started");
    await(1);
    end();
    check(calls_of_first == 1, "a_function_may_stop_its_own_alarm");
}

static void started_again_by_itself(void (*how)(void)) {
    begin(how);
    check(takt_alarm_start(&tested, SOON) == TAKT_OK, "an_alarm_is_started");
    await(CALLS);
    end();
    check(calls_of_first == CALLS, "a_function_may_start_its_own_alarm");
}

static void replaced_by_another(void) {
    begin(start_second_in_place_of_first);
    check(takt_alarm_start_periodic(&tested, SOON, SOON) == TAKT_OK, "an_alarm_is_started");
    await(2);
    end();
    check(calls_of_first == 1 && calls_of_second == 1, "a_function_may_start_another_alarm");
}

/* The lock is closed over five periods and a half. */
static void late(void) {
    begin(do_nothing);
    check(takt_alarm_start_periodic(&tested, SOON, SOON) == TAKT_OK, "an_alarm_is_started");
    const takt_port_level_t level = takt_port_lock();
    const takt_instant_t instant = began + 5 * SOON + SOON / 2;
    while (takt_port_now() < instant) {
        board_pass();
    }
    check(left_of(&tested) == 0, "of_what_is_due_nothing_is_left");
    check(calls_of_first == 0, "an_interrupt_waits_for_the_lock");
    takt_port_unlock(level);
    await(CALLS);
    check(calls_of_first == CALLS, "what_was_missed_is_made_up_for");
    check(takt_alarm_stop(&tested) == TAKT_OK, "an_alarm_is_stopped");
    end();
}

static void test(void *argument) {
    (void)argument;
    once();
    stopped_in_time();
    periodic_and_stopped_by_itself();
    stopped_by_its_first_call();
    started_again_by_itself(start_first_again);
    started_again_by_itself(start_first_at_once);
    replaced_by_another();
    late();
    board_exit(0);
}

static takt_thread_t thread;
static conformance_stack_t stack;

int main(void) {
    board_begin();
    kernel_begin();
    semaphore_begin(&called, 0);
    check(takt_alarm_init(&tested, on_alarm, &calls_of_first) == TAKT_OK, "an_alarm_is_made");
    check(takt_alarm_init(&other, on_alarm, &calls_of_second) == TAKT_OK, "an_alarm_is_made");
    thread_begin(&thread, stack, 5, test, NULL);
    kernel_go();
}
