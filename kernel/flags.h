/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Event flags: 32 bits that threads wait for, each with a mask of its own, for any or for all of it.
 *
 * A wait may clear the bits of its mask when it ends: they are taken, and whoever waits behind does not see them any more.
 * Threads are looked at first come first served, whatever their urgency; a wait that finds its bits set does not stand in
 * line.
 *
 * A set looks at one waiting thread at a time, with interrupts open in between, so that how long they are masked does not
 * depend on how many threads wait. What follows from that:
 *   - The bits are set at once, all together. A thread is woken if what it waits for holds when it is looked at. So flags that an
 *     interrupt clears in between, or that a thread before it takes, are not there for those who are looked at later; flags that an
 *     interrupt sets in between are.
 *   - A thread that sets flags is not displaced before all have been looked at; then the most urgent of all runs.
 *   - Wherever a wait ends otherwise in between (its time is up), nothing of it happens twice.
 *
 * Invariant: every waiting thread is in one of the two queues, and has waited longer if it is in that of those looked at.
 *
 * When not to use it: for what is to be counted, and for one thread alone, which a notification serves for less. */
#ifndef TAKT_KERNEL_FLAGS_H
#define TAKT_KERNEL_FLAGS_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

/* 32 bytes on a 32-bit machine. Private. */
typedef struct takt_flags {
    takt_waiters_t waiters; /* those that are still to be looked at; the count is of both queues */
    takt_queue_t seen;      /* those that were looked at since the last set */
    uint32_t bits;
} takt_flags_t;

/* How a wait ends, or-ed together. */
enum {
    TAKT_FLAGS_ANY = 0u,        /* when any bit of the mask is set */
    TAKT_FLAGS_ALL = 1u << 0,   /* when all bits of it are */
    TAKT_FLAGS_CLEAR = 1u << 1, /* and clears the bits of the mask */
};

/* Makes flags that are all clear. Nobody waits for them. Returns ERROR_NULL. */
takt_status_t takt_flags_init(takt_flags_t *flags);

/* Sets `bits` and wakes those who have waited for them; the most urgent runs at once if it is more urgent. O(waiting threads).
 * Threads only. Returns ERROR_NULL, _OBJECT, _IN_ISR or _LOCKED. */
takt_status_t takt_flags_set(takt_flags_t *flags, uint32_t bits);

/* The same for interrupts: threads run, if they are more urgent, when the last interrupt has ended. Returns ERROR_NULL, _OBJECT, _NOT_IN_ISR
 * or _INTERRUPT. */
takt_status_t takt_flags_set_from_isr(takt_flags_t *flags, uint32_t bits);

/* Clears `bits`; no thread wakes. From anywhere that may call the kernel. Returns ERROR_NULL, _OBJECT or
 * _INTERRUPT. */
takt_status_t takt_flags_clear(takt_flags_t *flags, uint32_t bits);

/* Waits for `mask` as `how` says; writes which bits of it were set when the wait ended to `bits`. Threads only. Returns
 * ERROR_NULL, _OBJECT, _MASK if `mask` is 0 or `how` is none of the above, _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if that
 * does not hold for a job that may be ended, see kernel/job.h. */
takt_status_t takt_flags_wait(takt_flags_t *flags, uint32_t mask, uint32_t how, uint32_t *bits);

/* Likewise, and waits `duration` ticks at the longest; 0: it looks and does not wait. Returns TIMEOUT, and 0 in `bits`, if what
 * is waited for did not hold until then. */
takt_status_t takt_flags_wait_for(takt_flags_t *flags, uint32_t mask, uint32_t how, uint32_t *bits,
                                  takt_duration_t duration);

/* Which bits are set. From anywhere. Returns 0 if `flags` is NULL. */
uint32_t takt_flags_get(const takt_flags_t *flags);

#endif
