/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Single operations of mutexes with priority inheritance, measured as in operations.c. The command line chooses:
 *   free     no other thread asks for the mutex
 *   wanted   a more urgent thread waits for it
 *   timed    likewise, for a time at the longest
 *   nested   a more urgent thread waits for the outer one of two, both of which are then unlocked */
#include "kernel/mutex.h"

#include "bench/kernel/program.h"
#include "kernel/semaphore.h"

enum { ROUNDS = 64, FAR = 1 << 30 /* ticks: no wait is as long */ };

typedef enum operation {
    LOCK,
    UNLOCK,
    LOCK_BLOCKS,
    UNLOCK_RUNS,
    LOCK_FOR_BLOCKS,
    UNLOCK_RUNS_TIMED,
    UNLOCK_TWO_RUNS,
    OPERATIONS
} operation_t;

static const char *const names[OPERATIONS] = {
    [LOCK] = "lock",
    [UNLOCK] = "unlock",
    [LOCK_BLOCKS] = "lock_blocks",
    [UNLOCK_RUNS] = "unlock_runs",
    [LOCK_FOR_BLOCKS] = "lock_for_blocks",
    [UNLOCK_RUNS_TIMED] = "unlock_runs_timed",
    [UNLOCK_TWO_RUNS] = "unlock_two_runs",
};

static bench_sample_t bench_samples[OPERATIONS];
static uint32_t bench_start_word;

enum { HIGH, CONTROLLER };

static takt_mutex_t inner_mutex, wanted_mutex;
static takt_semaphore_t start_semaphore;

/* ---- waiters ---------------------------------------------------------------------------------- */

static operation_t high_measures = UNLOCK_RUNS;

static void high(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (;;) {
        (void)takt_semaphore_take(&start_semaphore);
        BENCH_BEGIN();
        (void)takt_mutex_lock(&wanted_mutex);
        BENCH_END(high_measures);
        (void)takt_mutex_unlock(&wanted_mutex);
    }
}

static void high_timed(void *argument) {
    (void)argument;
    BENCH_MEASURING;
    for (;;) {
        (void)takt_semaphore_take(&start_semaphore);
        BENCH_BEGIN();
        (void)takt_mutex_lock_for(&wanted_mutex, FAR);
        BENCH_END(UNLOCK_RUNS_TIMED);
        (void)takt_mutex_unlock(&wanted_mutex);
    }
}

/* ---- holders ---------------------------------------------------------------------------------- */

static void measure_free(void) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        BENCH_BEGIN();
        (void)takt_mutex_lock(&inner_mutex);
        BENCH_END(LOCK);
        BENCH_BEGIN();
        (void)takt_mutex_unlock(&inner_mutex);
        BENCH_END(UNLOCK);
    }
}

/* The give lets the other run into the mutex, and returns when that waits. */
TAKT_INLINE void measure_contended(operation_t blocking) {
    BENCH_MEASURING;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_mutex_lock(&wanted_mutex);
        (void)takt_semaphore_give(&start_semaphore);
        BENCH_END(blocking);
        BENCH_BEGIN();
        (void)takt_mutex_unlock(&wanted_mutex);
    }
}

static void measure_wanted(void) { measure_contended(LOCK_BLOCKS); }

/* The first timeout of a program is dearer, once. */
static void measure_timed(void) {
    (void)takt_thread_delay(1);
    measure_contended(LOCK_FOR_BLOCKS);
}

static void measure_nested(void) {
    BENCH_MEASURING;
    high_measures = UNLOCK_TWO_RUNS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)takt_mutex_lock(&wanted_mutex);
        (void)takt_mutex_lock(&inner_mutex);
        (void)takt_semaphore_give(&start_semaphore);
        BENCH_BEGIN();
        (void)takt_mutex_unlock(&inner_mutex);
        (void)takt_mutex_unlock(&wanted_mutex);
    }
}

static void (*measure)(void) = measure_free;

static void controller(void *argument) {
    (void)argument;
    measure();
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        print_line(names[operation], bench_samples[operation].least, bench_samples[operation].most);
    }
    takt_semihost_exit(0);
}

/* ---- main --------------------------------------------------------------------------------------- */

static void choose(char choice) {
    if (choice == 'w') {
        measure = measure_wanted;
    } else if (choice == 't') {
        measure = measure_timed;
    } else if (choice == 'n') {
        measure = measure_nested;
    }
}

int main(void) {
    const takt_mutex_parameters_t inheritance = {.protocol = TAKT_PROTOCOL_PIP};
    bench_words_t words;
    bench_read_words(&words);
    choose(*words.choice);
    (void)takt_kernel_init(&takt_policy_fp);
    (void)takt_semaphore_init(&start_semaphore, 0);
    (void)takt_mutex_init(&inner_mutex, &inheritance);
    (void)takt_mutex_init(&wanted_mutex, &inheritance);
    bench_create(HIGH, measure == measure_timed ? high_timed : high, 20);
    bench_create(CONTROLLER, controller, 5);
    bench_start();
    return 0;
}
