/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Programs on the kernel as Linux processes: one kernel per process, so a test runs each in a child. */
#ifndef TAKT_TESTS_POSIX_RUN_H
#define TAKT_TESTS_POSIX_RUN_H

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "kernel/kernel.h"
#include "policy/table.h"
#include "port/posix/posix.h"

enum { STACK_BYTES = 2 * TAKT_STACK_BYTES_MIN, PATIENCE_SECONDS = 900 };

/* Runs `program` in a child and gives how it ended, as waitpid does. One that hangs is ended. */
static inline int outcome_of(void (*program)(void)) {
    int status = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)alarm(PATIENCE_SECONDS);
        program();
        _exit(99); /* a program ends by itself */
    }
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

/* Runs `program`, which ends with `status`. */
static inline void run_until_exit(void (*program)(void), int status) {
    const int outcome = outcome_of(program);
    CHECK(WIFEXITED(outcome) && WEXITSTATUS(outcome) == status);
}

/* Makes a plain thread, with a stack of its own. */
static inline void make_thread(void (*entry)(void *argument), void *argument, uint32_t priority) {
    enum { LIMIT = 8 };
    static takt_thread_t threads[LIMIT];
    static uint64_t stacks[LIMIT][STACK_BYTES / sizeof(uint64_t)];
    static uint32_t count;
    const takt_thread_parameters_t parameters = {.name = "thread",
                                                 .entry = entry,
                                                 .argument = argument,
                                                 .stack = stacks[count],
                                                 .stack_bytes = STACK_BYTES,
                                                 .priority = priority};
    CHECK(count < LIMIT);
    CHECK(takt_thread_create(&threads[count++], &parameters) == TAKT_OK);
}

/* Makes a periodic thread whose deadline is its period, with a stack of its own. */
static inline void make_periodic(void (*entry)(void *argument), takt_duration_t period, takt_instant_t offset,
                                 uint32_t priority) {
    enum { LIMIT = 4 };
    static takt_periodic_thread_t threads[LIMIT];
    static uint64_t stacks[LIMIT][STACK_BYTES / sizeof(uint64_t)];
    static uint32_t count;
    CHECK(count < LIMIT);
    const takt_job_parameters_t parameters = {
        .thread = {.name = "periodic",
                   .entry = entry,
                   .stack = stacks[count],
                   .stack_bytes = STACK_BYTES,
                   .priority = priority},
        .period = period,
        .relative_deadline = period,
        .offset = offset,
    };
    CHECK(takt_periodic_thread_create(&threads[count++], &parameters) == TAKT_OK);
}

#endif
