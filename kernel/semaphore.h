/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semaphore, counting or binary. A binary one is given by takt_semaphore_signal only.
 *
 * The most urgent waiting thread gets the next unit, equals in FIFO order (kernel/order.h); a take that waits is
 * O(log n) in the waiting threads. With _init_fifo all are equals: no thread starves, and take is O(1).
 *
 * When not to use it: for mutual exclusion between threads of different urgency. A semaphore has no owner, so it cannot
 * pass on priority. */
#ifndef TAKT_KERNEL_SEMAPHORE_H
#define TAKT_KERNEL_SEMAPHORE_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

TAKT_C_BEGIN

/* 16 bytes on a 32-bit machine. Private. */
typedef struct takt_semaphore {
    takt_waiters_t waiters;
} takt_semaphore_t;

/* Maximum number of units. */
#define TAKT_SEMAPHORE_MAX INT32_MAX

/* Initialises a semaphore with `count` units, 0 .. TAKT_SEMAPHORE_MAX. No thread may be waiting in it. Returns
 * ERROR_NULL or _COUNT. */
takt_status_t takt_semaphore_init(takt_semaphore_t *semaphore, int32_t count);

/* Likewise, but threads are served in FIFO order, regardless of urgency. */
takt_status_t takt_semaphore_init_fifo(takt_semaphore_t *semaphore, int32_t count);

/* Takes a unit; waits for one if there is none. Threads only. Returns ERROR_NULL, _OBJECT, _IN_ISR, _LOCKED,
 * _NOT_STARTED, or _WAITS if a job that the scheduler may end would have to wait, see kernel/job.h. */
takt_status_t takt_semaphore_take(takt_semaphore_t *semaphore);

/* Likewise, but waits at most `duration` ticks. Returns TIMEOUT if there was no unit by then. */
takt_status_t takt_semaphore_take_for(takt_semaphore_t *semaphore, takt_duration_t duration);

/* Takes a unit if there is one. From anywhere that may call the kernel. Returns TIMEOUT if there is none; ERROR_NULL,
 * _OBJECT or _INTERRUPT. */
takt_status_t takt_semaphore_try_take(takt_semaphore_t *semaphore);

/* Gives a unit; the first waiter, if there is one, takes it and runs at once if it is more urgent.
 * Threads only. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED, or _COUNT. */
takt_status_t takt_semaphore_give(takt_semaphore_t *semaphore);

/* The same for interrupts: a woken thread that is more urgent runs when the last interrupt has ended. Returns
 * ERROR_NULL, _OBJECT, _NOT_IN_ISR, _INTERRUPT or _COUNT. */
takt_status_t takt_semaphore_give_from_isr(takt_semaphore_t *semaphore);

/* Gives a unit unless there is one already, so that there is at most one. Returns as takt_semaphore_give, but never
 * ERROR_COUNT. */
takt_status_t takt_semaphore_signal(takt_semaphore_t *semaphore);
takt_status_t takt_semaphore_signal_from_isr(takt_semaphore_t *semaphore);

/* Number of units. From anywhere. Returns 0 if `semaphore` is NULL, or threads wait. */
uint32_t takt_semaphore_count(const takt_semaphore_t *semaphore);

TAKT_C_END

#endif
