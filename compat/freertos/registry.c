/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Names of queues, for debuggers. */
#include "compat/freertos/queues.h"

#if configQUEUE_REGISTRY_SIZE > 0

typedef struct xQUEUE_REGISTRY_ITEM {
    const char *pcQueueName;
    QueueHandle_t xHandle;
} xQueueRegistryItem;

/* Debuggers know this name. */
xQueueRegistryItem xQueueRegistry[configQUEUE_REGISTRY_SIZE];

/* The entry of `queue`; NULL: a free one. NULL: there is none. */
static xQueueRegistryItem *find(QueueHandle_t queue) {
    for (UBaseType_t at = 0; at < configQUEUE_REGISTRY_SIZE; at++) {
        if (xQueueRegistry[at].xHandle == queue) {
            return &xQueueRegistry[at];
        }
    }
    return NULL;
}

void vQueueAddToRegistry(QueueHandle_t queue, const char *name) {
    ASSERT(queue != NULL);
    xQueueRegistryItem *item = find(queue);
    if (item == NULL) {
        item = find(NULL);
    }
    if (item != NULL && name != NULL) {
        *item = (xQueueRegistryItem){.pcQueueName = name, .xHandle = queue};
    }
}

void vQueueUnregisterQueue(QueueHandle_t queue) {
    ASSERT(queue != NULL);
    xQueueRegistryItem *item = find(queue);
    if (item != NULL) {
        *item = (xQueueRegistryItem){.xHandle = NULL};
    }
}

const char *pcQueueGetName(QueueHandle_t queue) {
    ASSERT(queue != NULL);
    const xQueueRegistryItem *item = find(queue);
    return item != NULL ? item->pcQueueName : NULL;
}

#else

void vQueueAddToRegistry(QueueHandle_t queue, const char *name) {
    (void)queue;
    (void)name;
}

void vQueueUnregisterQueue(QueueHandle_t queue) { (void)queue; }

const char *pcQueueGetName(QueueHandle_t queue) {
    (void)queue;
    return NULL;
}

#endif

#if configUSE_TRACE_FACILITY != 0

void vQueueSetQueueNumber(QueueHandle_t queue, UBaseType_t number) { queue->number = number; }
UBaseType_t uxQueueGetQueueNumber(QueueHandle_t queue) { return queue->number; }
uint8_t ucQueueGetQueueType(QueueHandle_t queue) { return queue->type; }

#endif
