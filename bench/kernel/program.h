/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What every bench program begins with: threads by number, and the words of the command line. */
#ifndef TAKT_BENCH_KERNEL_PROGRAM_H
#define TAKT_BENCH_KERNEL_PROGRAM_H

#include <bench_board.h>

#include "bench/kernel/print.h"
#include "kernel/kernel.h"
#include "policy/table.h"

#ifndef BENCH_THREADS
#define BENCH_THREADS 40
#endif

enum { BENCH_STACK_BYTES = 256 * sizeof(void *) };

static takt_thread_t bench_threads[BENCH_THREADS];
static uint64_t bench_stacks[BENCH_THREADS][BENCH_STACK_BYTES / sizeof(uint64_t)];

/* Makes thread `index`, whose argument is its number. */
static inline void bench_create(uint32_t index, void (*entry)(void *), uint32_t priority) {
    const takt_thread_parameters_t parameters = {.name = "bench",
                                                 .entry = entry,
                                                 .argument = (void *)(uintptr_t)index,
                                                 .stack = bench_stacks[index],
                                                 .stack_bytes = BENCH_STACK_BYTES,
                                                 .priority = priority};
    if (takt_thread_create(&bench_threads[index], &parameters) != TAKT_OK) {
        takt_semihost_exit(3);
    }
}

typedef struct bench_words {
    char line[80];
    const char *choice;
    uint32_t number; /* the word after it, 0 if there is none */
} bench_words_t;

static inline const char *bench_next_word(const char *word) {
    while (*word != 0 && *word != ' ') {
        word++;
    }
    return word + (*word == ' ');
}

/* The command line: the program's name, what it is to do, how many of it. */
static inline void bench_read_words(bench_words_t *words) {
    if (!takt_semihost_command_line(words->line, sizeof words->line)) {
        takt_semihost_exit(2);
    }
    words->choice = bench_next_word(words->line);
    words->number = 0;
    for (const char *digit = bench_next_word(words->choice); *digit != 0; digit++) {
        words->number = 10u * words->number + (uint32_t)(*digit - '0');
    }
}

/* Starts the threads; what they do ends the program. */
static inline void bench_start(void) {
    (void)takt_kernel_start();
    takt_semihost_exit(1);
}

#endif
