/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queues by tasks; see queues.h. */
#include "compat/freertos/queues.h"

_Static_assert(sizeof(StaticQueue_t) >= sizeof(queue_t), "StaticQueue_t holds a queue");

/* ---- creation ---------------------------------------------------------------------------------------------- */

void takt_freertos_queue_init(queue_t *queue, UBaseType_t length, UBaseType_t item_bytes, uint8_t *storage,
                              uint8_t type) {
    *queue = (queue_t){.storage = storage, .length = length, .item_bytes = item_bytes, .type = type};
}

QueueHandle_t xQueueGenericCreateStatic(UBaseType_t length, UBaseType_t item_bytes, uint8_t *storage,
                                        StaticQueue_t *buffer, uint8_t type) {
    queue_t *queue = (queue_t *)(void *)buffer;
    ASSERT(buffer != NULL);
    ASSERT(length > 0);
    ASSERT((storage != NULL) == (item_bytes != 0));
    if (queue != NULL && length > 0) {
        takt_freertos_queue_init(queue, length, item_bytes, storage, type);
    }
    return length > 0 ? queue : NULL;
}

BaseType_t xQueueGenericReset(QueueHandle_t queue, BaseType_t is_new) {
    ASSERT(queue != NULL);
    const takt_port_level_t level = takt_port_lock();
    queue->count = 0;
    queue->first = 0;
    queue->holder = NULL;
    task_t *task = is_new == pdFALSE ? takt_freertos_first(&queue->senders) : NULL;
    takt_port_unlock(level);
    takt_freertos_wake(task, WOKEN);
    return pdPASS;
}

/* ---- items --------------------------------------------------------------------------------------------------- */

static uint8_t *place(const queue_t *queue, UBaseType_t offset) {
    UBaseType_t number = queue->first + offset;
    if (number >= queue->length) {
        number -= queue->length;
    }
    return queue->storage + number * queue->item_bytes;
}

static void store(queue_t *queue, const void *item, BaseType_t position) {
    UBaseType_t offset = queue->count;
    if (queue->item_bytes != 0) {
        if (position == queueSEND_TO_FRONT) {
            queue->first = (queue->first != 0 ? queue->first : queue->length) - 1;
            offset = 0;
        } else if (position == queueOVERWRITE && offset != 0) {
            offset--;
        }
        __builtin_memcpy(place(queue, offset), item, queue->item_bytes);
    }
    if (position != queueOVERWRITE || queue->count == 0) {
        queue->count++;
    }
}

/* A member of a set wakes those that wait for the set. What an overwritten item has announced stands there already. */
task_t *takt_freertos_put(queue_t *queue, const void *item, BaseType_t position) {
    const UBaseType_t count = queue->count;
    store(queue, item, position);
#if configUSE_QUEUE_SETS != 0
    queue_t *set = queue->set;
    if (set != NULL) {
        if (queue->count == count || set->count == set->length) {
            ASSERT(queue->count == count);
            return NULL;
        }
        store(set, &queue, queueSEND_TO_BACK);
        return takt_freertos_first(&set->receivers);
    }
#endif
    (void)count;
    return takt_freertos_first(&queue->receivers);
}

void takt_freertos_copy(const queue_t *queue, void *item) {
    if (queue->item_bytes != 0) {
        __builtin_memcpy(item, place(queue, 0), queue->item_bytes);
    }
}

void takt_freertos_remove(queue_t *queue) {
    queue->count--;
    if (queue->item_bytes != 0) {
        queue->first = queue->first + 1 != queue->length ? queue->first + 1 : 0;
    }
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t position) {
    ASSERT(queue != NULL);
    ASSERT(item != NULL || queue->item_bytes == 0);
    ASSERT(position != queueOVERWRITE || queue->length == 1);
    limit_t limit = {.ticks = ticks};
    for (;;) {
        const takt_port_level_t level = takt_port_lock();
        if (queue->count < queue->length || position == queueOVERWRITE) {
            task_t *changed = NULL;
#if configUSE_MUTEXES != 0
            changed = (queue->flags & IS_MUTEX) != 0 ? takt_freertos_release(queue) : NULL;
#endif
            task_t *task = takt_freertos_put(queue, item, position);
            takt_port_unlock(level);
            takt_freertos_wake(task, WOKEN);
            if (changed != NULL) {
                takt_freertos_set_priority(changed);
            }
            return pdPASS;
        }
        const bool waits = takt_freertos_join(&queue->senders, &limit);
        takt_port_unlock(level);
        if (!waits) {
            return errQUEUE_FULL;
        }
        takt_freertos_await(&limit);
    }
}

/* The task whose priority has changed because the running one waits, or waits no more. */
static task_t *change_priority(queue_t *queue, bool waits, bool is_begun) {
#if configUSE_MUTEXES != 0
    if ((queue->flags & IS_MUTEX) != 0) {
        return waits ? takt_freertos_lend(queue) : (is_begun ? takt_freertos_recall(queue) : NULL);
    }
#endif
    (void)queue;
    (void)waits;
    (void)is_begun;
    return NULL;
}

/* Takes the oldest item to `item` or, if `is_peek`, leaves it to the next receiver. */
static BaseType_t receive(queue_t *queue, void *item, TickType_t ticks, bool is_peek) {
    ASSERT(queue != NULL);
    ASSERT(item != NULL || queue->item_bytes == 0);
    limit_t limit = {.ticks = ticks};
    for (;;) {
        const takt_port_level_t level = takt_port_lock();
        if (queue->count != 0) {
            takt_freertos_copy(queue, item);
            if (!is_peek) {
                takt_freertos_remove(queue);
            }
#if configUSE_MUTEXES != 0
            if ((queue->flags & IS_MUTEX) != 0) {
                takt_freertos_hold(queue);
            }
#endif
            task_t *task = takt_freertos_first(is_peek ? &queue->receivers : &queue->senders);
            takt_port_unlock(level);
            takt_freertos_wake(task, WOKEN);
            return pdPASS;
        }
        const bool waits = takt_freertos_join(&queue->receivers, &limit);
        task_t *changed = change_priority(queue, waits, limit.is_begun);
        takt_port_unlock(level);
        if (changed != NULL) {
            takt_freertos_set_priority(changed);
        }
        if (!waits) {
            return errQUEUE_EMPTY;
        }
        takt_freertos_await(&limit);
    }
}

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks) {
    return receive(queue, item, ticks, false);
}

BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks) {
    return receive(queue, item, ticks, true);
}

BaseType_t xQueueSemaphoreTake(QueueHandle_t queue, TickType_t ticks) {
    return receive(queue, NULL, ticks, false);
}

/* ---- questions ------------------------------------------------------------------------------------------------ */

UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue) {
    ASSERT(queue != NULL);
    return *(volatile UBaseType_t *)&queue->count;
}

UBaseType_t uxQueueMessagesWaitingFromISR(QueueHandle_t queue) { return uxQueueMessagesWaiting(queue); }

UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue) {
    return queue->length - uxQueueMessagesWaiting(queue);
}

UBaseType_t uxQueueGetQueueLength(QueueHandle_t queue) { return queue->length; }

UBaseType_t uxQueueGetQueueItemSize(QueueHandle_t queue) { return queue->item_bytes; }

BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue) {
    return uxQueueMessagesWaiting(queue) == 0 ? pdTRUE : pdFALSE;
}

BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue) {
    return uxQueueMessagesWaiting(queue) == queue->length ? pdTRUE : pdFALSE;
}
