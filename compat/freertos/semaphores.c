/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semaphores and mutexes: queues of items of 0 bytes.
 *
 * Inheritance: the holder of a mutex has at least the priority of every task that has begun to wait for it, until it has
 * given all its mutexes. A wait that fails takes its part back, if the holder holds no other mutex. The holder's own wait
 * for another mutex hands nothing on. */
#include "compat/freertos/queues.h"

#include "compat/freertos/include/semphr.h"

/* ---- inheritance ------------------------------------------------------------------------------------------- */

#if configUSE_MUTEXES != 0

void takt_freertos_hold(queue_t *queue) {
    task_t *self = takt_freertos_running();
    queue->holder = self;
    if (self != NULL) {
        self->mutexes++;
    }
}

task_t *takt_freertos_lend(queue_t *queue) {
    task_t *holder = queue->holder;
    const uint8_t priority = takt_freertos_self()->priority;
    if (holder == NULL || holder->priority >= priority) {
        return NULL;
    }
    holder->priority = priority;
    return holder;
}

/* The highest priority of those that still wait, or the holder's own. */
task_t *takt_freertos_recall(queue_t *queue) {
    task_t *holder = queue->holder;
    if (holder == NULL || holder->mutexes != 1) {
        return NULL;
    }
    uint8_t priority = holder->base;
    const takt_instant_t now = takt_kernel_now();
    for (const task_t *task = queue->receivers.last; task != NULL; task = task->next_waiter) {
        priority = task->until > now && task->priority > priority ? task->priority : priority;
    }
    if (priority >= holder->priority) {
        return NULL;
    }
    holder->priority = priority;
    return holder;
}

task_t *takt_freertos_release(queue_t *queue) {
    task_t *holder = queue->holder;
    queue->holder = NULL;
    if (holder == NULL) {
        return NULL;
    }
    ASSERT(holder == takt_freertos_running());
    ASSERT(holder->mutexes != 0);
    if (--holder->mutexes != 0 || holder->priority == holder->base) {
        return NULL;
    }
    holder->priority = holder->base;
    return holder;
}

#endif

/* ---- creation, holders ------------------------------------------------------------------------------------------ */

QueueHandle_t xQueueCreateCountingSemaphoreStatic(UBaseType_t limit, UBaseType_t count,
                                                  StaticQueue_t *buffer) {
    ASSERT(limit != 0 && count <= limit);
    queue_t *queue = xQueueGenericCreateStatic(limit, 0, NULL, buffer, queueQUEUE_TYPE_COUNTING_SEMAPHORE);
    if (queue != NULL) {
        queue->count = count;
    }
    return queue;
}

#if configUSE_MUTEXES != 0

static QueueHandle_t as_mutex(queue_t *queue) {
    if (queue != NULL) {
        queue->flags |= IS_MUTEX;
        queue->count = 1;
    }
    return queue;
}

QueueHandle_t xQueueCreateMutexStatic(uint8_t type, StaticQueue_t *buffer) {
    return as_mutex(xQueueGenericCreateStatic(1, 0, NULL, buffer, type));
}

QueueHandle_t xQueueCreateMutex(uint8_t type) { return as_mutex(xQueueGenericCreate(1, 0, type)); }

TaskHandle_t xQueueGetMutexHolder(QueueHandle_t queue) {
    ASSERT(queue != NULL);
    return (queue->flags & IS_MUTEX) != 0 ? *(task_t *volatile *)&queue->holder : NULL;
}

TaskHandle_t xQueueGetMutexHolderFromISR(QueueHandle_t queue) { return xQueueGetMutexHolder(queue); }

/* ---- recursive mutexes ------------------------------------------------------------------------------------------- */

/* Only the holder reads and writes the number of its other takes. */
BaseType_t xQueueTakeMutexRecursive(QueueHandle_t queue, TickType_t ticks) {
    ASSERT(queue != NULL);
    task_t *self = takt_freertos_running();
    if (self != NULL && queue->holder == self) {
        queue->first++;
        return pdPASS;
    }
    return xQueueSemaphoreTake(queue, ticks);
}

BaseType_t xQueueGiveMutexRecursive(QueueHandle_t queue) {
    ASSERT(queue != NULL);
    if (queue->holder != takt_freertos_running()) {
        return pdFAIL;
    }
    if (queue->first != 0) {
        queue->first--;
        return pdPASS;
    }
    return xSemaphoreGive(queue);
}

#endif
