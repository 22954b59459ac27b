/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the files of the program share. */
#ifndef TAKT_LINUX_PROGRAM_INTERNAL_H
#define TAKT_LINUX_PROGRAM_INTERNAL_H

#include <pthread.h>

#include "linux/program/program.h"

/* Reads the image of `run` into `program`, which is zeroed. Returns OK, MEMORY, IMAGE, DRAWN or TASKS. In any case
 * `memory` is to be freed when the program is not needed any more. */
takt_program_status_t takt_program_read(takt_program_run_t *run, takt_program_t *program, void **memory);

typedef struct takt_threads takt_threads_t;

/* The thread of one task. */
typedef struct takt_worker {
    takt_threads_t *threads;
    uint32_t task;
    pthread_t thread;
    takt_linux_thread_t *joined; /* under the lock of `threads`; NULL: it has not, or leaves */
    bool has_ended;              /* likewise */
} takt_worker_t;

struct takt_threads {
    takt_program_run_t *run;
    takt_program_t program;
    takt_worker_t *workers;
    uint32_t count;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* `joined`, `status`, or a thread has ended */
    /* `may_begin`; of its own, so that a thread that joins wakes one thread and not all. */
    pthread_cond_t begun;
    uint32_t joined; /* threads that have joined, or cannot */
    bool may_begin;
    uint64_t epoch; /* then */
    bool is_over;   /* atomic: threads end as soon as they can */
    takt_program_status_t status;
};

/* Returns CLOCK_MONOTONIC in ns. */
uint64_t takt_program_now(void);

/* Returns the CPU time of the calling thread in ns. */
uint64_t takt_program_used(void);

/* Executes until the CLOCK_MONOTONIC instant `until_ns`, the end of the job by the scheduler, or of the run. */
void takt_program_spin(uint64_t until_ns, const bool *is_over);

/* Executes the jobs of a task until the run is over. Returns why it ended. */
takt_linux_status_t takt_worker_execute(takt_worker_t *worker);

#endif
