/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads: plain ones; those whose jobs the scheduler releases are in job.h.
 *
 * All memory is the caller's, zeroed before the first call and left alone until the thread is deleted. A thread that no
 * server, trace, key or preemption key concerns costs nothing of them: its attribute word is 0 and the inline layer
 * switches it.
 *
 *                create                 chosen                  wait, delay
 *   (deleted) -----------> ready <--------------------> running -----------> waiting
 *       ^                    ^  displaced, yields                               |
 *       |  delete: from any  +---------------- woken, time is up ---------------+
 *
 * A suspended thread is none of these until it is resumed; while it waits, it may be suspended too, and then is ready
 * once both have ended.
 *
 * When not to use a plain thread: for work that repeats at a rate. A periodic thread is released by
 * the scheduler, so its instants do not drift and its misses are told. */
#ifndef TAKT_KERNEL_THREAD_H
#define TAKT_KERNEL_THREAD_H

#include "core/plain.h"
#include "kernel/geometry.h"
#include "kernel/port.h"

enum {
    TAKT_THREAD_EXISTS = 1u << 0,    /* it was created and not deleted since */
    TAKT_THREAD_SUSPENDED = 1u << 1, /* it is not to be ready */
    TAKT_THREAD_TIMED = 1u << 2,     /* it waits with an end, see kernel/wait.h */
    TAKT_THREAD_LISTENS = 1u << 3,   /* it waits for a notification */
};

enum { TAKT_STACK_BYTES_MAX = (1 << 24) - 8 /* of the largest stack */ };

/* A thread's control block: 64 bytes on a 32-bit machine. Private but for `name`. */
typedef struct takt_thread {
    takt_plain_t plain; /* first: an entity that is no server is a thread */
    void *sp;           /* of its saved context, while it does not run */
    void *stack;        /* its lowest byte */
    const char *name;   /* for people */
    void *wait;         /* what it waits in, see kernel/wait.h */
    uint32_t stack_bytes : 24;
    uint32_t flags : 8;    /* TAKT_THREAD_ */
    uint32_t notification; /* bits that it was notified of and has not taken */
} takt_thread_t;

_Static_assert(offsetof(takt_thread_t, plain.entity) == 0, "an entity is its thread");
_Static_assert(offsetof(takt_thread_t, sp) == TAKT_PORT_SP_OFFSET, "the port finds the stack pointer");
_Static_assert(offsetof(takt_thread_t, stack) == TAKT_PORT_SP_OFFSET + sizeof(void *),
               "the port finds the guard");
_Static_assert(sizeof(void *) != 4 || sizeof(takt_thread_t) == 64,
               "a thread is 64 bytes on a 32-bit machine");

struct takt_thread_server;

/* What a thread is made of. */
typedef struct takt_thread_parameters {
    const char *name;              /* for people, may be NULL */
    void (*entry)(void *argument); /* what it executes; when this returns, the thread ends */
    void *argument;                /* of the entry function */
    void *stack;                   /* aligned to 8 bytes */
    uint32_t stack_bytes;          /* TAKT_STACK_BYTES_MIN .. TAKT_STACK_BYTES_MAX, a multiple of 8 */
    uint32_t priority; /* 0 .. TAKT_PRIORITIES - 1, larger = more urgent; ignored where keys order */
    struct takt_thread_server *server; /* whose budget pays, see kernel/server.h; NULL: under the root */
} takt_thread_parameters_t;

enum {
    TAKT_KERNEL_STACK_BYTES = 640, /* of the deepest call of the kernel: tools/stack_depth.py */
    TAKT_STACK_BYTES_MIN = TAKT_PORT_STACK_BYTES_MIN + TAKT_KERNEL_STACK_BYTES, /* of the smallest stack */
};

/* Makes a thread that is ready at once, or from takt_kernel_start on; the memory may be that of a deleted thread.
 * `parameters` is not kept. Before the start, or by a thread, which may lose the processor to the new one. Returns
 * ERROR_NULL, _STACK, _PRIORITY, _FULL, _EXISTS, _NOT_INITIALISED, _IN_ISR or _LOCKED. */
takt_status_t takt_thread_create(takt_thread_t *thread, const takt_thread_parameters_t *parameters);

/* Ends `thread`, a plain one, whatever it is doing; its memory is the caller's again. If it is the running one, the call does
 * not return. Threads only. Returns ERROR_NULL, _OBJECT, _JOBS, _HOLDS if it holds a mutex, _IN_ISR, _LOCKED or
 * _NOT_STARTED. */
takt_status_t takt_thread_delete(takt_thread_t *thread);

/* Lets the equals of the running thread go first; without equals it just goes on. Threads only.
 * Returns ERROR_IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_yield(void);

/* From now on `thread` has `priority`, 0 .. TAKT_PRIORITIES - 1; what it holds may make it more urgent. Among its new equals it
 * is the last one. Where keys order, that of a plain thread is of no account; jobs there, and those of allocators, have none.
 * Threads only. Returns ERROR_NULL, _OBJECT, _PRIORITY, _KEY if it has such jobs, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_set_priority(takt_thread_t *thread, uint32_t priority);

/* Lets `duration` ticks pass, at least; none: as takt_thread_yield. Threads only. Returns ERROR_IN_ISR, _LOCKED,
 * _NOT_STARTED, or _WAITS for a job that may be ended, see kernel/job.h. */
takt_status_t takt_thread_delay(takt_duration_t duration);

/* Keeps `thread`, a plain one, from being ready until it is resumed; the running one may do so with itself. Threads only.
 * Returns ERROR_NULL, _OBJECT, _JOBS, _SUSPENDED, _HOLDS if it waits for a mutex, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_suspend(takt_thread_t *thread);

/* Takes that back. Threads only; the other for interrupts. Returns ERROR_NULL, _OBJECT, _NOT_SUSPENDED, _IN_ISR, _LOCKED or
 * _NOT_STARTED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_thread_resume(takt_thread_t *thread);
takt_status_t takt_thread_resume_from_isr(takt_thread_t *thread);

/* Notifies `thread` of `bits`, which it keeps until it takes them; it runs at once if it waits for that and is more urgent.
 * Threads only; the other for interrupts. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_thread_notify(takt_thread_t *thread, uint32_t bits);
takt_status_t takt_thread_notify_from_isr(takt_thread_t *thread, uint32_t bits);

/* Takes the bits that the running thread was notified of into `bits`, waits for some if there are none; the other waits
 * `duration` ticks at the longest, and returns TIMEOUT and 0 if there are none until then. Threads only. Returns ERROR_NULL,
 * _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if there are none for a job that may be ended, see kernel/job.h. */
takt_status_t takt_notification_take(uint32_t *bits);
takt_status_t takt_notification_take_for(uint32_t *bits, takt_duration_t duration);

/* How many bytes of the stack of `thread` were never used, those of a guard included. Returns 0 if `thread` is NULL. */
uint32_t takt_thread_stack_unused(const takt_thread_t *thread);

#endif
