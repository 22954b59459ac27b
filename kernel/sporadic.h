/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sporadic and aperiodic threads: their jobs arrive as events, from threads (takt_job_arrive) or interrupts
 * (takt_job_arrive_from_isr).
 *
 * Source: Mok 1983 (sporadic tasks); SPEC.md, 1. Arrivals that find the thread at work wait in a ring, the caller's memory,
 * in their order. A minimum separation is *enforced*: a job that arrives too early is not refused but released when the
 * separation has passed, and its deadline counts from then. So nobody else ever sees more of the task than an
 * analysis with that separation as its period did, whoever calls how often; what does not fit into the ring is told
 * to the caller as TAKT_ERROR_ARRIVALS.
 *
 * When not to use it: for work that a semaphore's count says all of; a plain thread costs less. */
#ifndef TAKT_KERNEL_SPORADIC_H
#define TAKT_KERNEL_SPORADIC_H

#include "core/rule.h"
#include "kernel/job.h"

/* The rule of one task: its releases are `least` apart. Private. */
typedef struct takt_separation {
    takt_rule_t rule; /* first */
    takt_duration_t least;
    takt_instant_t next; /* nothing is released before */
} takt_separation_t;

/* A sporadic thread's control block: its task stands in it. Private. */
typedef struct takt_sporadic_thread {
    takt_job_thread_t job; /* first: what arrivals are told to */
    takt_task_t task;
    takt_task_extension_t extension;
    takt_separation_t separation;
} takt_sporadic_thread_t;

/* What a sporadic thread is made of. */
typedef struct takt_sporadic_parameters {
    takt_thread_parameters_t thread;   /* as of all threads */
    takt_duration_t separation;        /* ticks from one release to the next, at least; 0: aperiodic */
    takt_duration_t relative_deadline; /* ticks, >= 1 */
    takt_duration_t wcet;              /* ticks; read by least laxity, 0 will do elsewhere */
    takt_arrival_t *arrivals;          /* caller's memory: a ring of `capacity` jobs that wait */
    uint32_t capacity;                 /* a power of two */
    bool is_limited;                   /* as of a periodic thread */
    takt_key_t preemption_key;         /* likewise */
    takt_task_class_t task_class;      /* likewise */
    takt_on_miss_t on_miss;            /* likewise, without another extension */
} takt_sporadic_parameters_t;

/* Makes a sporadic thread: its entry function is first called when the first job runs, and does
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 * Its jobs may suspend themselves and lock. Returns as takt_thread_create, and ERROR_DEADLINE, _LENGTH if the capacity is no
 * power of two, _THRESHOLD or _STARTED. */
takt_status_t takt_sporadic_thread_create(takt_sporadic_thread_t *thread,
                                          const takt_sporadic_parameters_t *parameters);

#endif
