/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counting semaphores in memory of the heap. */
#include "compat/freertos/queues.h"

QueueHandle_t xQueueCreateCountingSemaphore(UBaseType_t limit, UBaseType_t count) {
    ASSERT(limit != 0 && count <= limit);
    queue_t *queue = xQueueGenericCreate(limit, 0, queueQUEUE_TYPE_COUNTING_SEMAPHORE);
    if (queue != NULL) {
        queue->count = count;
    }
    return queue;
}
