/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semaphore, counting or binary: a binary one is given by takt_semaphore_signal only.
 *
 * Waiting threads get units first come first served, whatever their urgency, so that give and take are O(1) and nobody
 * starves in the queue.
 *
 * When not to use it: for mutual exclusion between threads of different urgency; it knows no owner
 * and so cannot pass urgency on. */
#ifndef TAKT_KERNEL_SEMAPHORE_H
#define TAKT_KERNEL_SEMAPHORE_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

/* Sixteen bytes on a 32-bit machine. Private. */
typedef struct takt_semaphore {
    takt_waiters_t waiters;
} takt_semaphore_t;

/* The most units that a semaphore has. */
#define TAKT_SEMAPHORE_MAX INT32_MAX

/* Makes a semaphore with `count` units, 0 .. TAKT_SEMAPHORE_MAX. Nobody waits in it. Returns ERROR_NULL or _COUNT. */
takt_status_t takt_semaphore_init(takt_semaphore_t *semaphore, int32_t count);

/* Takes a unit, waits for one if there is none. Threads only. Returns ERROR_NULL, _OBJECT, _IN_ISR, _LOCKED,
 * _NOT_STARTED, or _WAITS if there is none for a job that may be ended, see kernel/job.h. */
takt_status_t takt_semaphore_take(takt_semaphore_t *semaphore);

/* Likewise, and waits `duration` ticks at the longest. Returns TIMEOUT if there was none until then. */
takt_status_t takt_semaphore_take_for(takt_semaphore_t *semaphore, takt_duration_t duration);

/* Takes a unit if there is one. From anywhere that may call the kernel. Returns TIMEOUT if there is none; ERROR_NULL,
 * _OBJECT or _INTERRUPT. */
takt_status_t takt_semaphore_try_take(takt_semaphore_t *semaphore);

/* Gives a unit; the first waiter, if there is one, takes it and runs at once if it is more urgent.
 * Threads only. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED, or _COUNT. */
takt_status_t takt_semaphore_give(takt_semaphore_t *semaphore);

/* The same for interrupts: the waiter runs, if it is more urgent, when the last interrupt has ended.
 * Returns ERROR_NULL, _OBJECT, _NOT_IN_ISR, _INTERRUPT or _COUNT. */
takt_status_t takt_semaphore_give_from_isr(takt_semaphore_t *semaphore);

/* Gives a unit unless one is there already, so that there are never two. Returns as takt_semaphore_give,
 * but never ERROR_COUNT. */
takt_status_t takt_semaphore_signal(takt_semaphore_t *semaphore);
takt_status_t takt_semaphore_signal_from_isr(takt_semaphore_t *semaphore);

#endif
