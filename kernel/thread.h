/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads. Plain threads are here; threads whose jobs the scheduler releases are in job.h.
 *
 * All memory is the caller's, zeroed before the first call and not changed by it until the thread is deleted. A thread
 * that uses no server, trace, key or preemption key costs nothing for them: its attribute word is 0, and the inline
 * layer switches it.
 *
 *                create                 selected                wait, delay
 *   (deleted) -----------> ready <--------------------> running -----------> waiting
 *       ^                    ^  preempted, yields                                |
 *       |  delete: from any  +---------------- woken, timeout -------------------+
 *
 * A suspended thread is in none of these states until it is resumed. A waiting thread may be suspended too; it becomes
 * ready when both have ended.
 *
 * When not to use a plain thread: for periodic work. The scheduler releases a periodic thread, so its instants do not
 * drift and its misses are reported. */
#ifndef TAKT_KERNEL_THREAD_H
#define TAKT_KERNEL_THREAD_H

#include "core/plain.h"
#include "kernel/geometry.h"
#include "kernel/port.h"

TAKT_C_BEGIN

enum {
    TAKT_THREAD_EXISTS = 1u << 0,              /* created, and not deleted since */
    TAKT_THREAD_SUSPENDED = 1u << 1,           /* suspended: must not become ready */
    TAKT_THREAD_TIMED = 1u << 2,               /* waits with a timeout, see kernel/wait.h */
    TAKT_THREAD_AWAITS_NOTIFICATION = 1u << 3, /* waits for a notification */
    TAKT_THREAD_ORDERED = 1u << 4,             /* has a node, see kernel/order.h */
    TAKT_THREAD_SLICED = 1u << 5,              /* is a takt_sliced_thread_t, see kernel/slice.h */
    TAKT_THREAD_HAS_WORD = 1u << 7,            /* see kernel/local.h; set before the thread exists */
};

enum { TAKT_STACK_BYTES_MAX = (1 << 24) - 8 /* bytes of the largest stack */ };

/* A thread's control block: 64 bytes on a 32-bit machine. Private but for `name`. */
typedef struct takt_thread {
    takt_plain_t plain; /* first: an entity that is no server is a thread */
    void *sp;           /* stack pointer of its saved context, while it does not run */
    void *stack;        /* lowest byte of its stack */
    const char *name;   /* for users */
    void *wait;         /* object it waits for, see kernel/wait.h */
    uint32_t stack_bytes : 24;
    uint32_t flags : 8;    /* TAKT_THREAD_ */
    uint32_t notification; /* notified bits that it has not taken yet */
} takt_thread_t;

_Static_assert(offsetof(takt_thread_t, plain.entity) == 0, "an entity is its thread");
_Static_assert(offsetof(takt_thread_t, sp) == TAKT_PORT_SP_OFFSET, "the port finds the stack pointer");
_Static_assert(offsetof(takt_thread_t, stack) == TAKT_PORT_SP_OFFSET + sizeof(void *),
               "the port finds the guard");
_Static_assert(sizeof(void *) != 4 || sizeof(takt_thread_t) == 64,
               "a thread is 64 bytes on a 32-bit machine");

struct takt_thread_server;

/* Parameters of a thread. */
typedef struct takt_thread_parameters {
    const char *name;              /* for users, may be NULL */
    void (*entry)(void *argument); /* its code; the thread ends when this returns */
    void *argument;                /* passed to the entry function */
    void *stack;                   /* aligned to 8 bytes */
    uint32_t stack_bytes; /* TAKT_STACK_BYTES_MIN, see there, .. TAKT_STACK_BYTES_MAX, a multiple of 8 */
    uint32_t priority; /* 0 .. TAKT_PRIORITIES - 1, larger = more urgent; of jobs ignored where keys order */
    struct takt_thread_server *server; /* whose budget it uses, see kernel/server.h; NULL: under the root */
    bool is_suspended;                 /* of a plain thread: it begins when it is resumed */
    bool is_unpainted;                 /* creation is quicker, and takt_thread_stack_unused does not know */
} takt_thread_parameters_t;

/* The smallest stack holds every call of the kernel, by tools/stack_depth.py; a thread adds its own frames. In a program
 * whose threads are all plain, under fixed priorities and the root, without traces, slices and resources of jobs,
 * TAKT_STACK_BYTES_PLAIN is enough. Whatever would make that untrue later returns ERROR_STACK. */
enum {
    TAKT_KERNEL_STACK_BYTES = 640,       /* bytes of the deepest call of the kernel */
    TAKT_KERNEL_STACK_BYTES_PLAIN = 152, /* of the deepest one in such a program */
    TAKT_STACK_BYTES_MIN = TAKT_PORT_STACK_BYTES_MIN + TAKT_KERNEL_STACK_BYTES, /* of the smallest stack */
    TAKT_STACK_BYTES_PLAIN =
        TAKT_PORT_STACK_BYTES_MIN + TAKT_KERNEL_STACK_BYTES_PLAIN, /* of the smallest one in such a program */
};

/* Creates a thread, ready at once, or from takt_kernel_start on; with `is_suspended` ready when it is resumed. The
 * memory may be that of a deleted thread; `parameters` is copied. Call before the start, or from a thread, which the
 * new one may preempt. Returns ERROR_NULL, _STACK, _PRIORITY, _FULL, _EXISTS, _NOT_INITIALISED, _IN_ISR or _LOCKED. */
takt_status_t takt_thread_create(takt_thread_t *thread, const takt_thread_parameters_t *parameters);

/* Ends the plain thread `thread` in any state; its memory is the caller's again. If it is the running one, the call
 * does not return. Threads only. Returns ERROR_NULL, _OBJECT, _JOBS, _HOLDS if it holds a mutex, _IN_ISR, _LOCKED or
 * _NOT_STARTED. */
takt_status_t takt_thread_delete(takt_thread_t *thread);

/* Yields to threads of equal priority; if none is ready, the call just returns. Threads only. Returns ERROR_IN_ISR,
 * _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_yield(void);

/* Lets the equals of the interrupted thread go first, as if it yielded. No effect if it has none, or does not run any
 * more. Interrupts only. Returns ERROR_NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_thread_yield_from_isr(void);

/* Sets the priority of `thread`, 0 .. TAKT_PRIORITIES - 1, and appends it to that FIFO; a held mutex may raise it.
 * Under keys priorities order the plain threads without a deadline, which come after all others; jobs under keys or of
 * allocators have none. Threads only. Returns ERROR_NULL, _OBJECT, _PRIORITY, _KEY for such jobs, _IN_ISR, _LOCKED or
 * _NOT_STARTED. */
takt_status_t takt_thread_set_priority(takt_thread_t *thread, uint32_t priority);

/* Gives the plain thread `thread` the absolute deadline `deadline`, also while it is not ready; TAKT_NEVER: none, as at
 * first. It competes with jobs under a policy that orders by deadlines, at the root or in its server; of equal deadlines
 * jobs go first, and threads without one come after all that have one. Nothing checks whether the deadline is met.
 * Threads only, or before the start; the other for interrupts. Returns ERROR_NULL, _OBJECT, _JOBS, _DEADLINES if its
 * policy orders by none or it holds a mutex of npcs or icpp, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_thread_set_deadline(takt_thread_t *thread, takt_instant_t deadline);
takt_status_t takt_thread_set_deadline_from_isr(takt_thread_t *thread, takt_instant_t deadline);

/* Likewise `duration` ticks from now, or from the start. Returns as takt_thread_set_deadline. */
takt_status_t takt_thread_set_relative_deadline(takt_thread_t *thread, takt_duration_t duration);
takt_status_t takt_thread_set_relative_deadline_from_isr(takt_thread_t *thread, takt_duration_t duration);

/* Writes to `deadline` the absolute deadline of the plain thread `thread`; TAKT_NEVER: none. From anywhere that may call
 * the kernel. Returns ERROR_NULL, _OBJECT, _JOBS or _INTERRUPT. */
takt_status_t takt_thread_deadline(const takt_thread_t *thread, takt_instant_t *deadline);

/* Waits at least `duration` ticks; 0: as takt_thread_yield. Threads only. Returns ERROR_IN_ISR, _LOCKED, _NOT_STARTED,
 * or _WAITS for a job that the scheduler may end, see kernel/job.h. */
takt_status_t takt_thread_delay(takt_duration_t duration);

/* Waits until `instant`. Returns TIMEOUT at once if that is not in the future. For a loop with a period: add the period
 * to the instant, and the loop does not drift; TIMEOUT says that it is late. Threads only. Returns as
 * takt_thread_delay. */
takt_status_t takt_thread_delay_until(takt_instant_t instant);

/* Suspends the plain thread `thread`, perhaps the running one: it is not ready until it is resumed. Threads only.
 * A request for a mutex is withdrawn, and made again after the resumption, within its time. Returns ERROR_NULL,
 * _OBJECT, _JOBS, _SUSPENDED, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_suspend(takt_thread_t *thread);

/* Resumes a suspended thread. Threads only; the other for interrupts. Returns ERROR_NULL, _OBJECT, _NOT_SUSPENDED,
 * _IN_ISR, _LOCKED or _NOT_STARTED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_thread_resume(takt_thread_t *thread);
takt_status_t takt_thread_resume_from_isr(takt_thread_t *thread);

/* Ends the wait of `thread`: for an object, a mutex, a notification or time. Its call returns ABORTED, and has got
 * nothing; a suspended thread stays suspended. Threads only. Returns REJECTED, and changes nothing, if it waits for
 * nothing, or if its call is takt_semaphore_take, which has no end; ERROR_NULL, _OBJECT, _IN_ISR, _LOCKED or
 * _NOT_STARTED. */
takt_status_t takt_thread_abort_wait(takt_thread_t *thread);

/* Notifies `thread` of `bits`, kept until taken; it runs at once if it waits for them and is more urgent. Threads only;
 * the other for interrupts. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_thread_notify(takt_thread_t *thread, uint32_t bits);
takt_status_t takt_thread_notify_from_isr(takt_thread_t *thread, uint32_t bits);

/* Notifies each thread that `next` returns, of the bits that it writes, until it returns NULL; then the most urgent
 * thread runs, as if all were notified at once. `next` is called with the lock closed, which opens in between. Threads
 * only. Returns ERROR_NULL, _IN_ISR, _LOCKED or _NOT_STARTED. */
takt_status_t takt_thread_notify_each(takt_thread_t *(*next)(uint32_t *bits));

/* Moves the notified bits of the running thread to `bits`; waits if there are none. The others wait at most `duration`
 * ticks, or until `instant`, and return TIMEOUT and 0 in `bits` if there are none by then. Threads only. Returns ERROR_NULL, _IN_ISR,
 * _LOCKED, _NOT_STARTED, or _WAITS if a job that the scheduler may end would have to wait, see kernel/job.h. */
takt_status_t takt_notification_take(uint32_t *bits);
takt_status_t takt_notification_take_for(uint32_t *bits, takt_duration_t duration);
takt_status_t takt_notification_take_until(uint32_t *bits, takt_instant_t instant);

/* Number of stack bytes of `thread` that were never used, guard included; of a stack that was not painted, 8 or less.
 * Returns 0 if `thread` is NULL. */
uint32_t takt_thread_stack_unused(const takt_thread_t *thread);

TAKT_C_END

#endif
