/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs: threads that execute the jobs of a task, one after the other.
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 *              released and chosen                 takt_wait_next_period
 *   job waits --------------------> its code runs ------------------------> the next job waits
 *                                        |
 *                                        +--- ended by the scheduler: late, cut, or out of budget
 *
 * A job that the scheduler ends does nothing any more: when the next one is chosen, its thread's context is built anew and
 * the entry function called again. So a job needs no check, and nobody has to tell it. What it locked is unlocked; what it
 * left in memory of its own, and units and blocks that it has taken, are the program's business.
 *
 * A job that may be ended, because its task aborts late jobs or has an allocator, does not wait for other threads nor for
 * time: nobody could take it out of their queues. A call that would have to wait returns ERROR_WAITS, and changes nothing; it
 * may look, for 0 ticks. takt_job_suspend and takt_job_lock wait in core, which knows of the end; they say for whom they
 * are. All other jobs wait as plain threads do, while their deadlines come nearer.
 *
 * A thread whose entry function returns has ended: its job waits for ever, or if it may be ended, it and all later ones end
 * where they begin.
 *
 * Where a task comes from: takt_periodic_thread_create makes one, of the control block; or the whole system was built in
 * the dispatcher by somebody else, between takt_kernel_borrow and takt_kernel_adopt, with the threads' entities as those of
 * its tasks.
 *
 * Calls without `_from_isr` are for the running job, with the lock open. They end with a decision: somebody
 * else may run before they return.
 *
 * When not to use it: for work that neither time nor events release; a plain thread costs less. */
#ifndef TAKT_KERNEL_JOB_H
#define TAKT_KERNEL_JOB_H

#include "core/dispatcher.h"
#include "kernel/thread.h"

/* Control block of a thread whose task stands elsewhere. Private. */
typedef struct takt_job_thread {
    takt_thread_t thread;
    void (*entry)(void *argument);
    void *argument;
    uint32_t number; /* of the job that its context belongs to */
    bool has_ended;  /* that job by itself: the context goes on with whatever job comes next */
} takt_job_thread_t;

_Static_assert(offsetof(takt_job_thread_t, thread) == 0, "an entity is its thread");

/* A periodic thread's control block: its task stands in it. Private. */
typedef struct takt_periodic_thread {
    takt_job_thread_t job;
    takt_task_t task;
} takt_periodic_thread_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_periodic_thread_t) == 200, "200 bytes on a 32-bit machine");

/* What a periodic thread is made of. */
typedef struct takt_periodic_parameters {
    takt_thread_parameters_t thread;   /* its entry function has the loop */
    takt_duration_t period;            /* ticks, >= 1 */
    takt_duration_t relative_deadline; /* ticks, >= 1 */
    takt_instant_t offset;             /* first release, ticks after the start */
    takt_duration_t wcet;              /* ticks; read by least laxity, 0 will do elsewhere */
    bool is_limited;                   /* a started job has a preemption key */
    takt_key_t preemption_key; /* 0: nobody displaces a started job; under fixed priorities only levels below
                                     this one; under keys see core/policy.h, start */
    takt_task_class_t task_class; /* who goes first among equals of a computed key */
    takt_on_miss_t on_miss;       /* what happens to late jobs; all but continue want the extension */
    takt_task_extension_t
        *extension; /* caller's memory, zeroed, for jobs that suspend themselves, lock or are
                                         late; NULL: they do not */
} takt_periodic_parameters_t;

/* Makes a periodic thread: its entry function is first called when the first job is released, and does
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 * A job that is released before its predecessor has ended waits behind it. Before the start. Returns ERROR_NULL, _STACK,
 * _PRIORITY, _FULL, _EXISTS, _PERIOD, _DEADLINE, _THRESHOLD, _EXTENSION, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_periodic_thread_create(takt_periodic_thread_t *thread,
                                          const takt_periodic_parameters_t *parameters);

/* Ends the running job, of whatever kind of thread, and returns when the next one of its task runs. Returns
 * TAKT_DEADLINE_MISSED if the job that ended was late; else TAKT_ACTIVATION_MISSED if the release of another one came
 * before that end, whether it waits or was dropped; else TAKT_OK; ERROR_IN_ISR, _LOCKED, _NOT_STARTED or _NOT_PERIODIC. */
takt_status_t takt_wait_next_period(void);

/* ---- what a job does ---------------------------------------------------------------------------- */

/* A preemption point: a non-preemptive job lets those go first that are more urgent by its own key. Of others nothing is
 * asked. Returns ERROR_IN_ISR, _LOCKED, _NOT_STARTED or _NOT_PERIODIC. */
takt_status_t takt_job_point(void);

/* The kernel object begins with what its processor does. */
extern struct takt_kernel takt_kernel;

/* Whether somebody waits for the running job at its next point: S1's flag, as of the last decision or point. One load,
 * no call; from anywhere. */
TAKT_INLINE bool takt_job_should_yield(void) {
    const volatile takt_cpu_t *cpu = (const volatile takt_cpu_t *)(const void *)&takt_kernel;
    return cpu->should_yield != 0;
}

/* The number of the running job, 0 for the first one of its task; who was aborted or dropped has one too. 0 if it is no
 * job. From anywhere. */
uint32_t takt_job_number(void);

/* A point at which a non-preemptive job may look at the flag and goes on: the flag is brought up to date. Returns as
 * takt_job_point. */
takt_status_t takt_job_optional_point(void);

/* Suspends the job for `duration` ticks from now. Returns as takt_job_point, and ERROR_EXTENSION if its task
 * was built without suspensions or has an allocator. */
takt_status_t takt_job_suspend(takt_duration_t duration);

/* Lets what is due by now happen, and be decided about. Returns as takt_job_point. */
takt_status_t takt_job_settle(void);

/* Makes `resource`, zeroed or free, one that jobs of threads in `server`, NULL: under the root, may lock; plain threads there
 * have mutexes of their own. `protocol` is none .. srp, mixed as mutex.h says; `ceiling`, of pcp, icpp and srp, is the
 * highest level of its users: under fixed priorities as takt_level_from_priority makes it, else their shortest period (rm) or
 * relative deadline (dm, edf). After takt_kernel_init. Returns ERROR_NULL, _PROTOCOL or _NOT_INITIALISED; or _ORDER: one of
 * srp under the root is made before all threads. */
takt_status_t takt_job_resource_init(takt_resource_t *resource, takt_protocol_t protocol, takt_key_t ceiling,
                                     const struct takt_thread_server *server);

/* Locks `resource`, of its dispatcher; returns once it holds it. Returns as takt_job_point, and ERROR_NULL,
 * _EXTENSION if its task was built without locks or its allocator is not told of them, or _RESOURCE if it holds it already
 * or is a rate-based thread that has no section of it. */
takt_status_t takt_job_lock(takt_resource_t *resource);

/* Unlocks `resource`, the last one that it locked. Returns as takt_job_lock. */
takt_status_t takt_job_unlock(takt_resource_t *resource);

/* The same without a decision, for a job that unlocks another one at once. */
takt_status_t takt_job_unlock_first(takt_resource_t *resource);

/* ---- from outside -------------------------------------------------------------------------------- */

/* A job of `thread` arrives now; it may run before the call returns. Threads only. Returns ERROR_NULL, _OBJECT,
 * _ARRIVALS if its task takes none or has no room for one more, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_job_arrive(takt_job_thread_t *thread);

/* A job of `thread` arrives, whose response and deadline count from `nominal`. For interrupts, and before the start, where
 * it arrives at instant 0. Returns ERROR_NULL, _NOT_IN_ISR, _INTERRUPT, or _ARRIVALS if its task takes none or has no room for one
 * more. */
takt_status_t takt_job_arrive_from_isr(takt_job_thread_t *thread, takt_instant_t nominal);

/* Change number `number` of the dispatcher, of `thread` or, if that is NULL, of the root, is to happen; it has not been
 * asked for before. For interrupts, and before the start. Returns ERROR_NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_job_change_from_isr(takt_job_thread_t *thread, uint32_t number);

/* ---- a system that somebody else builds ------------------------------------------------------------ */

/* What the kernel object has of a system; the idle thread is under the root, less urgent than everybody else, with the last
 * number. */
typedef struct takt_kernel_places {
    takt_dispatcher_t *dispatcher; /* to be initialised */
    takt_cpu_t *cpu;               /* the one processor */
    takt_plain_t *idle;            /* to be added last */
} takt_kernel_places_t;

/* Says where a system is to be built, in place of takt_kernel_init. Returns ERROR_NULL or _STARTED. */
takt_status_t takt_kernel_borrow(takt_kernel_places_t *places);

/* It has been built there. takt_kernel_trace_to may follow, then a call of takt_job_thread_attach for each task, then
 * takt_kernel_start. Threads and servers cannot be created besides. Returns ERROR_STARTED. */
takt_status_t takt_kernel_adopt(void);

/* Makes `thread`, zeroed but for its entity, the thread of the task that this entity has. Priority and server are not read.
 * Returns ERROR_NULL, _STACK, _NOT_PERIODIC, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_job_thread_attach(takt_job_thread_t *thread, const takt_thread_parameters_t *parameters);

#endif
