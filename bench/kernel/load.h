/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the programs of loads share: the choice of a load by name, and the reporter of its iterations.
 *
 * After a while a reporter, more urgent than the threads of a load, opens a window of LOAD_WINDOW ticks by a delay and
 * prints "load iterations ticks" of it. What the reporter executes itself is in the window: less than a thousandth of
 * an instruction per iteration. A load ends with exit status 5 if it stood still, or if one of its threads counted
 * more than others. */
#ifndef TAKT_BENCH_KERNEL_LOAD_H
#define TAKT_BENCH_KERNEL_LOAD_H

#include "bench/kernel/program.h"

enum {
    LOAD_THREADS = 5,
    LOAD_REPORTER = LOAD_THREADS,
    LOAD_WINDOW = 64 * 1000 * 1000, /* ticks: ten million instructions on the slower clock */
};

typedef struct load {
    const char *name;
    void (*entries[LOAD_THREADS])(void *);
    uint32_t rise; /* of priority, from each thread to the next */
} load_t;

static volatile uint32_t load_iterations[LOAD_THREADS];
static const char *load_name;

static uint32_t load_sum(void) {
    uint32_t all = 0;
    for (uint32_t index = 0; index < LOAD_THREADS; index++) {
        all += load_iterations[index];
    }
    return all;
}

/* True if each of the threads that count was passed once between any two counts of another one. */
static bool load_is_even(void) {
    uint32_t least = load_iterations[0], most = least;
    for (uint32_t index = 1; index < LOAD_THREADS && load_iterations[index] != 0; index++) {
        const uint32_t one = load_iterations[index];
        least = one < least ? one : least;
        most = one > most ? one : most;
    }
    return most - least <= 1;
}

static void load_report(void *argument) {
    (void)argument;
    (void)takt_thread_delay(LOAD_WINDOW / 16);
    const uint32_t start = *BENCH_COUNTER;
    const uint32_t before = load_sum();
    (void)takt_thread_delay(LOAD_WINDOW);
    const uint32_t stop = *BENCH_COUNTER;
    const uint32_t after = load_sum();
    if (after == before || !load_is_even()) {
        takt_semihost_exit(5);
    }
    print_line(load_name, after - before, bench_elapsed(start, stop));
    takt_semihost_exit(0);
}

static bool load_is_word(const char *word, const char *name) {
    while (*name != 0 && *word == *name) {
        word++;
        name++;
    }
    return *name == 0 && (*word == 0 || *word == ' ');
}

/* The load of `loads` that the command line names; a program without one ends. */
static const load_t *load_named(const load_t *loads, uint32_t count) {
    bench_words_t words;
    bench_read_words(&words);
    for (uint32_t index = 0; index < count; index++) {
        if (load_is_word(words.choice, loads[index].name)) {
            return &loads[index];
        }
    }
    takt_semihost_exit(4);
}

/* Runs `load`, whose threads were made, until its report. */
static void load_run(const load_t *load) {
    load_name = load->name;
    bench_create(LOAD_REPORTER, load_report, TAKT_PRIORITIES - 1);
    bench_interrupt_enable();
    bench_start();
}

#endif
