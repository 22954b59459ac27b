/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Statistics: execution time of every thread, and idle time.
 *
 * A sink of the trace. Times follow from the decisions alone: the selected entity executes until the next decision. The
 * time that the kernel needs for the next decision is charged to it. Completed jobs follow from the events that end
 * them.
 *
 * Invariant: the sum of all execution times is the time from the first decision to the last one.
 *
 * Cost: while there is a trace, every switch takes the full pass, and every call that can change the running thread
 * writes a record. On a Cortex-M3 a yield between plain threads takes 520 instructions instead of 37. About 70 of them,
 * masked, are this sink's for its two records; that does not grow with the number of threads.
 *
 * When not to use it: for budgets, which servers keep exactly and at no cost; in a product that needs fast switches. */
#ifndef TAKT_KERNEL_STATISTICS_H
#define TAKT_KERNEL_STATISTICS_H

#include "core/trace.h"
#include "kernel/server.h"

TAKT_C_BEGIN

/* What one entity has executed so far. */
typedef struct takt_execution {
    takt_duration_t executed; /* ticks in all */
    takt_duration_t longest;  /* ticks of the longest stretch without another entity in between */
    uint32_t chosen;          /* number of stretches; modulo 2^32 */
    uint32_t completed;       /* jobs that have completed by themselves; modulo 2^32 */
} takt_execution_t;

/* A sink that counts. Private but for `trace`. */
typedef struct takt_statistics {
    takt_trace_t trace;           /* first: what takt_kernel_trace_to takes */
    takt_trace_t *next;           /* next sink of every record, or NULL */
    takt_execution_t *executions; /* by number of entity */
    uint32_t count;
    uint32_t running;     /* number of the entity selected last, TAKT_NO_ENTITY before */
    takt_instant_t since; /* start of its stretch */
} takt_statistics_t;

/* Initialises the zeroed `statistics` with `executions`, zeroed memory for the entities 0 .. `count` - 1; others are
 * not counted. The root is 0; servers follow, then threads in the order of creation, then the idle thread and those
 * created later. `next` gets every record too, unless it is NULL. Returns ERROR_NULL, or _LENGTH if `count` is 0. */
takt_status_t takt_statistics_init(takt_statistics_t *statistics, takt_execution_t *executions,
                                   uint32_t count, takt_trace_t *next);

/* Writes to `execution` what `thread` has executed so far, the current stretch included; NULL: the idle thread. A
 * thread created while the kernel runs starts at 0, even with a reused number. From anywhere that may call the kernel.
 * Returns ERROR_NULL, _OBJECT if the thread does not exist, _INTERRUPT, or _LENGTH if it is not counted. */
takt_status_t takt_statistics_read(const takt_statistics_t *statistics, const takt_thread_t *thread,
                                   takt_execution_t *execution);

/* Likewise, what the idle thread has executed at the expense of `server`, which had budget and idled. */
takt_status_t takt_statistics_read_server(const takt_statistics_t *statistics,
                                          const takt_thread_server_t *server, takt_execution_t *execution);

TAKT_C_END

#endif
