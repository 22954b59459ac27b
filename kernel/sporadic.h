/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sporadic and aperiodic threads: their jobs arrive as events, from threads (takt_job_arrive) or interrupts
 * (takt_job_arrive_from_isr).
 *
 * Source: Mok 1983 (sporadic tasks); SPEC.md, 1. Arrivals during a job wait in FIFO order in a ring, the caller's
 * memory. A minimum separation is *enforced*: a job that arrives too early is not refused. It is released when the
 * separation has passed, and its deadline counts from then. So the task never interferes more than a periodic task with
 * that separation as its period, however often it is called. An arrival that does not fit into the ring is refused with
 * TAKT_ERROR_ARRIVALS.
 *
 * When not to use it: for work that a semaphore's count describes; a plain thread costs less. */
#ifndef TAKT_KERNEL_SPORADIC_H
#define TAKT_KERNEL_SPORADIC_H

#include "core/rule.h"
#include "kernel/job.h"

TAKT_C_BEGIN

/* Deadline rule of one task: its releases are at least `least` apart. Private. */
typedef struct takt_separation {
    takt_rule_t rule; /* first */
    takt_duration_t least;
    takt_instant_t next; /* no release before this instant */
} takt_separation_t;

/* Control block of a sporadic thread, with its task. Private. */
typedef struct takt_sporadic_thread {
    takt_job_thread_t job; /* first: the argument of arrival calls */
    takt_task_t task;
    takt_task_extension_t extension;
    takt_separation_t separation;
} takt_sporadic_thread_t;

/* Parameters of a sporadic thread, by their older name. */
typedef takt_job_parameters_t takt_sporadic_parameters_t;

/* Creates a sporadic thread: its entry function is first called when the first job runs, and does
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 * Its jobs may suspend themselves and lock. Returns as takt_thread_create, and ERROR_DEADLINE, _LENGTH if the capacity
 * is no power of two, _THRESHOLD, _EXTENSION for members of another kind, or _STARTED. */
takt_status_t takt_sporadic_thread_create(takt_sporadic_thread_t *thread,
                                          const takt_job_parameters_t *parameters);

TAKT_C_END

#endif
