/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Statistics: what every thread has executed, and for how long nobody had work.
 *
 * A sink of the trace. Times follow from the decisions alone: from one to the next, whoever was chosen executes, and what
 * the kernel needs for the next decision is charged to it. Completed jobs follow from the events that end them.
 *
 * Invariant: all executed times together are the time from the first decision to the last one.
 *
 * What it costs: as long as there is a trace, every switch takes the full pass, and every call that can change who runs
 * gives a record. On a Cortex-M3 a yield between plain threads then takes 520 instructions instead of 37, of which about 70
 * are this sink's, with interrupts masked, for its two records; that does not grow with the number of threads.
 *
 * When not to use it: for budgets, which servers keep exactly and at no cost; in a product whose switches count. */
#ifndef TAKT_KERNEL_STATISTICS_H
#define TAKT_KERNEL_STATISTICS_H

#include "core/trace.h"
#include "kernel/server.h"

/* What one entity has executed. */
typedef struct takt_execution {
    takt_duration_t executed; /* ticks in all */
    takt_duration_t longest;  /* ticks of the longest stretch without anybody else in between */
    uint32_t chosen;          /* how many stretches; modulo 2^32 */
    uint32_t completed;       /* jobs that have ended by themselves; modulo 2^32 */
} takt_execution_t;

/* A sink that counts. Private but for `trace`. */
typedef struct takt_statistics {
    takt_trace_t trace;           /* first: what takt_kernel_trace_to takes */
    takt_trace_t *next;           /* where every record goes afterwards, or NULL */
    takt_execution_t *executions; /* by number of entity */
    uint32_t count;
    uint32_t running;     /* number of who was chosen last, TAKT_NOBODY before */
    takt_instant_t since; /* start of its stretch */
} takt_statistics_t;

/* Makes the zeroed `statistics` a sink that counts in `executions`, zeroed memory for the entities 0 .. `count` - 1: the root
 * is 0, then come servers, threads in the order of their creation, and, from the start on, the idle thread and later ones. Whoever is beyond is not counted.
 * `next` gets every record too, unless it is NULL. Returns ERROR_NULL, or _LENGTH if `count` is 0. */
takt_status_t takt_statistics_init(takt_statistics_t *statistics, takt_execution_t *executions,
                                   uint32_t count, takt_trace_t *next);

/* Writes what `thread` has executed until now into `execution`, the stretch that is under way included; NULL stands for the
 * idle thread. A thread that is created while the kernel runs begins at 0, whose number it gets. From anywhere that may call the
 * kernel. Returns ERROR_NULL, _OBJECT if the thread does not exist, _INTERRUPT, or _LENGTH if it is beyond those that are
 * counted. */
takt_status_t takt_statistics_read(const takt_statistics_t *statistics, const takt_thread_t *thread,
                                   takt_execution_t *execution);

/* Likewise, what the kernel's idle thread has executed at the expense of `server`, which had budget and idled. */
takt_status_t takt_statistics_read_server(const takt_statistics_t *statistics,
                                          const takt_thread_server_t *server, takt_execution_t *execution);

#endif
