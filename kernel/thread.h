/* Threads: plain ones, and periodic ones whose jobs the scheduler releases.
 *
 * All memory is the caller's, zeroed before the first call and left alone afterwards; threads are
 * created before takt_kernel_start and never end. A thread that no server, trace, key or preemption
 * key concerns costs nothing of them: its attribute word is 0 and the inline layer switches it.
 *
 * When not to use a plain thread: for work that repeats at a rate. A periodic thread is released by
 * the scheduler, so its instants do not drift and its misses are told. */
#ifndef TAKT_KERNEL_THREAD_H
#define TAKT_KERNEL_THREAD_H

#include "core/plain.h"
#include "core/server.h"
#include "kernel/geometry.h"
#include "kernel/port.h"

/* A thread's control block: 56 bytes on a 32-bit machine. Private but for `name`. */
typedef struct takt_thread {
    takt_plain_t plain; /* first: an entity that is no server is a thread */
    void *sp;           /* of its saved context, while it does not run */
    void *stack;        /* its lowest byte */
    const char *name;
    uint32_t stack_bytes;
} takt_thread_t;

_Static_assert(offsetof(takt_thread_t, plain.entity) == 0, "an entity is its thread");
_Static_assert(offsetof(takt_thread_t, sp) == TAKT_PORT_SP_OFFSET, "the port finds the stack pointer");
_Static_assert(sizeof(void *) != 4 || sizeof(takt_thread_t) == 56,
               "a thread is 56 bytes on a 32-bit machine");

/* A server and the memory of its dispatcher. Private. */
typedef struct takt_thread_server {
    takt_server_t server;
    takt_entity_t *places[TAKT_KERNEL_HEAP_SLOTS];
    takt_timers_row_t rows[TAKT_KERNEL_ROWS];
} takt_thread_server_t;

typedef struct takt_thread_parameters {
    const char *name; /* for people, may be NULL */
    void (*entry)(void *argument);
    void *argument;
    void *stack;          /* aligned to 8 bytes */
    uint32_t stack_bytes; /* >= TAKT_STACK_BYTES_MIN */
    uint32_t priority;    /* 0 .. TAKT_PRIORITIES - 1, larger = more urgent; ignored where keys order */
    takt_thread_server_t *server; /* whose budget pays, NULL: under the root */
} takt_thread_parameters_t;

enum { TAKT_STACK_BYTES_MIN = TAKT_PORT_STACK_BYTES_MIN };

/* Makes a thread that is ready from takt_kernel_start on. Before the start only. `parameters` is not
 * kept. Returns ERROR_NULL, _STACK, _PRIORITY, _FULL, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_thread_create(takt_thread_t *thread, const takt_thread_parameters_t *parameters);

/* Lets the equals of the running thread go first; without equals it just goes on. Threads only.
 * Returns ERROR_IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_yield(void);

/* A periodic thread's control block: a thread and the task whose jobs it executes. Private. */
typedef struct takt_periodic_thread {
    takt_thread_t thread;
    takt_task_t task;
} takt_periodic_thread_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_periodic_thread_t) == 176, "176 bytes on a 32-bit machine");

typedef struct takt_periodic_parameters {
    takt_thread_parameters_t thread;
    takt_duration_t period;            /* ticks, >= 1 */
    takt_duration_t relative_deadline; /* ticks, >= 1 */
    takt_instant_t offset;             /* first release, ticks after the start */
    takt_duration_t wcet;              /* ticks; read by least laxity, 0 will do elsewhere */
    bool is_limited;                   /* a started job has a preemption key */
    takt_key_t preemption_key; /* 0: nobody displaces a started job; under fixed priorities only levels below
                                     this one; under keys see core/policy.h, start */
    takt_task_class_t task_class; /* who goes first among equals of a computed key */
} takt_periodic_parameters_t;

/* Makes a periodic thread: its entry function is first called when the first job is released, and does
 *
 *     for (;;) { the job; takt_wait_next_period(); }
 *
 * A job that is released before its predecessor has ended waits behind it. Returns as
 * takt_thread_create, and ERROR_PERIOD, _DEADLINE or _THRESHOLD. */
takt_status_t takt_periodic_thread_create(takt_periodic_thread_t *thread,
                                          const takt_periodic_parameters_t *parameters);

/* Ends the job of the running periodic thread and returns when its next one runs. Returns
 * TAKT_DEADLINE_MISSED if the job that ended was late, else TAKT_OK; ERROR_IN_ISR, _LOCKED,
 * _NOT_STARTED or _NOT_PERIODIC. */
takt_status_t takt_wait_next_period(void);

typedef struct takt_thread_server_parameters {
    const takt_server_kind_t *kind;
    const takt_policy_t *policy;    /* of the threads inside */
    takt_duration_t period;         /* ticks, >= 1 */
    takt_duration_t budget;         /* ticks, 1 .. period */
    takt_instant_t offset;          /* first replenishment; before it nobody inside runs */
    uint32_t priority;              /* under the root, as a thread's */
    takt_server_returns_t *returns; /* caller's memory, zeroed, for a kind that has returns; else NULL */
} takt_thread_server_parameters_t;

/* Makes a server under the root, before any thread. Returns ERROR_NULL, _PERIOD, _BUDGET, _PRIORITY,
 * _POLICY, _ORDER, _FULL, _STARTED or _NOT_INITIALISED. */
takt_status_t takt_thread_server_create(takt_thread_server_t *server,
                                        const takt_thread_server_parameters_t *parameters);

#endif
