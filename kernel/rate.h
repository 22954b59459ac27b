/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Rate-based threads: created with a class, a wcet, a period and a deadline, or a weight. They enter, leave and
 * negotiate while the system runs.
 *
 * Source: taskRBCreate and related calls of Springer and Zhao 2024; rules: policy/rate_based.h and SPEC.md, 10.
 *
 *     takt_kernel_init(&takt_policy_rate_based)
 *     takt_rates_init(&rates, &settings, changes, count)
 *     takt_rates_share ...              if jobs lock anything
 *     takt_rate_thread_create ...       each exists then, but has not entered
 *     takt_rate_thread_enter ...        admitted or rejected; before the start, or at run time
 *
 *                        enter: admitted, room            leave
 *     outside -----------------------------> inside --------------> leaving, until its window ends
 *         ^  rejected: nothing has changed     |  request: other parameters, in force when it has the rate for them
 *         +------------------------------------+-----------------------------------------+
 *
 * The execution-time monitor is the budget of the window. A hard job that has executed its wcet waits for its next
 * window; a soft job gets another budget with a later deadline. So execution of a task beyond its wcet delays no other
 * task. Jobs do not wait, as job.h says; they end by takt_wait_next_period.
 *
 * Jobs share resources under srp by takt_job_lock and takt_job_unlock; their threads declare sections for them. A job
 * that may run finds every resource free that it locks. Blocking is subtracted from the processor, for all existing
 * threads. In a section a job continues without budget and pays that back. So every admitted thread meets its deadlines
 * if sections last as declared. Execution after the last unlock is part of the wcet; a job's end unlocks what it holds.
 *
 * When not to use it: where all tasks are known, hard and periodic; edf costs less. */
#ifndef TAKT_KERNEL_RATE_H
#define TAKT_KERNEL_RATE_H

#include "kernel/allocated.h"
#include "kernel/demand.h"

TAKT_C_BEGIN

/* The rate-based scheduler of a kernel. Private. */
typedef struct takt_rates {
    takt_rate_based_t based; /* first */
    takt_rate_records_t records;
    takt_resource_t *resources;
    uint32_t resource_count;
} takt_rates_t;

/* Control block of a rate-based thread. Private. */
typedef struct takt_rate_thread {
    takt_job_thread_t job; /* first */
    takt_task_t task;
    takt_rate_task_t rate;
} takt_rate_thread_t;

/* Declares that jobs of one thread lock a resource. The caller's memory, zeroed but for the first two members. */
typedef struct takt_rate_section {
    takt_resource_t *resource; /* one that was made by takt_rates_share */
    takt_duration_t longest; /* ticks that a job executes from a lock to the unlock, 1 .. relative deadline */
    takt_rate_use_t use;     /* the scheduler's record */
} takt_rate_section_t;

/* Parameters of a rate-based thread. */
typedef struct takt_rate_parameters {
    takt_thread_parameters_t thread; /* under the root; its priority is not read */
    takt_rates_t *rates;             /* its scheduler */
    takt_task_class_t type;          /* HRT, SRT and NRT of Springer and Zhao 2024 */
    takt_rate_demand_t demand;       /* its request when it enters */
    bool adapts;                     /* soft: the estimate of its wcet follows what its jobs execute */
    takt_rate_section_t *sections;   /* one for each resource that its jobs lock; NULL: they lock nothing */
    uint32_t section_count;          /* number of sections */
} takt_rate_parameters_t;

/* Current state of a rate-based thread. */
typedef struct takt_rate_state {
    takt_rate_stage_t stage;   /* entered, leaving or not */
    uint64_t rate;             /* in units of 1 / TAKT_RATE_WHOLE of the processor */
    takt_duration_t budget;    /* current budget of a window */
    takt_duration_t period;    /* current length of a window */
    takt_duration_t remaining; /* of the open window's budget; 0 if none is open */
    takt_instant_t deadline;   /* end of the last window that began */
    bool is_asking;            /* parameters are admitted but not in force yet */
} takt_rate_state_t;

/* Initialises `rates`, zeroed, the scheduler of all rate-based threads. `changes`, zeroed memory of the caller, keeps
 * requests: two records per thread that makes any, and one per job that it may have waiting; NULL and 0 if there are no
 * requests. Before anything is created, on a kernel whose root is takt_policy_rate_based. Returns ERROR_NULL, _POLICY,
 * _PERIOD if the grid is 0 or beyond TAKT_RATE_LONGEST, _SIZE if estimates look back at 0 jobs or more than
 * TAKT_RATE_JOBS, _BUDGET if beta plus sigma exceeds the whole, _ORDER, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_rates_init(takt_rates_t *rates, const takt_rate_settings_t *settings,
                              takt_change_t *changes, uint32_t count);

/* Initialises `count` resources, zeroed, that threads may share under srp, each with one of `shares`, zeroed; both are
 * the caller's memory. Before mutexes and threads are made. Threads that share cannot request other parameters, so
 * there must be no records for changes. Returns ERROR_NULL, _LENGTH if `count` is 0, _OBJECT if `rates` were not made,
 * _CHANGES, _ORDER or _STARTED. */
takt_status_t takt_rates_share(takt_rates_t *rates, takt_resource_t *resources, takt_rate_share_t *shares,
                               uint32_t count);

/* Creates a thread; it has not entered yet. O(threads x all sections). Returns as takt_thread_create, and ERROR_PERIOD,
 * _DEADLINE, _BUDGET if the wcet or a section is 0 or above the deadline or the weight out of range, _OBJECT if `rates`
 * or the resource of a section were not made or it is in a server, _ORDER if it has sections and another thread has
 * requested to enter, or _STARTED. */
takt_status_t takt_rate_thread_create(takt_rate_thread_t *thread, const takt_rate_parameters_t *parameters);

/* Requests that `thread` enters. Returns TAKT_OK if it is admitted (its first window opens as soon as there is room),
 * or TAKT_REJECTED. From threads and before the start; the other for interrupts. Returns ERROR_NULL, _OBJECT, _IN_ISR
 * or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_rate_thread_enter(takt_rate_thread_t *thread);
takt_status_t takt_rate_thread_enter_from_isr(takt_rate_thread_t *thread);

/* Makes `thread` leave at the end of its window; no effect if it has not entered. From threads and before the start;
 * the other for interrupts. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_rate_thread_leave(takt_rate_thread_t *thread);
takt_status_t takt_rate_thread_leave_from_isr(takt_rate_thread_t *thread);

/* Requests other parameters. They replace a request of `thread` that is not in force yet. Returns TAKT_OK if they are
 * admitted (in force once it has the rate for them), or TAKT_REJECTED. From threads and before the start; the other for
 * interrupts. Returns ERROR_NULL, _OBJECT, _PERIOD, _DEADLINE, _BUDGET, _CHANGES if no record is left for them, _IN_ISR
 * or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_rate_thread_request(takt_rate_thread_t *thread, const takt_rate_demand_t *demand);
takt_status_t takt_rate_thread_request_from_isr(takt_rate_thread_t *thread, const takt_rate_demand_t *demand);

/* Writes the current state of `thread` to `state`. From threads and interrupts, and before the start. Returns
 * ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_rate_thread_get(const takt_rate_thread_t *thread, takt_rate_state_t *state);

TAKT_C_END

#endif
