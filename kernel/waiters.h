/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Waiters: threads that wait for units of something, by urgency or in FIFO order.
 *
 * count > 0: number of units available. count <= 0: -count threads wait. Every object that threads wait for contains
 * one. Its members are private; the calls are in kernel/wait.h. Private to kernel/.
 *
 * Invariant: the queue holds exactly max(0, -count) threads, the next one to be served first. */
#ifndef TAKT_KERNEL_WAITERS_H
#define TAKT_KERNEL_WAITERS_H

#include "kernel/queue.h"

struct takt_wait;

/* 16 bytes on a 32-bit machine, aligned to 8. */
typedef struct takt_waiters {
    takt_queue_t queue;
    int32_t count;
    union {                     /* see kernel/order.h */
        struct takt_wait *root; /* tree: its root; FIFO: points to this record */
        takt_entity_t *earlier; /* list: of the waiter without a record */
    };
} takt_waiters_t;

TAKT_INLINE struct takt_wait *takt_waiters_fifo(takt_waiters_t *waiters) {
    return (struct takt_wait *)(void *)waiters;
}

TAKT_INLINE bool takt_waiters_are_fifo(takt_waiters_t *waiters) {
    return waiters->root == takt_waiters_fifo(waiters);
}

/* Initialises FIFO waiters; takt_order_by_urgency changes that. */
TAKT_INLINE void takt_waiters_init(takt_waiters_t *waiters, int32_t count) {
    takt_queue_init(&waiters->queue);
    waiters->count = count;
    waiters->root = takt_waiters_fifo(waiters);
}

/* True if takt_waiters_init has been called on this memory, which was zeroed before. */
TAKT_INLINE bool takt_waiters_is_initialised(const takt_waiters_t *waiters) {
    return waiters->queue.next != NULL;
}

#endif
