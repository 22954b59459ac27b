/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tickless sleep: how long the idle thread is told to sleep, what is masked meanwhile, and the clock behind it, whether it
 * has counted, stood still, or stood still for too long. */
#include "kernel/alarm.h"
#include "kernel/hooks.h"
#include "kernel/sleep.h"
#include "tests/conformance/conformance.h"

enum { LATENESS_INSTRUCTIONS = 8000, ROUNDS = 40 };

#define LONG UINT64_C(3000000000007) /* ticks: some hundred rounds of 32 bits */
#define OVERSLEPT 12345u
#define MUST(call) check((call) == TAKT_OK, #call)

static takt_thread_t sleeper;
static takt_periodic_thread_t periodic;
static conformance_stack_t stacks[2];
static takt_semaphore_t semaphore;
static takt_sleep_t how; /* NULL: the idle thread only waits */
static volatile uint32_t sleeps, interrupts, jobs;
static takt_duration_t told, most;

/* ---- ways to sleep ------------------------------------------------------------------------------------------ */

static void keep(takt_duration_t ticks) {
    told = ticks;
    sleeps++;
    check(ticks > 0, "no_sleep_begins_when_an_alarm_is_due");
}

static takt_duration_t wait(takt_duration_t ticks) {
    keep(ticks);
    takt_port_sleep_wait();
    return 0;
}

static takt_duration_t stand_still(takt_duration_t ticks) {
    keep(ticks);
    return ticks;
}

/* Several wake-ups before the alarm. */
static takt_duration_t stand_still_for_a_part(takt_duration_t ticks) {
    keep(ticks);
    return ticks / 2u + 1u;
}

static takt_duration_t oversleep(takt_duration_t ticks) {
    keep(ticks);
    return ticks + OVERSLEPT;
}

/* Nothing runs before the end of the sleep, and what is pending ends it. */
static takt_duration_t be_interrupted(takt_duration_t ticks) {
    keep(ticks);
    const uint32_t before = interrupts;
    board_interrupt_pend(0);
    takt_port_sleep_wait();
    check(interrupts == before, "no_interrupt_runs_before_the_end_of_a_sleep");
    return 0;
}

void takt_hook_idle(void) {
    if (how == NULL) {
        takt_port_idle();
    } else {
        MUST(takt_kernel_sleep(how));
    }
}

/* ---- what is woken ------------------------------------------------------------------------------------------ */

/* Delays as idle time passes in a way of sleeping; the thread is late by `late` at most besides what it executes. */
static void delay(takt_sleep_t way, takt_duration_t ticks, takt_duration_t late) {
    how = way;
    sleeps = 0;
    const takt_instant_t before = takt_kernel_now();
    MUST(takt_thread_delay(ticks));
    const takt_duration_t passed = takt_kernel_now() - before;
    check(sleeps > 0 && told <= ticks && told <= most, "a_sleep_is_told_when_the_next_alarm_is");
    check(passed >= ticks, "no_delay_ends_early");
    check(passed - ticks < late + board_span(LATENESS_INSTRUCTIONS), "a_delay_ends_on_time");
}

static void delay_in_every_way(void) {
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        const takt_duration_t ticks = board_span(3000) * round + round;
        delay(wait, ticks, 0);
        delay(stand_still, ticks, 0);
        delay(stand_still, LONG / round, 0);
        delay(stand_still_for_a_part, LONG / round, 0);
        check(sleeps > 10, "what_sleeps_half_the_time_sleeps_again");
        delay(oversleep, ticks, OVERSLEPT);
    }
}

static void give(void) {
    interrupts++;
    (void)takt_semaphore_give_from_isr(&semaphore);
}

/* Without an alarm, and with one ahead. */
static void wake_by_interrupts(void) {
    board_interrupt_enable(0, give);
    how = be_interrupted;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        MUST(takt_semaphore_take(&semaphore));
        check(interrupts == 2u * round - 1u, "an_interrupt_ends_a_sleep");
        check(round > 1 || most != TAKT_NEVER || told == TAKT_NEVER, "without_an_alarm_a_sleep_has_no_end");
        MUST(takt_semaphore_take_for(&semaphore, LONG));
        check(interrupts == 2u * round && told <= LONG && told > 0, "an_interrupt_ends_a_sleep");
    }
}

/* ---- alarms and jobs ---------------------------------------------------------------------------------------- */

static takt_alarm_t alarm;
static volatile uint32_t expiries;
static void expire(void *argument) {
    (void)argument;
    expiries++;
}

static void count_alarms(void) {
    how = stand_still;
    MUST(takt_alarm_init(&alarm, expire, NULL));
    MUST(takt_alarm_start_periodic(&alarm, LONG / 7u, LONG / 7u));
    MUST(takt_thread_delay(LONG));
    check(expiries == 6u || expiries == 7u, "an_alarm_ends_a_sleep_each_time");
    MUST(takt_alarm_stop(&alarm));
}

static void work(void *argument) {
    (void)argument;
    for (;;) {
        const takt_instant_t now = takt_kernel_now();
        check(now >= jobs * most && now - jobs * most < OVERSLEPT + board_span(LATENESS_INSTRUCTIONS),
              "jobs_are_released_at_multiples_of_their_period");
        jobs++;
        (void)takt_wait_next_period();
    }
}

/* ---- misuse ------------------------------------------------------------------------------------------------- */

static volatile takt_status_t found;
static void sleep_in_an_interrupt(void) { found = takt_kernel_sleep(wait); }

static void misuse(void) {
    check(takt_kernel_sleep(NULL) == TAKT_ERROR_NULL, "a_sleep_needs_a_function");
    board_interrupt_enable(1, sleep_in_an_interrupt);
    board_interrupt_pend(1);
    check(found == TAKT_ERROR_IN_ISR, "an_interrupt_does_not_sleep");
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = takt_kernel_sleep(wait);
    takt_port_unlock(level);
    check(status == TAKT_ERROR_LOCKED, "nothing_sleeps_with_the_lock_closed");
}

static void act(void *argument) {
    (void)argument;
    misuse();
    delay_in_every_way();
    wake_by_interrupts();
    count_alarms();
    check(most == TAKT_NEVER || jobs > 10u, "jobs_are_released_out_of_sleeps");
    board_exit(0);
}

/* ---- main --------------------------------------------------------------------------------------------------- */

#ifndef SLEEPS_WITH_JOBS
#define SLEEPS_WITH_JOBS 0
#endif

int main(void) {
    kernel_begin();
    check(takt_kernel_sleep(wait) == TAKT_ERROR_NOT_STARTED, "nothing_sleeps_before_the_start");
    semaphore_begin(&semaphore, 0);
    thread_begin(&sleeper, stacks[0], 5, act, NULL);
    most = TAKT_NEVER;
    if (SLEEPS_WITH_JOBS) {
        most = LONG / 3u;
        periodic_begin(&periodic, stacks[1], 9, work, most, 0);
    }
    kernel_go();
}
