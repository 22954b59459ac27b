/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Waiters: where threads wait for units of something, first come first served.
 *
 * count > 0: so many units are there. count <= 0: -count threads wait. What every object of the kernel is made of; its
 * members are private, and the calls are in kernel/wait.h. Private to kernel/.
 *
 * Invariant: the queue holds exactly max(0, -count) threads. */
#ifndef TAKT_KERNEL_WAITERS_H
#define TAKT_KERNEL_WAITERS_H

#include "kernel/queue.h"

/* Twelve bytes on a 32-bit machine, and aligned to eight. */
typedef struct takt_waiters {
    takt_queue_t queue;
    int32_t count;
} takt_waiters_t;

TAKT_INLINE void takt_waiters_init(takt_waiters_t *waiters, int32_t count) {
    takt_queue_init(&waiters->queue);
    waiters->count = count;
}

/* Whether takt_waiters_init has been called on this memory, which was zeroed before. */
TAKT_INLINE bool takt_waiters_is_initialised(const takt_waiters_t *waiters) {
    return waiters->queue.next != NULL;
}

#endif
