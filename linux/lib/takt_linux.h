/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* libtakt: threads of a Linux process that execute the jobs of a task. Takt's core decides in the kernel.
 *
 *     takt_linux_join(&transport, &(takt_linux_parameters_t){.name = "control"});
 *     while (takt_linux_wait() >= 0) {
 *         the job
 *     }
 *     takt_linux_leave();
 *
 * From its first wait on the thread is in the class SCHED_EXT, and runs only while its job is selected. Each call is about the thread that makes it, which has joined as one entity. A status below 0 is an error: nothing
 * was done. For C11 and C++. The library needs libc only and allocates nothing.
 *
 * When not to use it: for threads that need no jobs; SCHED_FIFO does without a scheduler of its own. */
#ifndef TAKT_LINUX_H
#define TAKT_LINUX_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, message) */
#define TAKT_LINUX_STATUSES(X)                                                                               \
    X(OK, 0, "done")                                                                                         \
    X(MISSED, 1, "the job that has just ended was later than its deadline")                                  \
    X(OVERRUN, 2, "the next job was released before the job that has just ended")                            \
    X(ABORTED, 3, "the scheduler has ended the job, and has freed its resources; wait for the next job")     \
    X(NOT_IN_MEMORY, 4,                                                                                      \
      "joined, but memory is not locked: raise RLIMIT_MEMLOCK or grant CAP_IPC_LOCK, or expect page faults") \
    X(ERROR_NULL, -1, "a pointer is NULL that must not be")                                                  \
    X(ERROR_JOINED, -2, "the thread has joined already")                                                     \
    X(ERROR_NOT_JOINED, -3, "the thread has not joined; call takt_linux_join")                               \
    X(ERROR_NAME, -4, "the scheduler has no entity of this name or number")                                  \
    X(ERROR_TAKEN, -5, "another thread has joined as this entity")                                           \
    X(ERROR_CLASS, -6,                                                                                       \
      "the kernel refuses SCHED_EXT: Linux 6.12 with CONFIG_SCHED_CLASS_EXT is needed, or the privilege")    \
    X(ERROR_PROCESSOR, -7, "the thread cannot be bound to the processor of its entity")                      \
    X(ERROR_DETACHED, -8, "no scheduler answers the thread: it ended, or the thread changed its class")      \
    X(ERROR_DISMISSED, -9, "the thread was dismissed; call takt_linux_leave")                                \
    X(ERROR_NO_JOB, -10, "the call needs a job, and the thread has none; call takt_linux_wait")              \
    X(ERROR_REFUSED, -11,                                                                                    \
      "the scheduler refuses the event: the state of the job or its task does not allow it")                 \
    X(ERROR_RESOURCE, -12,                                                                                   \
      "the scheduler refuses the resource: it does not exist, or the job may not lock or unlock it")         \
    X(ERROR_SOCKET, -13,                                                                                     \
      "taktd cannot be reached: it does not run, or its socket is not of a group of the user")               \
    X(ERROR_VERSION, -14, "taktd and libtakt are of different versions")                                     \
    X(ERROR_FOREIGN, -15,                                                                                    \
      "taktd does not find the thread in the process: it is in another namespace of process ids")            \
    X(ERROR_NOT_BEGUN, -16, "the scheduler does not know its instant 0 yet")                                 \
    X(ERROR_REJECTED, -17, "the allocator has no rate for these parameters; those before stay in force")     \
    X(ERROR_DEMAND, -18, "the parameters are out of range for the class of the task")                        \
    X(ERROR_REQUESTS, -19, "the requests are used up for which the scheduler was loaded")                    \
    X(ERROR_ALLOCATOR, -20, "the task set has no allocator that negotiates; its policy must be rate-based")

#define TAKT_LINUX_ENUM(name, value, message) TAKT_LINUX_##name = (value),
typedef enum takt_linux_status { TAKT_LINUX_STATUSES(TAKT_LINUX_ENUM) } takt_linux_status_t;
#undef TAKT_LINUX_ENUM

/* The message of `status`, for users. Never NULL. */
const char *takt_linux_message(takt_linux_status_t status);

/* ---- to join ---------------------------------------------------------------------------------------- */

struct takt_linux_slot; /* linux/slot.h */

/* What the scheduler side gives a thread that joins. */
typedef struct takt_linux_binding {
    struct takt_linux_slot *slot; /* shared with the scheduler */
    int32_t cpu;                  /* the thread is bound to it; -1: to none */
    int32_t connection;           /* the transport's own */
} takt_linux_binding_t;

typedef struct takt_linux_parameters {
    const char *name;     /* of the entity; NULL: see `entity` */
    uint32_t entity;      /* its number, if there is no name */
    uint32_t stack_bytes; /* of the stack that are touched before the first job; 0: 64 KiB */
} takt_linux_parameters_t;

/* The way to the scheduler side. */
typedef struct takt_linux_transport {
    void *context;
    /* Reserves an entity for `thread`, a thread id, and writes `binding`. Returns OK, ERROR_NAME, _TAKEN or another one. */
    takt_linux_status_t (*join)(void *context, const takt_linux_parameters_t *parameters, int32_t thread,
                                takt_linux_binding_t *binding);
    /* The scheduler is to decide when `thread` runs from now on. Returns OK, ERROR_DETACHED, or ERROR_NOT_BEGUN: then it is
     * asked again 10 ms later. */
    takt_linux_status_t (*enter)(void *context, const takt_linux_binding_t *binding, int32_t thread);
    /* Ends both. */
    void (*leave)(void *context, const takt_linux_binding_t *binding, int32_t thread);
} takt_linux_transport_t;

/* Makes the thread execute the jobs of an entity. Locks the memory of the process, touches the stack, binds the thread to
 * its processor, and sets the slack of its timers to 1 ns. The transport must outlive the thread. Memory locking makes
 * stacks of later threads resident: give these a size. Until its first wait the thread keeps its class. Returns OK,
 * NOT_IN_MEMORY, ERROR_NULL, _JOINED, _NAME, _TAKEN or _PROCESSOR; with taktd also ERROR_SOCKET, _VERSION, _FOREIGN or
 * _DETACHED. */
takt_linux_status_t takt_linux_join(const takt_linux_transport_t *transport,
                                    const takt_linux_parameters_t *parameters);

/* Returns the thread to the fair class. Returns OK or ERROR_NOT_JOINED. */
takt_linux_status_t takt_linux_leave(void);

typedef struct takt_linux_thread takt_linux_thread_t;

/* The calling thread, for takt_linux_dismiss; NULL if it has not joined. */
takt_linux_thread_t *takt_linux_self(void);

/* Makes `thread`, any that has joined and exists, return ERROR_DISMISSED from its calls, in the fair class. A thread
 * that sleeps returns at its next release, or as soon as a signal handler interrupts its sleep. */
void takt_linux_dismiss(takt_linux_thread_t *thread);

/* ---- jobs ------------------------------------------------------------------------------------------- */

/* Ends the current job, if there is one. Returns when the next job of the entity runs: released by its period or by an
 * input of the scheduler. Returns what became of the job that ended: OK, MISSED, OVERRUN or ABORTED; ERROR_NOT_JOINED,
 * _DETACHED, _DISMISSED or _REFUSED; the first call also ERROR_CLASS. */
takt_linux_status_t takt_linux_wait(void);

/* The same for an event-driven job: `call(argument)` waits for the event in any way, as in read() or poll(). What wakes
 * the thread is the arrival of the job; an event that is there already is one too. Each job has one call. The first call
 * is made before the thread enters SCHED_EXT. */
takt_linux_status_t takt_linux_wait_in(void (*call)(void *argument), void *argument);

typedef struct takt_linux_job {
    uint64_t release_ns;      /* CLOCK_MONOTONIC, as all instants */
    uint64_t deadline_ns;     /* 0: none */
    uint64_t next_release_ns; /* 0: not known: the entity is not periodic */
    uint32_t number;          /* from 0; jobs that never ran count too */
    uint32_t waiting;         /* jobs behind it */
    uint32_t change; /* one more than the number of the change whose parameters it has; 0: the task's own */
    bool is_missed;  /* its deadline has passed */
    bool is_aborted; /* the scheduler has ended it */
} takt_linux_job_t;

/* Writes the state of the current job. Returns OK, ERROR_NULL, _NOT_JOINED or _NO_JOB. */
takt_linux_status_t takt_linux_job(takt_linux_job_t *job);

/* True if the scheduler has ended the current job: what it executes is charged to the next one. Two loads. */
bool takt_linux_is_aborted(void);

/* Jobs of the thread since it joined. */
typedef struct takt_linux_counts {
    uint32_t completed;
    uint32_t missed;   /* of the completed ones */
    uint32_t overruns; /* of the completed ones, in time: the next job was released before */
    uint32_t aborted;  /* by the scheduler, after they had begun here */
    uint32_t lost;     /* dropped or aborted before they began here */
} takt_linux_counts_t;

/* Writes the counts. Returns OK, ERROR_NULL or _NOT_JOINED. */
takt_linux_status_t takt_linux_counts(takt_linux_counts_t *counts);

/* ---- what a job does -------------------------------------------------------------------------------- */

/* These return OK; ABORTED; ERROR_NOT_JOINED, _NO_JOB, _DETACHED, _DISMISSED or _REFUSED. */

/* The flag of the thread that runs; 0 for one that has not joined. Changes when the thread joins or leaves. */
extern __thread const volatile uint32_t *takt_linux_flag __attribute__((tls_model("initial-exec")));

/* Whether a more urgent entity waits for the next point of this non-preemptive job: the flag of Bergsma et al. 2009.
 * No system call. Loads: the flag; before it, where it is, if the caller has not got that in a register yet. */
static inline bool takt_linux_should_yield(void) { return *takt_linux_flag != 0; }

/* For takt_linux_point. */
takt_linux_status_t takt_linux_meet_point(void);

/* A preemption point: a non-preemptive job yields to more urgent ones. If none waits: no system call, and loads as above. */
static inline takt_linux_status_t takt_linux_point(void) {
    return takt_linux_should_yield() ? takt_linux_meet_point() : TAKT_LINUX_OK;
}

/* The same for a caller that keeps `flag`, which is takt_linux_flag: one load if none waits. */
static inline takt_linux_status_t takt_linux_point_by(const volatile uint32_t *flag) {
    return *flag != 0 ? takt_linux_meet_point() : TAKT_LINUX_OK;
}

/* An optional point: the job may free what it holds, and then call takt_linux_point. Returns whether it should. */
static inline bool takt_linux_optional_point(void) { return takt_linux_should_yield(); }

/* Moves the job behind its equals. */
takt_linux_status_t takt_linux_yield(void);

/* Suspends the job until the instant `until_ns`. */
takt_linux_status_t takt_linux_suspend_until(uint64_t until_ns);

/* Locks resource number `resource` of the domain; returns when the job holds it. Also returns ERROR_RESOURCE. The end
 * of a job unlocks. */
takt_linux_status_t takt_linux_lock(uint32_t resource);

/* Unlocks resource number `resource`, the last one that the job locked. Also returns ERROR_RESOURCE. */
takt_linux_status_t takt_linux_unlock(uint32_t resource);

/* ---- negotiation ------------------------------------------------------------------------------------- */

/* Parameters that a task requests. The scheduler rounds execution up, and time down, to its ticks. */
typedef struct takt_linux_demand {
    uint64_t period_ns; /* from 1 tick; of a soft task the period that it requests */
    /* Relative, at most the period if the task is hard, else the period; 0: the period. */
    uint64_t deadline_ns;
    uint64_t wcet_ns; /* from 1 tick up to the deadline; not read for best-effort tasks */
    uint32_t weight;  /* 1 .. 65535; read for best-effort tasks only */
} takt_linux_demand_t;

/* Requests other parameters for the task of the current job: the negotiation of Springer and Zhao 2024. Returns OK if
 * the allocator admits them: they are in force from a later job on, as soon as the task has the rate for them, and replace
 * a request that is not in force yet. takt_linux_job says of each job with which change it runs. Also returns ERROR_NULL,
 * _REJECTED, _DEMAND, _REQUESTS, _ALLOCATOR. */
takt_linux_status_t takt_linux_negotiate(const takt_linux_demand_t *demand);

#define TAKT_LINUX_RATE_WHOLE 18018000u /* one processor */

/* Writes the rate of the task in force, as of the last decision for it, in 1 / TAKT_LINUX_RATE_WHOLE; 0: it has none.
 * Returns OK, ERROR_NULL or _NOT_JOINED. */
takt_linux_status_t takt_linux_rate(uint32_t *rate);

/* ---- a transport within the process -------------------------------------------------------------------- */

/* An entity that a thread may join as. */
typedef struct takt_linux_place {
    const char *name; /* NULL: by number only */
    uint32_t entity;
    int32_t cpu; /* -1: any */
    struct takt_linux_slot *slot;
    int32_t thread; /* that has joined; 0: none */
} takt_linux_place_t;

typedef struct takt_linux_table {
    takt_linux_place_t *places; /* caller's memory */
    uint32_t count;
    void *context;
    /* Tells the scheduler that `thread` executes the jobs of `place` from now on, or that it has left. Returns whether
     * there is a scheduler. */
    bool (*bind)(void *context, const takt_linux_place_t *place, int32_t thread, bool is_bound);
} takt_linux_table_t;

/* The transport to a scheduler that this process has loaded itself. */
takt_linux_transport_t takt_linux_table(takt_linux_table_t *table);

/* ---- a transport to taktd ------------------------------------------------------------------------------ */

/* The transport to the taktd whose socket is `path`, which must outlive the threads; NULL: /run/takt/taktd.sock. Each thread
 * has a connection, which is a file descriptor of the process. A thread whose process ends has left. */
takt_linux_transport_t takt_linux_socket(const char *path);

#ifdef __cplusplus
}
#endif

#endif
