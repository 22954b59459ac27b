/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Time under disturbance: interrupts masked for part of a period and for many, a timer that interrupts too early, and one whose
 * interrupt takes long.
 * All releases happen, none before its instant, in the order of their deadlines, and nothing drifts. */
#include "kernel/alarm.h"
#include "tests/conformance/conformance.h"

enum {
    PERIOD_INSTRUCTIONS = 60013,
    LATENESS_INSTRUCTIONS =
        4000, /* of an undisturbed job: a pass, a switch, and the jobs of the other stream */
    EARLY_WAKES = 40,
    CALM_JOBS = 12,
};

/* Two streams, so that there is an order. */
typedef struct stream {
    takt_periodic_thread_t thread;
    takt_duration_t period;
    volatile uint32_t jobs;
    volatile uint32_t misses;
    volatile takt_duration_t worst; /* lateness of a start */
    conformance_stack_t stack;
} stream_t;

static stream_t streams[2];
static takt_duration_t bound;

/* ---- jobs --------------------------------------------------------------------------------------------- */

/* While jobs are behind, all of them are released already: who starts later has no earlier deadline. */
static volatile bool is_behind;
static takt_instant_t last_deadline;

static void start_job(stream_t *self) {
    const takt_instant_t now = takt_kernel_now();
    const takt_instant_t release = (self->jobs + 1u) * self->period;
    check(now >= release, "no_job_starts_before_its_release");
    self->jobs = self->jobs + 1u;
    self->worst = now - release > self->worst ? now - release : self->worst;
    check(!is_behind || release + self->period >= last_deadline,
          "jobs_that_are_behind_run_in_the_order_of_deadlines");
    last_deadline = release + self->period;
}

static void work(void *argument) {
    (void)argument;
    stream_t *self = (void *)takt_kernel_running() == (void *)&streams[0].thread ? &streams[0] : &streams[1];
    for (;;) {
        start_job(self);
        const takt_status_t status = takt_wait_next_period();
        check(status == TAKT_OK || status == TAKT_DEADLINE_MISSED, "waiting_for_the_next_period_succeeds");
        self->misses = self->misses + (status == TAKT_DEADLINE_MISSED ? 1u : 0u);
    }
}

/* ---- disturbances ------------------------------------------------------------------------------------- */

static void pass_until(takt_instant_t instant) {
    while (takt_kernel_now() < instant) {
        board_pass();
    }
}

static void mask_until(takt_instant_t instant) {
    const takt_port_level_t level = takt_port_lock();
    while (takt_port_now() < instant) {
        board_pass();
    }
    takt_port_unlock(level);
}

/* The instant of the next release of the first stream. */
static takt_instant_t next_release(void) {
    return (takt_kernel_now() / streams[0].period + 1u) * streams[0].period;
}

static void forget_worst(void) {
    streams[0].worst = 0;
    streams[1].worst = 0;
}

static takt_duration_t worst(void) {
    return streams[0].worst > streams[1].worst ? streams[0].worst : streams[1].worst;
}

/* Halfway between two releases of the first stream no job is under way. */
static void jobs_are_counted(const stream_t *stream) {
    const takt_instant_t now = takt_kernel_now();
    const bool is_close = now % stream->period < bound || stream->period - now % stream->period < bound;
    check(is_close || stream->jobs == now / stream->period, "every_job_is_released_once");
}

static void all_is_calm(const char *sentence) {
    forget_worst();
    pass_until(next_release() + CALM_JOBS * streams[0].period + streams[0].period / 2u);
    check(worst() < bound, sentence);
    jobs_are_counted(&streams[0]);
    jobs_are_counted(&streams[1]);
}

static void a_late_interrupt_makes_one_job_late(void) {
    forget_worst();
    const uint32_t misses = streams[0].misses;
    mask_until(next_release() + streams[0].period / 3u);
    check(worst() >= streams[0].period / 3u, "what_a_closed_lock_delays_runs_when_it_opens");
    check(worst() < streams[0].period / 3u + bound, "a_late_interrupt_delays_by_no_more_than_itself");
    check(streams[0].misses == misses, "a_job_that_starts_late_and_ends_in_time_is_in_time");
    all_is_calm("after_a_late_interrupt_nothing_drifts");
}

static void lost_ticks_lose_no_job(void) {
    const uint32_t jobs = streams[0].jobs;
    const uint32_t misses = streams[0].misses;
    last_deadline = 0;
    is_behind = true;
    mask_until(next_release() + 5u * streams[0].period + streams[0].period / 2u);
    pass_until(next_release() - streams[0].period / 4u);
    is_behind = false;
    check(streams[0].jobs - jobs == 6, "releases_while_interrupts_are_masked_are_made_up_for");
    check(streams[0].misses - misses == 5, "the_jobs_that_are_late_by_then_are_told_so");
    all_is_calm("after_lost_ticks_nothing_drifts");
}

/* As a timer does that cannot count as far as it was told to. */
static void wake_early(takt_duration_t ahead) {
    const takt_port_level_t level = takt_port_lock();
    const takt_instant_t now = takt_port_now();
    takt_port_timer_set(now + ahead, now);
    takt_port_unlock(level);
}

static void early_wakes_release_nothing(void) {
    const uint32_t jobs = streams[0].jobs;
    const takt_instant_t before = takt_kernel_now() / streams[0].period;
    forget_worst();
    for (uint32_t count = 0; count < EARLY_WAKES; count++) {
        wake_early(streams[0].period / 120u);
        pass_until(takt_kernel_now() + streams[0].period * 3u / 7u);
    }
    pass_until(next_release() - streams[0].period / 2u);
    check(streams[0].jobs - jobs == takt_kernel_now() / streams[0].period - before,
          "an_early_wake_releases_nothing");
    check(worst() < bound, "an_early_wake_delays_nothing");
    wake_early(streams[0].period / 120u);
    all_is_calm("after_early_wakes_nothing_drifts");
}

static void last_half_a_period(void *argument) {
    (void)argument;
    const takt_instant_t end = takt_kernel_now() + streams[0].period / 2u;
    while (takt_kernel_now() < end) {
        board_pass();
    }
}

/* Between two releases of the first stream, where the second one has none: the timer's interrupt begins after the one and sets the
 * timer to the other when much of that time has passed. */
static void a_long_interrupt_of_the_timer_delays_no_later_release(void) {
    static takt_alarm_t alarm;
    const takt_duration_t both = 3u * streams[0].period;
    const takt_instant_t release = (takt_kernel_now() / both + 1u) * both;
    (void)takt_alarm_init(&alarm, last_half_a_period, NULL);
    (void)takt_alarm_start(&alarm, release + streams[0].period / 4u - takt_kernel_now());
    pass_until(release + streams[0].period / 4u);
    forget_worst();
    pass_until(release + streams[0].period * 7u / 4u);
    check(worst() < bound, "a_long_interrupt_of_the_timer_delays_no_later_release");
}

static void test(void *argument) {
    (void)argument;
    all_is_calm("undisturbed_releases_are_on_time");
    a_late_interrupt_makes_one_job_late();
    lost_ticks_lose_no_job();
    early_wakes_release_nothing();
    a_long_interrupt_of_the_timer_delays_no_later_release();
    board_exit(0);
}

/* ---- main ----------------------------------------------------------------------------------------------- */

static takt_thread_t thread;
static conformance_stack_t stack;

static void create_stream(stream_t *stream, takt_duration_t period) {
    stream->period = period;
    periodic_begin(&stream->thread, stream->stack, 1, work, period, period);
}

int main(void) {
    bound = board_span(LATENESS_INSTRUCTIONS);
    kernel_begin_under(&takt_policy_edf, (CONFORMANCE_TRACED) != 0);
    create_stream(&streams[0], board_span(PERIOD_INSTRUCTIONS));
    create_stream(&streams[1], board_span(PERIOD_INSTRUCTIONS) * 3u / 2u);
    thread_begin(&thread, stack, 0, test, NULL);
    kernel_go();
}
