/* Threads: plain ones; those whose jobs the scheduler releases are in job.h.
 *
 * All memory is the caller's, zeroed before the first call and left alone afterwards; threads are
 * created before takt_kernel_start and never end. A thread that no server, trace, key or preemption
 * key concerns costs nothing of them: its attribute word is 0 and the inline layer switches it.
 *
 * When not to use a plain thread: for work that repeats at a rate. A periodic thread is released by
 * the scheduler, so its instants do not drift and its misses are told. */
#ifndef TAKT_KERNEL_THREAD_H
#define TAKT_KERNEL_THREAD_H

#include "core/server.h"
#include "kernel/geometry.h"
#include "kernel/port.h"

/* A thread's control block: 48 bytes on a 32-bit machine. Private but for `name`. */
typedef struct takt_thread {
    takt_entity_t entity; /* first: an entity that is no server is a thread */
    void *sp;             /* of its saved context, while it does not run */
    void *stack;          /* its lowest byte */
    const char *name;
    uint32_t stack_bytes;
} takt_thread_t;

_Static_assert(offsetof(takt_thread_t, entity) == 0, "an entity is its thread");
_Static_assert(offsetof(takt_thread_t, sp) == TAKT_PORT_SP_OFFSET, "the port finds the stack pointer");
_Static_assert(sizeof(void *) != 4 || sizeof(takt_thread_t) == 48,
               "a thread is 48 bytes on a 32-bit machine");

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
