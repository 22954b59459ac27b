/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hybrid: rate-based tasks over a kernel with fixed priorities, any kernel, by rewriting priorities in the order of deadlines.
 *
 * Source: S0's implementation over a fixed-priority kernel. All that is asked of the host is one function, to set a thread's
 * priority. The adapter has a dispatcher of its own with the rate-based policy, which is told what happens and decides;
 * after every decision the thread of the most urgent task has the highest priority of the range, the next one the one
 * below, and so on; a thread without a job, or without budget, has priority 0.
 *
 * What the program supplies:
 *   - a thread of priority 1 that is always ready, so that a barred thread, of priority 0, never runs;
 *   - a thread, or hook of the tick, more urgent than the range, that makes all calls but init and add. A task's
 *     thread that has done its job tells that one, which calls takt_hybrid_complete, and goes on when it runs again: then
 *     its next job has come;
 *   - after every such call, and when the instant has come that it answered last: takt_hybrid_step.
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

enum {
    TAKT_HYBRID_BARRED = 0, /* a priority that never runs */
    TAKT_HYBRID_IDLE = 1,   /* of who idles */
    TAKT_HYBRID_LEAST = 2,  /* of tasks */
};

/* The kernel below. */
typedef struct takt_hybrid_host {
    void (*set_priority)(void *thread, uint32_t priority); /* a larger one is more urgent; at once */
} takt_hybrid_host_t;

/* A task, and what its thread is for the host. Private. */
typedef struct takt_hybrid_task {
    takt_task_t task;
    takt_entity_t entity;
    takt_rate_task_t rate;
    struct takt_hybrid_task *next;
    void *thread;
    uint32_t priority; /* that was set last */
} takt_hybrid_task_t;

/* The adapter. Private. */
typedef struct takt_hybrid {
    takt_dispatcher_t dispatcher;
    takt_cpu_t cpu;
    takt_rate_based_t rates;
    takt_rate_records_t records;
    const takt_hybrid_host_t *host;
    takt_hybrid_task_t *first; /* in the order of adding */
    takt_hybrid_task_t *last;
    uint32_t count;
    uint32_t highest; /* priority of the most urgent task */
    takt_entity_t *places[TAKT_KERNEL_HEAP_SLOTS];
    takt_timers_row_t rows[TAKT_KERNEL_ROWS];
} takt_hybrid_t;

/* Makes `hybrid`, zeroed, rate-based scheduling with `settings`, with priorities TAKT_HYBRID_LEAST .. `highest` for tasks.
 * `changes`, zeroed, is the caller's memory and keeps what tasks ask for: two for each that ever asks, and one for each job
 * that it may have waiting; NULL and 0 if nobody does. Returns ERROR_NULL, _PERIOD if the grid is 0 or beyond
 * TAKT_RATE_LONGEST, _SIZE if estimates look back at 0 jobs or more than TAKT_RATE_JOBS, or _BUDGET if beta and sigma are
 * more than the whole. */
takt_status_t takt_hybrid_init(takt_hybrid_t *hybrid, const takt_hybrid_host_t *host,
                               const takt_rate_settings_t *settings, uint32_t highest, takt_change_t *changes,
                               uint32_t count);

/* Adds `task`, zeroed, of class `type`, that `thread` executes, whose priority is TAKT_HYBRID_BARRED; `demand` is what it asks
 * for when it enters. It is not there yet. Returns ERROR_NULL, _PERIOD, _DEADLINE, _BUDGET if the wcet is 0 or above the
 * deadline or the weight out of its range, _OBJECT if `hybrid` was not made, _EXISTS, or _FULL if no priority or no place is left. */
takt_status_t takt_hybrid_add(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, void *thread,
                              takt_task_class_t type, const takt_rate_demand_t *demand);

/* Asks that `task` may enter. Returns TAKT_OK if it is admitted (its first window opens as soon as there is room),
 * TAKT_REJECTED, ERROR_NULL, or _OBJECT if it was not added. */
takt_status_t takt_hybrid_enter(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now);

/* Lets `task` leave at the end of its window; one that is not there stays so. Returns ERROR_NULL or _OBJECT. */
takt_status_t takt_hybrid_leave(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now);

/* Asks for other parameters, which replace those that `task` asked for and did not get yet; jobs that wait keep those of
 * their release. Returns TAKT_OK if they are admitted, and in force once it has the rate for them, TAKT_REJECTED,
 * ERROR_NULL, _OBJECT, _PERIOD, _DEADLINE, _BUDGET, or _CHANGES if no record is left for them. */
takt_status_t takt_hybrid_request(takt_hybrid_t *hybrid, takt_hybrid_task_t *task,
                                  const takt_rate_demand_t *demand, takt_instant_t now);

/* The job of `task`, whose thread has run up to `now`, has ended. */
void takt_hybrid_complete(takt_hybrid_t *hybrid, takt_hybrid_task_t *task, takt_instant_t now);

/* Lets what is due by `now` happen, and sets priorities. Returns when to call it again at the latest, TAKT_NEVER if
 * nothing is to come. */
takt_instant_t takt_hybrid_step(takt_hybrid_t *hybrid, takt_instant_t now);

#endif
