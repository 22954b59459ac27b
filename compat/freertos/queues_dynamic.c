/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queues in memory of the heap, and the end of queues. */
#include "compat/freertos/queues.h"

QueueHandle_t xQueueGenericCreate(UBaseType_t length, UBaseType_t item_bytes, uint8_t type) {
    ASSERT(length > 0);
    if (length == 0 || (item_bytes != 0 && (SIZE_MAX - sizeof(queue_t)) / item_bytes < length)) {
        return NULL;
    }
    queue_t *queue = pvPortMalloc(sizeof(queue_t) + (size_t)(length * item_bytes));
    if (queue != NULL) {
        uint8_t *storage = item_bytes != 0 ? (uint8_t *)(queue + 1) : NULL;
        takt_freertos_queue_init(queue, length, item_bytes, storage, type);
        queue->flags |= OWNS_QUEUE;
    }
    return queue;
}

void vQueueDelete(QueueHandle_t queue) {
    ASSERT(queue != NULL);
    vQueueUnregisterQueue(queue);
    if ((queue->flags & OWNS_QUEUE) != 0) {
        vPortFree(queue);
    }
}

BaseType_t xQueueGenericGetStaticBuffers(QueueHandle_t queue, uint8_t **storage, StaticQueue_t **buffer) {
    ASSERT(queue != NULL && buffer != NULL);
    if ((queue->flags & OWNS_QUEUE) != 0) {
        return pdFALSE;
    }
    if (storage != NULL) {
        *storage = queue->storage;
    }
    *buffer = (StaticQueue_t *)(void *)queue;
    return pdTRUE;
}
