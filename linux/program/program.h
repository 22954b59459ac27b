/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Program: the tasks of an image as threads of this process, with synthetic load.
 *
 * One thread per task joins as the task's entity, and executes its jobs: the body of the task, for the execution time of
 * that job in CPU time of the thread, so that preemption does not count. Each job is recorded.
 *
 * The scheduler is the caller's: it loads it, and `begin` starts it. The caller's thread stays in its own class, and
 * needs a processor at the horizon: it ends the run. From the first run on the signal TAKT_PROGRAM_SIGNAL is the program's.
 *
 * When not to use it: for a program with work of its own; see linux/lib/. */
#ifndef TAKT_LINUX_PROGRAM_H
#define TAKT_LINUX_PROGRAM_H

#include <signal.h>

#include "linux/lib/takt_linux.h"
#include "system/image.h"

#define TAKT_PROGRAM_SIGNAL (SIGRTMIN + 3)

/* X(constant, message): what became of a run. */
#define TAKT_PROGRAM_STATUSES(X)                                                               \
    X(OK, "done")                                                                              \
    X(MEMORY, "too little memory for the task set")                                            \
    X(IMAGE, "the image cannot be read")                                                       \
    X(DRAWN, "the image has numbers that are drawn; list them")                                \
    X(TASKS, "the image has no task")                                                          \
    X(THREAD, "the system refuses a thread: raise its limit (ulimit -u), or give more memory") \
    X(JOIN, "a thread cannot join")                                                            \
    X(LOST, "a thread lost its scheduler before the horizon")                                  \
    X(FULL, "more jobs ended than there is room for records; the first ones are kept")

#define TAKT_PROGRAM_STATUS(constant, message) TAKT_PROGRAM_##constant,
typedef enum takt_program_status { TAKT_PROGRAM_STATUSES(TAKT_PROGRAM_STATUS) } takt_program_status_t;
#undef TAKT_PROGRAM_STATUS

/* The message of `status`, for people. Never NULL. */
const char *takt_program_message(takt_program_status_t status);

/* A job that has ended or was ended. Instants are ns since the begin. */
typedef struct takt_program_job {
    int64_t release;
    int64_t start; /* it first executed */
    int64_t end;   /* it asked for its next job */
    uint32_t task; /* index in the image */
    uint32_t number;
    takt_linux_status_t outcome; /* OK, MISSED, OVERRUN or ABORTED */
} takt_program_job_t;

typedef struct takt_program_run {
    const uint64_t *words; /* the image that the domain was built from (linux/domain.h) */
    uint64_t count;
    const takt_linux_transport_t *transport;
    const char *const
        *names; /* of the tasks, to join by and to be seen by; NULL: they join by their entity's number */
    takt_program_job_t *jobs; /* caller's memory for records */
    uint32_t job_limit;
    uint64_t overhead_ns; /* each job executes so much less: the kernel takes it from the job's own time */
    void *context;
    uint64_t (*begin)(void *context); /* all threads have joined; returns the CLOCK_MONOTONIC of instant 0 */
    /* answers */
    uint32_t job_count;        /* jobs recorded; those of one task in their order */
    bool is_in_memory;         /* all threads joined with locked memory */
    takt_image_status_t image; /* of status IMAGE */
    uint32_t task;             /* of status JOIN and LOST */
    takt_linux_status_t why;   /* likewise */
} takt_program_run_t;

/* Runs the tasks up to the horizon. `run` is zeroed but for what the caller fills in. All threads have ended when it
 * returns. A machine of several processors is several runs at once, each called by a thread of its own. */
takt_program_status_t takt_program_run(takt_program_run_t *run);

#endif
