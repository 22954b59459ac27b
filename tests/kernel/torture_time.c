/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Torture: time passes 2^63. A sleep takes the clock near it; delays, timeouts, alarms and deadlines then go across, each at
 * its instant. With TORTURE_BEFORE the clock begins at another distance. */
#include "kernel/alarm.h"
#include "kernel/hooks.h"
#include "kernel/sleep.h"
#include "tests/conformance/conformance.h"

#ifndef TORTURE_BEFORE
#define TORTURE_BEFORE 40
#endif

enum { ROUNDS = 80, AHEAD = 5, STEP = 20000, LATENESS = 6000, THREADS = 3 };

#define MIDDLE (UINT64_C(1) << 63)
#define MUST(call) check((call) == TAKT_OK, #call)

static takt_thread_t threads[THREADS];
static conformance_stack_t stacks[THREADS];
static takt_semaphore_t never;
static takt_alarm_t alarm;
static takt_instant_t begin;
static volatile uint32_t expiries, ended;

static takt_duration_t skip(takt_duration_t ticks) {
    if (ticks == TAKT_NEVER && begin == 0) {
        begin = MIDDLE - (uint64_t)(TORTURE_BEFORE)*board_span(STEP);
        board_interrupt_pend(0);
        return begin - takt_port_now();
    }
    takt_port_sleep_wait();
    return 0;
}

void takt_hook_idle(void) { MUST(takt_kernel_sleep(skip)); }

/* Of delay, timeout or alarm number `round`; the first one comes when all threads exist. */
static takt_instant_t due_of(uint32_t round) { return begin + (uint64_t)(AHEAD + round) * board_span(STEP); }

static void is_on_time(takt_instant_t due) {
    const takt_instant_t now = takt_kernel_now();
    check(now >= due, "nothing_ends_early");
    check(now - due < board_span(LATENESS), "everything_ends_on_time");
}

static void expire(void *argument) {
    (void)argument;
    expiries++;
    is_on_time(due_of(expiries));
}

static void finish(void) {
    if (++ended == THREADS) {
        check(takt_kernel_now() > MIDDLE, "time_has_passed_the_middle");
        check(expiries > ROUNDS - 10u, "alarms_go_on");
        board_exit(0);
    }
    (void)takt_semaphore_take(&never);
}

static void go(void (*wait)(uint32_t round, takt_instant_t due)) {
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        const takt_instant_t due = due_of(round);
        wait(round, due);
        is_on_time(due);
    }
    finish();
}

static void delay_until(uint32_t round, takt_instant_t due) {
    (void)round;
    MUST(takt_thread_delay_until(due));
}

static void time_out(uint32_t round, takt_instant_t due) {
    (void)round;
    const takt_instant_t now = takt_kernel_now();
    check(takt_semaphore_take_for(&never, due > now ? due - now : 1) == TAKT_TIMEOUT, "a_timeout_comes");
}

/* Deadlines on both sides of 2^63 order the two, where the policy orders by them. */
static void set_deadlines(uint32_t round, takt_instant_t due) {
    MUST(takt_thread_delay_until(due));
    const takt_status_t status =
        takt_thread_set_deadline(takt_kernel_running(), due + board_span(STEP) * (1u + round % 3u));
    check(status == TAKT_OK || status == TAKT_ERROR_DEADLINES, "a_deadline_beyond_the_middle_is_set");
}

static void first(void *argument) {
    (void)argument;
    go(delay_until);
}

static void second(void *argument) {
    (void)argument;
    go(time_out);
}

static void third(void *argument) {
    (void)argument;
    go(set_deadlines);
}

/* The jump ends with an interrupt, after which there are threads. */
static takt_semaphore_t jumped;
static void start(void) { (void)takt_semaphore_give_from_isr(&jumped); }

static takt_thread_t starter;
static conformance_stack_t starter_stack;
static void create_all(void *argument) {
    static void (*const entries[THREADS])(void *) = {first, second, third};
    (void)argument;
    board_interrupt_enable(0, start);
    MUST(takt_thread_delay(1)); /* the kernel has had a timeout before */
    const takt_status_t status = takt_semaphore_take(&jumped);
    check(status == TAKT_OK, "the_clock_has_jumped");
    MUST(takt_alarm_init(&alarm, expire, NULL));
    MUST(takt_alarm_start_periodic(&alarm, due_of(1) - takt_kernel_now(), board_span(STEP)));
    for (uint32_t i = 0; i < THREADS; i++) {
        thread_begin(&threads[i], stacks[i], 4u + i, entries[i], NULL);
    }
}

int main(void) {
    kernel_begin();
    semaphore_begin(&never, 0);
    semaphore_begin(&jumped, 0);
    thread_begin(&starter, starter_stack, 20, create_all, NULL);
    kernel_go();
}
