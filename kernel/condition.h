/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Condition variable: threads wait until what a mutex protects has changed.
 *
 *     lock the mutex; while (not what is needed) { wait; } use it; unlock
 *
 * A wait unlocks the mutex and begins to wait in one step: no notification between the two is lost. It locks the mutex
 * again before it returns, however it ends. A notification without a waiting thread has no effect. A woken thread
 * competes for the mutex with others, which may change the state first (Lampson, Redell 1980), so the wait stands in a
 * loop. The most urgent waiting thread is woken first, equals in FIFO order; with _init_fifo all are equals.
 *
 * Source: Hoare 1974 for the idea, Lampson and Redell 1980 for its meaning here.
 * Invariant: the count of the waiters is never above 0.
 *
 * When not to use it: for one event of one thread, where a notification or a semaphore costs less. */
#ifndef TAKT_KERNEL_CONDITION_H
#define TAKT_KERNEL_CONDITION_H

#include "kernel/mutex.h"
#include "kernel/waiters.h"

TAKT_C_BEGIN

/* 16 bytes on a 32-bit machine. Private. */
typedef struct takt_condition {
    takt_waiters_t waiters;
} takt_condition_t;

/* Initialises a condition variable; no thread may be waiting for it. Returns ERROR_NULL. */
takt_status_t takt_condition_init(takt_condition_t *condition);

/* Likewise, but threads are woken in FIFO order, regardless of urgency. */
takt_status_t takt_condition_init_fifo(takt_condition_t *condition);

/* Unlocks `mutex`, which the running thread holds, waits for a notification of `condition`, and locks `mutex` again.
 * All threads that wait at one time wait with the same mutex. Plain threads only. Returns as takt_mutex_lock;
 * ERROR_RESOURCE also if the thread does not hold `mutex`; ABORTED if the wait was aborted, also while it locked the
 * mutex again, which it holds then; ERROR_DEADLINES, without the mutex, if it got a deadline meanwhile that the protocol
 * of the mutex refuses. */
takt_status_t takt_condition_wait(takt_condition_t *condition, takt_mutex_t *mutex);

/* Likewise, but waits at most `duration` ticks for the notification; the lock may take longer. With 0 it keeps the
 * mutex. Returns TIMEOUT if none came by then. */
takt_status_t takt_condition_wait_for(takt_condition_t *condition, takt_mutex_t *mutex,
                                      takt_duration_t duration);

/* Wakes one waiting thread, if there is one. With or without the mutex. Threads only; the other for interrupts. Returns
 * ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED, or _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_condition_notify_one(takt_condition_t *condition);
takt_status_t takt_condition_notify_one_from_isr(takt_condition_t *condition);

/* Wakes all threads that wait now, one at a time, with interrupts open in between; then the most urgent thread runs.
 * O(waiting threads). Returns as takt_condition_notify_one. */
takt_status_t takt_condition_notify_all(takt_condition_t *condition);
takt_status_t takt_condition_notify_all_from_isr(takt_condition_t *condition);

TAKT_C_END

#endif
