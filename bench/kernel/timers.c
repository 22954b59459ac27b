/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Delays and the kernel's timer interrupt, beside a number of threads that delay.
 *
 * The command line chooses, each with a number N of such threads:
 *   delay N     a thread delays far, until another one runs
 *   timer N     the timer's interrupt, when nothing expires
 *   expire N    the same, when the delays of all N end at one instant
 * A kernel with a periodic tick pays the last two at every tick, this one when its one-shot timer comes. Threads that
 * are woken are less urgent than the one that measures, so no switch is in the figures. */
#include "bench/kernel/program.h"
#include "kernel/semaphore.h"

enum {
    ROUNDS = 64,
    FAR = 1000 * 1000 * 1000,
    NEAR = 1000 * 1000,
    MEASURED = 0,
    CONTROLLER = 1,
    BACKGROUND = 2,
    FIRST_SLEEPER = 3,
};

static bench_sample_t bench_samples[1];
static uint32_t bench_start_word;

static takt_semaphore_t start_semaphore, asleep_semaphore;
static uint32_t sleepers;
static const char *what;

static void print_and_exit(void) {
    print_line(what, bench_samples[0].least, bench_samples[0].most);
    takt_semihost_exit(0);
}

/* ---- threads that delay far --------------------------------------------------------------------- */

static void far_sleeper(void *argument) {
    (void)takt_thread_delay(FAR + 12345u * (uint32_t)(uintptr_t)argument);
}

static void delays_far(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    (void)takt_semaphore_take(&start_semaphore);
    BENCH_BEGIN();
    (void)takt_thread_delay(FAR);
    BENCH_END(0);
}

/* The delayed one is not waited for: it is deleted, and another begins. */
static void measure_delay(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_semaphore_give(&start_semaphore);
        BENCH_END(0);
        (void)takt_thread_delete(&bench_threads[MEASURED]);
        bench_create(MEASURED, delays_far, 20);
    }
    print_and_exit();
}

static void measure_timer(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    BENCH_TIMER_RAISING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        BENCH_TIMER_RAISE();
        BENCH_END(0);
    }
    print_and_exit();
}

/* ---- threads whose delays end at one instant ---------------------------------------------------- */

static void near_sleeper(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_take(&start_semaphore);
        (void)takt_thread_delay(NEAR);
    }
}

/* Least urgent: when it runs, all are asleep. */
static void background(void *argument) {
    (void)argument;
    for (;;) {
        (void)takt_semaphore_give(&asleep_semaphore);
    }
}

static void let_all_delay(void) {
    bench_clock_hold();
    for (uint32_t index = 0; index < sleepers; index++) {
        (void)takt_semaphore_give(&start_semaphore);
    }
    (void)takt_semaphore_take(&asleep_semaphore);
}

/* Comes back closed, and late: what has expired waits for the lock to open. */
static void wait_for_expiry(void) {
    takt_port_close();
    bench_clock_release();
    const uint32_t begin = *BENCH_COUNTER;
    while (bench_elapsed(begin, *BENCH_COUNTER) <= NEAR) {
    }
}

static void measure_expiry(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        let_all_delay();
        wait_for_expiry();
        BENCH_BEGIN();
        (void)takt_port_open();
        BENCH_END(0);
    }
    print_and_exit();
}

/* ---- main --------------------------------------------------------------------------------------- */

static void create_sleepers(void (*entry)(void *), uint32_t priority) {
    for (uint32_t index = 0; index < sleepers; index++) {
        bench_create(FIRST_SLEEPER + index, entry, priority);
    }
}

static void create(char choice) {
    if (choice == 'd') {
        what = "delay";
        create_sleepers(far_sleeper, 25);
        bench_create(MEASURED, delays_far, 20);
        bench_create(CONTROLLER, measure_delay, 5);
    } else if (choice == 't') {
        what = "timer";
        create_sleepers(far_sleeper, 25);
        bench_create(CONTROLLER, measure_timer, 5);
    } else {
        what = "expire";
        create_sleepers(near_sleeper, 3);
        bench_create(CONTROLLER, measure_expiry, 5);
        bench_create(BACKGROUND, background, 1);
    }
}

int main(void) {
    bench_words_t words;
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_semaphore_init(&start_semaphore, 0);
    (void)takt_semaphore_init(&asleep_semaphore, 0);
    bench_read_words(&words);
    sleepers = words.number;
    create(*words.choice);
    bench_start();
    return 0;
}
