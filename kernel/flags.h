/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Event flags: 32 bits that threads wait for. Each thread has its own mask, and waits for any or for all bits of it.
 *
 * A wait may clear the bits of its mask when it ends; threads further back in the queue then do not see them. Waiting
 * threads are checked from the most urgent one on, equals in FIFO order; with _init_fifo all are equals. A wait that
 * finds its bits set does not enter the queue.
 *
 * A set checks one waiting thread at a time and opens interrupts in between. So interrupt latency does not depend on
 * the number of waiting threads. The consequences:
 *   - All bits are set at once. A thread is woken if its condition holds when it is checked. Bits cleared in between,
 *     by an interrupt or by a thread that was checked earlier, are not seen by the threads checked later. Bits that an
 *     interrupt sets in between are seen.
 *   - A thread that sets flags is not preempted before all have been checked; then the most urgent thread runs.
 *   - If a wait ends otherwise in between (its timeout expires), it is not processed a second time.
 *
 * Invariant: every waiting thread is in one of the two queues. Threads in `seen` precede the others.
 *
 * When not to use it: for events that must be counted, or for one thread alone, where a notification costs less. */
#ifndef TAKT_KERNEL_FLAGS_H
#define TAKT_KERNEL_FLAGS_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

TAKT_C_BEGIN

/* 32 bytes on a 32-bit machine. Private. */
typedef struct takt_flags {
    takt_waiters_t waiters; /* threads still to be checked; the count is of both queues */
    takt_queue_t seen;      /* threads checked since the last set */
    uint32_t bits;
} takt_flags_t;

/* How a wait ends; values are or-ed. */
enum {
    TAKT_FLAGS_ANY = 0u,        /* when any bit of the mask is set */
    TAKT_FLAGS_ALL = 1u << 0,   /* when all bits of the mask are set */
    TAKT_FLAGS_CLEAR = 1u << 1, /* the end clears the bits of the mask */
};

/* Initialises flags, all clear; no thread may be waiting for them. Returns ERROR_NULL. */
takt_status_t takt_flags_init(takt_flags_t *flags);

/* Likewise, but threads are checked in FIFO order, regardless of urgency. */
takt_status_t takt_flags_init_fifo(takt_flags_t *flags);

/* Sets `bits` and wakes the threads whose condition holds. The most urgent one runs at once if it is more urgent than
 * the caller. O(waiting threads). Threads only. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED. */
takt_status_t takt_flags_set(takt_flags_t *flags, uint32_t bits);

/* The same for interrupts: woken threads that are more urgent run when the last interrupt has ended. Returns
 * ERROR_NULL, _OBJECT, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_flags_set_from_isr(takt_flags_t *flags, uint32_t bits);

/* Clears `bits`; no thread wakes. From anywhere that may call the kernel. Returns ERROR_NULL, _OBJECT or
 * _INTERRUPT. */
takt_status_t takt_flags_clear(takt_flags_t *flags, uint32_t bits);

/* Waits for `mask` as `how` says. Writes to `bits` which bits of the mask were set when the wait ended. Threads only.
 * Returns ERROR_NULL, _OBJECT, _MASK if `mask` is 0 or `how` is invalid, _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if a
 * job that the scheduler may end would have to wait, see kernel/job.h. */
takt_status_t takt_flags_wait(takt_flags_t *flags, uint32_t mask, uint32_t how, uint32_t *bits);

/* Likewise, but waits at most `duration` ticks; 0: only checks. Returns TIMEOUT, and 0 in `bits`, if the condition did
 * not hold by then. */
takt_status_t takt_flags_wait_for(takt_flags_t *flags, uint32_t mask, uint32_t how, uint32_t *bits,
                                  takt_duration_t duration);

/* The bits that are set. From anywhere. Returns 0 if `flags` is NULL. */
uint32_t takt_flags_get(const takt_flags_t *flags);

TAKT_C_END

#endif
