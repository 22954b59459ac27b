/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queues by interrupts. */
#include "compat/freertos/queues.h"

BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken,
                                    BaseType_t position) {
    ASSERT(queue != NULL);
    ASSERT(item != NULL || queue->item_bytes == 0);
    ASSERT(position != queueOVERWRITE || queue->length == 1);
    const takt_port_level_t level = takt_port_lock();
    const bool is_sent = queue->count < queue->length || position == queueOVERWRITE;
    task_t *task = is_sent ? takt_freertos_put(queue, item, position) : NULL;
    takt_port_unlock(level);
    takt_freertos_wake_from_isr(task, woken);
    return is_sent ? pdPASS : errQUEUE_FULL;
}

/* An interrupt holds no mutex, and inherits nothing. */
BaseType_t xQueueGiveFromISR(QueueHandle_t queue, BaseType_t *woken) {
    ASSERT(queue != NULL);
    ASSERT(queue->item_bytes == 0);
    ASSERT((queue->flags & IS_MUTEX) == 0 || queue->holder == NULL);
    return xQueueGenericSendFromISR(queue, NULL, woken, queueSEND_TO_BACK);
}

BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken) {
    ASSERT(queue != NULL);
    ASSERT(item != NULL || queue->item_bytes == 0);
    task_t *task = NULL;
    const takt_port_level_t level = takt_port_lock();
    const bool is_received = queue->count != 0;
    if (is_received) {
        takt_freertos_copy(queue, item);
        takt_freertos_remove(queue);
        task = takt_freertos_first(&queue->senders);
    }
    takt_port_unlock(level);
    takt_freertos_wake_from_isr(task, woken);
    return is_received ? pdPASS : pdFAIL;
}

BaseType_t xQueuePeekFromISR(QueueHandle_t queue, void *item) {
    ASSERT(queue != NULL);
    ASSERT(queue->item_bytes != 0);
    const takt_port_level_t level = takt_port_lock();
    const bool is_there = queue->count != 0;
    if (is_there) {
        takt_freertos_copy(queue, item);
    }
    takt_port_unlock(level);
    return is_there ? pdPASS : pdFAIL;
}
