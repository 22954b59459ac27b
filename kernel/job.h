/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs: threads that execute the jobs of a task, one after the other.
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 *              released and selected               takt_wait_next_period
 *   job waits --------------------> its code runs ------------------------> the next job waits
 *                                        |
 *                                        +--- ended by the scheduler: late, cut, or out of budget
 *
 * A job that the scheduler ends executes nothing any more. When the next job is selected, the thread's context is built
 * again and its entry function is called again. So a job needs no check of its own. The kernel unlocks what the job
 * locked. Its private memory, and the units and blocks it has taken, are the program's responsibility.
 *
 * The scheduler may end a job whose task aborts late jobs or has an allocator. Such a job does not wait for other
 * threads nor for time, because it cannot be removed from their queues. A call that would have to wait returns
 * ERROR_WAITS and changes nothing; with 0 ticks it may check. takt_job_suspend and takt_job_lock wait in core, which
 * handles the end of the job; each says below for which jobs it is. All other jobs wait as plain threads do, while
 * deadlines approach.
 *
 * A thread whose entry function returns has ended. If its jobs may be ended, this job and all later ones end where they
 * begin; else the job waits for ever.
 *
 * Origin of the task: takt_periodic_thread_create makes one in the control block. Or the program builds the whole
 * system in the dispatcher, between takt_kernel_borrow and takt_kernel_adopt; the threads' entities are then those of
 * its tasks.
 *
 * Calls without `_from_isr` are for the running job, with the lock open. They end with a decision: another thread may
 * run before they return.
 *
 * When not to use it: for work that neither time nor events release; a plain thread costs less. */
#ifndef TAKT_KERNEL_JOB_H
#define TAKT_KERNEL_JOB_H

#include "core/dispatcher.h"
#include "kernel/thread.h"

TAKT_C_BEGIN

/* Control block of a thread whose task is stored elsewhere. Private. */
typedef struct takt_job_thread {
    takt_thread_t thread;
    void (*entry)(void *argument);
    void *argument;
    uint32_t number; /* number of the job that its context belongs to */
    bool has_ended;  /* that job completed by itself: the context continues with the next job */
} takt_job_thread_t;

_Static_assert(offsetof(takt_job_thread_t, thread) == 0, "an entity is its thread");

/* Control block of a periodic thread, with its task. Private. */
typedef struct takt_periodic_thread {
    takt_job_thread_t job;
    takt_task_t task;
} takt_periodic_thread_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_periodic_thread_t) == 200, "200 bytes on a 32-bit machine");

/* Parameters of a thread that executes jobs: periodic, sporadic (sporadic.h) or with an allocator (allocated.h).
 * Members that only other kinds read must be 0. */
typedef struct takt_job_parameters {
    takt_thread_parameters_t thread; /* the loop is in its entry function */
    union {
        takt_duration_t period;     /* ticks, >= 1; its meaning is up to an allocator, also of the next two */
        takt_duration_t separation; /* sporadic: least ticks from one release to the next; 0: aperiodic */
    };
    takt_duration_t relative_deadline; /* ticks, >= 1 */
    takt_duration_t wcet;              /* ticks; read by least laxity and allocators, else 0 is allowed */
    takt_task_class_t task_class;      /* breaks ties between equal computed keys */
    takt_instant_t offset;             /* periodic: first release, ticks after the start */
    bool is_limited;                   /* periodic, sporadic: a started job has a preemption key */
    /* 0: a started job is not preempted; under fixed priorities only levels below this one preempt it;
     * under keys see core/policy.h, start. */
    takt_key_t preemption_key;
    /* Periodic, sporadic: action for late jobs; periodic: all but continue need the extension. */
    takt_on_miss_t on_miss;
    /* Caller's memory, zeroed. Periodic: for jobs that suspend themselves, lock or are late; NULL: they do
     * not. Allocated: begins the allocator's record of the task. */
    takt_task_extension_t *extension;
    takt_arrival_t *arrivals;           /* sporadic: caller's memory, a ring of `capacity` pending jobs */
    uint32_t capacity;                  /* sporadic: a power of two */
    struct takt_allocation *allocation; /* allocated: one that was added */
} takt_job_parameters_t;

/* The same, by its older name. */
typedef takt_job_parameters_t takt_periodic_parameters_t;

/* Creates a periodic thread: its entry function is first called when the first job is released, and does
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 * A job released before its predecessor has ended waits behind it. Before the start. Returns ERROR_NULL, _STACK,
 * _PRIORITY, _FULL, _EXISTS, _JOBS if `is_suspended` is set, _PERIOD, _DEADLINE, _THRESHOLD, _EXTENSION (also for
 * members of another kind), _STARTED or _NOT_INITIALISED. */
takt_status_t takt_periodic_thread_create(takt_periodic_thread_t *thread,
                                          const takt_job_parameters_t *parameters);

/* Ends the running job of any kind of thread, and returns when the next job of its task runs. Returns
 * TAKT_DEADLINE_MISSED if the ended job was late; else TAKT_ACTIVATION_MISSED if another job was released before that
 * end, pending or dropped; else TAKT_OK; ERROR_IN_ISR, _LOCKED, _NOT_STARTED or _NOT_PERIODIC. */
takt_status_t takt_wait_next_period(void);

/* ---- what a job does ---------------------------------------------------------------------------- */

/* A preemption point: a non-preemptive job yields to jobs that are more urgent than its own key. It has no effect for
 * other jobs. Returns ERROR_IN_ISR, _LOCKED, _NOT_STARTED or _NOT_PERIODIC. */
takt_status_t takt_job_point(void);

/* The kernel object; it begins with the state of its processor. */
extern struct takt_kernel takt_kernel;

/* True if a more urgent entity waits for the running job's next point: the flag of Bergsma et al. 2009, as of the last
 * decision or point. One load, no call; from anywhere. */
TAKT_INLINE bool takt_job_should_yield(void) {
    const volatile takt_cpu_t *cpu = (const volatile takt_cpu_t *)(const void *)&takt_kernel;
    return cpu->should_yield != 0;
}

/* The number of the running job, from 0 within its task; aborted and dropped jobs count too. 0 if the running thread
 * executes no job. From anywhere. */
uint32_t takt_job_number(void);

/* Updates that flag, at a point where a non-preemptive job may check it and continue. Returns as takt_job_point. */
takt_status_t takt_job_optional_point(void);

/* Suspends the job for `duration` ticks from now. Returns as takt_job_point, and ERROR_EXTENSION if its task
 * was built without suspensions or has an allocator. */
takt_status_t takt_job_suspend(takt_duration_t duration);

/* Processes everything due by now, and decides. Returns as takt_job_point. */
takt_status_t takt_job_settle(void);

/* Initialises `resource`, zeroed or free, for jobs of threads in `server`, NULL: under the root. Plain threads there
 * use mutexes. `protocol` is none .. srp, combined as mutex.h says. `ceiling`, for pcp, icpp and srp, is the highest
 * level of its users: under fixed priorities as takt_level_from_priority returns it, else their shortest period (rm) or
 * relative deadline (dm, edf). After takt_kernel_init. Returns ERROR_NULL, _PROTOCOL or _NOT_INITIALISED; or _ORDER:
 * one of srp under the root must precede all threads. */
takt_status_t takt_job_resource_init(takt_resource_t *resource, takt_protocol_t protocol, takt_key_t ceiling,
                                     const struct takt_thread_server *server);

/* Locks `resource`, of the job's dispatcher; returns when the job holds it. Returns as takt_job_point, and ERROR_NULL,
 * _EXTENSION if its task was built without locks or its allocator has no lock functions, or _RESOURCE if the job holds
 * it already or is rate-based and has no section of it. */
takt_status_t takt_job_lock(takt_resource_t *resource);

/* Unlocks `resource`, the last one that the job locked. Returns as takt_job_lock. */
takt_status_t takt_job_unlock(takt_resource_t *resource);

/* The same without a decision, for a job that unlocks another resource at once. */
takt_status_t takt_job_unlock_first(takt_resource_t *resource);

/* ---- from outside -------------------------------------------------------------------------------- */

/* A job of `thread` arrives now; it may run before the call returns. Threads only. Returns ERROR_NULL, _OBJECT,
 * _ARRIVALS if its task takes no arrivals or has no room for one more, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_job_arrive(takt_job_thread_t *thread);

/* A job of `thread` arrives; response and deadline count from `nominal`. For interrupts; or before the start, then it
 * arrives at instant 0. Returns ERROR_NULL, _NOT_IN_ISR, _INTERRUPT, or _ARRIVALS if its task takes no arrivals or has
 * no room for one more. */
takt_status_t takt_job_arrive_from_isr(takt_job_thread_t *thread, takt_instant_t nominal);

/* Requests change number `number` of the dispatcher, of `thread` or, if that is NULL, of the root. A change is
 * requested once only. For interrupts, and before the start. Returns ERROR_NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_job_change_from_isr(takt_job_thread_t *thread, uint32_t number);

/* ---- a system that the program builds --------------------------------------------------------------- */

/* Parts of the kernel object that a system uses. The idle thread is under the root, less urgent than all other
 * entities, with the last number. */
typedef struct takt_kernel_places {
    takt_dispatcher_t *dispatcher; /* to be initialised */
    takt_cpu_t *cpu;               /* the one processor */
    takt_plain_t *idle;            /* to be added last */
} takt_kernel_places_t;

/* Writes to `places` where to build a system; replaces takt_kernel_init. Returns ERROR_NULL or _STARTED. */
takt_status_t takt_kernel_borrow(takt_kernel_places_t *places);

/* Ends the building. takt_kernel_trace_to may follow, then takt_job_thread_attach for each task, then
 * takt_kernel_start. No other threads and servers can be created. Returns ERROR_STARTED. */
takt_status_t takt_kernel_adopt(void);

/* Makes `thread`, zeroed but for its entity, the thread of that entity's task. Priority and server are not read.
 * Returns ERROR_NULL, _STACK, _NOT_PERIODIC, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_job_thread_attach(takt_job_thread_t *thread, const takt_thread_parameters_t *parameters);

TAKT_C_END

#endif
