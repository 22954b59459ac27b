/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Interrupts that meet: the end of a delay, and then the release of a job, come at every offset before and after another
 * interrupt, so that each comes while the other is entered, handled, decided about and left. Whom they wake, runs at
 * once if it is urgent. */
#include "tests/conformance/conformance.h"

enum {
    PERIOD_INSTRUCTIONS = 10007,
    SWEEP_INSTRUCTIONS = 800, /* on either side; more than an interrupt, a pass and a switch take */
    LATENESS_INSTRUCTIONS = 4000,
};

static takt_semaphore_t coming;
static volatile takt_instant_t came;
static volatile uint32_t comings, woken;
static takt_duration_t period, sweep, bound;
static takt_instant_t first_release; /* after the delays have met */

static void come(void) {
    came = takt_kernel_now();
    comings = comings + 1u;
    check(takt_semaphore_give_from_isr(&coming) == TAKT_OK, "a_give_of_an_interrupt_succeeds");
}

static void be_woken(void *argument) {
    (void)argument;
    for (;;) {
        check(takt_semaphore_take(&coming) == TAKT_OK, "a_take_succeeds");
        woken = woken + 1u;
        check(woken == comings, "an_interrupt_wakes_once_and_at_once");
        check(takt_kernel_now() - came < bound || !board_is_punctual(),
              "whom_an_interrupt_wakes_runs_at_once");
    }
}

static void delay_until(takt_instant_t instant) {
    check(takt_thread_delay(instant - takt_kernel_now()) == TAKT_OK, "a_delay_succeeds");
    const takt_instant_t now = takt_kernel_now();
    check(now >= instant, "a_delay_is_not_too_short");
    check(now - instant < bound || !board_is_punctual(), "a_delay_ends_at_once");
}

/* The one before is half a period ago. */
static void meet_delays(void) {
    board_ticker_start(period, come);
    check(takt_thread_delay(3u * period + period / 2u) == TAKT_OK, "a_delay_succeeds");
    for (takt_duration_t offset = 0; offset < 2u * sweep; offset++) {
        const takt_instant_t target = came + period - sweep + offset;
        delay_until(target);
        delay_until(target + sweep - offset + period / 2u);
    }
    board_ticker_stop();
    check(woken == comings, "no_wake_is_lost");
}

/* This thread is more urgent than the jobs and always ready: a release is decided about, and nobody else chosen. The
 * other interrupt comes a tick later in each period. */
static void meet_releases(void) {
    const takt_instant_t begin = first_release - sweep;
    delay_until(begin - period);
    while (takt_kernel_now() < begin) {
        board_pass();
    }
    const uint32_t before = comings;
    board_ticker_start(period + 1u, come);
    while (comings - before < 2u * sweep) {
        board_pass();
    }
    board_ticker_stop();
    check(woken == comings, "no_wake_is_lost");
}

static void meet(void *argument) {
    (void)argument;
    meet_delays();
    meet_releases();
    board_exit(0);
}

static void work(void *argument) {
    (void)argument;
    check(false, "a_less_urgent_job_does_not_run");
}

static takt_periodic_thread_t periodic_thread;
static takt_thread_t threads[2];
static conformance_stack_t stacks[3];

int main(void) {
    period = board_span(PERIOD_INSTRUCTIONS);
    sweep = board_span(SWEEP_INSTRUCTIONS);
    bound = board_span(LATENESS_INSTRUCTIONS);
    kernel_begin();
    semaphore_begin(&coming, 0);
    first_release = 8u * sweep * period;
    periodic_begin(&periodic_thread, stacks[2], 1, work, period, first_release);
    thread_begin(&threads[0], stacks[0], 3, be_woken, NULL);
    thread_begin(&threads[1], stacks[1], 2, meet, NULL);
    kernel_go();
}
