/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hybrid: rate-based tasks over any fixed-priority kernel; it rewrites priorities in the order of deadlines.
 *
 * Source: the implementation of Springer and Zhao 2024 over a fixed-priority kernel. The host needs only one function,
 * which sets a thread's priority. The adapter has its own dispatcher with the rate-based policy; it receives the events
 * and decides. After every decision the thread of the most urgent task gets the highest priority of the range, the next
 * one the priority below, and so on. A thread without a job, or without budget, gets priority 0.
 *
 * What the program supplies:
 *   - a thread of priority 1 that is always ready, so that a barred thread, of priority 0, never runs;
 *   - a thread, or hook of the tick, more urgent than the range, that makes all calls but init and add. At the end of a
 *     job the task's thread signals it to call takt_hybrid_complete. The next job has come when that thread runs again;
 *   - takt_hybrid_step, after every such call and at the instant that it returned last.
 *
 * Left out: resources that tasks share.
 *
 * Cost: a step computes all ranks, O(n^2) for n tasks, and sets priorities only where they change.
 *
 * When not to use it: on Takt's own kernel, whose root may be rate-based; see rate.h. */
#ifndef TAKT_KERNEL_HYBRID_H
#define TAKT_KERNEL_HYBRID_H

#include "kernel/demand.h"
#include "kernel/errors.h"
#include "kernel/geometry.h"

TAKT_C_BEGIN

enum {
    TAKT_HYBRID_BARRED = 0, /* priority that never runs */
    TAKT_HYBRID_IDLE = 1,   /* priority of the idle thread */
    TAKT_HYBRID_LEAST = 2,  /* least priority of tasks */
};

/* The host kernel. */
typedef struct takt_hybrid_host {
    void (*set_priority)(void *thread, uint32_t priority); /* larger is more urgent; takes effect at once */
} takt_hybrid_host_t;

/* A task, and its thread in the host. Private. */
typedef struct takt_hybrid_task {
    takt_task_t task;
    takt_entity_t entity;
    takt_rate_task_t rate;
    struct takt_hybrid_task *next;
    void *thread;
    uint32_t priority; /* priority set last */
} takt_hybrid_task_t;

/* The adapter. Private. */
typedef struct takt_hybrid {
    takt_dispatcher_t dispatcher;
    takt_cpu_t cpu;
    takt_rate_based_t rates;
    takt_rate_records_t records;
    const takt_hybrid_host_t *host;
    takt_hybrid_task_t *first; /* in the order of addition */
    takt_hybrid_task_t *last;
    uint32_t count;
    uint32_t highest; /* priority of the most urgent task */
    takt_entity_t *places[TAKT_KERNEL_HEAP_SLOTS];
    takt_timers_row_t rows[TAKT_KERNEL_ROWS];
} takt_hybrid_t;

/* Initialises `hybrid`, zeroed, for rate-based scheduling with `settings`; priorities TAKT_HYBRID_LEAST .. `highest`
 * are for tasks. `changes`, zeroed memory of the caller, keeps requests: two records per task that makes any, and one
 * for each job that it may have waiting; NULL and 0 if there are no requests. Returns ERROR_NULL, _PERIOD if the grid
 * is 0 or beyond TAKT_RATE_LONGEST, _SIZE if estimates look back at 0 jobs or more than TAKT_RATE_JOBS, or _BUDGET if
 * beta plus sigma exceeds the whole. */
takt_status_t takt_hybrid_init(takt_hybrid_t *hybrid, const takt_hybrid_host_t *host,
                               const takt_rate_settings_t *settings, uint32_t highest, takt_change_t *changes,
                               uint32_t count);

/* Adds `task`, zeroed, of class `type`, executed by `thread`, which has priority TAKT_HYBRID_BARRED. It requests
 * `demand` when it enters, later. Returns ERROR_NULL, _PERIOD, _DEADLINE, _BUDGET if the wcet is 0 or above the
 * deadline or the weight out of range, _OBJECT if `hybrid` was not made, _EXISTS, or _FULL if no priority or place is
 * left. */
takt_status_t takt_hybrid_add(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, void *thread,
                              takt_task_class_t type, const takt_rate_demand_t *demand);

/* Requests that `task` enters. Returns TAKT_OK if it is admitted (its first window opens as soon as there is room),
 * TAKT_REJECTED, ERROR_NULL, or _OBJECT if it was not added. */
takt_status_t takt_hybrid_enter(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now);

/* Makes `task` leave at the end of its window; no effect if it has not entered. Returns ERROR_NULL or _OBJECT. */
takt_status_t takt_hybrid_leave(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now);

/* Requests other parameters. They replace a request of `task` that is not in force yet; pending jobs keep those of
 * their release. Returns TAKT_OK if they are admitted (in force once it has the rate for them), TAKT_REJECTED,
 * ERROR_NULL, _OBJECT, _PERIOD, _DEADLINE, _BUDGET, or _CHANGES if no record is left for them. */
takt_status_t takt_hybrid_request(takt_hybrid_t *hybrid, takt_hybrid_task_t *task,
                                  const takt_rate_demand_t *demand, takt_instant_t now);

/* Ends the job of `task`, whose thread has run up to `now`. */
void takt_hybrid_complete(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now);

/* Processes everything due by `now`, and sets priorities. Returns when to call it again at the latest, TAKT_NEVER if
 * nothing is pending. */
takt_instant_t takt_hybrid_step(takt_hybrid_t *hybrid, takt_instant_t now);

TAKT_C_END

#endif
