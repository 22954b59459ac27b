/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queues: items in a ring of the program's memory, and two lists of waiting tasks. A semaphore is a queue of items of 0
 * bytes, a mutex one with a holder, a set one of the handles of its members. Private to compat/freertos. */
#ifndef TAKT_COMPAT_FREERTOS_QUEUES_H
#define TAKT_COMPAT_FREERTOS_QUEUES_H

#include "compat/freertos/program.h"

#include "compat/freertos/include/queue.h"

typedef struct QueueDefinition queue_t;

enum { OWNS_QUEUE = 1u << 0, IS_MUTEX = 1u << 1 };

struct QueueDefinition {
    waiters_t senders;
    waiters_t receivers;
    uint8_t *storage; /* NULL: items have 0 bytes */
    task_t *holder;   /* of a mutex; NULL: it is free, or was taken before the start */
#if configUSE_QUEUE_SETS != 0
    queue_t *set; /* that it is a member of; NULL: none */
#endif
    UBaseType_t length;
    UBaseType_t item_bytes;
    UBaseType_t count;
    UBaseType_t first; /* place of the oldest item; of a recursive mutex: how often it was taken besides */
#if configUSE_TRACE_FACILITY != 0
    UBaseType_t number; /* for recorders */
#endif
    uint8_t flags; /* OWNS_QUEUE, IS_MUTEX */
    uint8_t type;
};

/* Initialises `queue`, whose memory is cleared. */
void takt_freertos_queue_init(queue_t *queue, UBaseType_t length, UBaseType_t item_bytes, uint8_t *storage,
                              uint8_t type);

/* Appends an item, or puts it at `position`; the queue is not full, or overwrites. Closed. Returns the task to wake. */
task_t *takt_freertos_put(queue_t *queue, const void *item, BaseType_t position);

/* Copies the oldest item to `item`, and removes it. Closed. */
void takt_freertos_copy(const queue_t *queue, void *item);
void takt_freertos_remove(queue_t *queue);

/* The running task has taken the mutex `queue`, or waits for it, or waits no more, or gives it. Closed. Each returns the
 * task whose priority has changed, NULL: none. */
void takt_freertos_hold(queue_t *queue);
task_t *takt_freertos_lend(queue_t *queue);
task_t *takt_freertos_recall(queue_t *queue);
task_t *takt_freertos_release(queue_t *queue);

#endif
