/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Waiters: threads that wait for units of something, in FIFO order.
 *
 * count > 0: number of units available. count <= 0: -count threads wait. Every object that threads wait for contains
 * one. Its members are private; the calls are in kernel/wait.h. Private to kernel/.
 *
 * Invariant: the queue holds exactly max(0, -count) threads. */
#ifndef TAKT_KERNEL_WAITERS_H
#define TAKT_KERNEL_WAITERS_H

#include "kernel/queue.h"

/* 12 bytes on a 32-bit machine, aligned to 8. */
typedef struct takt_waiters {
    takt_queue_t queue;
    int32_t count;
} takt_waiters_t;

TAKT_INLINE void takt_waiters_init(takt_waiters_t *waiters, int32_t count) {
    takt_queue_init(&waiters->queue);
    waiters->count = count;
}

/* True if takt_waiters_init has been called on this memory, which was zeroed before. */
TAKT_INLINE bool takt_waiters_is_initialised(const takt_waiters_t *waiters) {
    return waiters->queue.next != NULL;
}

#endif
