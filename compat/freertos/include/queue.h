/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Queues and queue sets. */
#ifndef QUEUE_H
#define QUEUE_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before queue.h"
#endif

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct QueueDefinition *QueueHandle_t;
typedef struct QueueDefinition *QueueSetHandle_t;
typedef struct QueueDefinition *QueueSetMemberHandle_t;

#define queueSEND_TO_BACK ((BaseType_t)0)
#define queueSEND_TO_FRONT ((BaseType_t)1)
#define queueOVERWRITE ((BaseType_t)2)

#define queueQUEUE_TYPE_BASE ((uint8_t)0U)
#define queueQUEUE_TYPE_MUTEX ((uint8_t)1U)
#define queueQUEUE_TYPE_COUNTING_SEMAPHORE ((uint8_t)2U)
#define queueQUEUE_TYPE_BINARY_SEMAPHORE ((uint8_t)3U)
#define queueQUEUE_TYPE_RECURSIVE_MUTEX ((uint8_t)4U)
#define queueQUEUE_TYPE_SET ((uint8_t)5U)

/* ---- creation ------------------------------------------------------------------------------------------------------- */

QueueHandle_t xQueueGenericCreate(UBaseType_t length, UBaseType_t item_bytes, uint8_t type);
QueueHandle_t xQueueGenericCreateStatic(UBaseType_t length, UBaseType_t item_bytes, uint8_t *storage,
                                        StaticQueue_t *queue, uint8_t type);
BaseType_t xQueueGenericGetStaticBuffers(QueueHandle_t queue, uint8_t **storage, StaticQueue_t **buffer);
BaseType_t xQueueGenericReset(QueueHandle_t queue, BaseType_t is_new);
void vQueueDelete(QueueHandle_t queue);

#define xQueueCreate(length, item_bytes) xQueueGenericCreate((length), (item_bytes), (queueQUEUE_TYPE_BASE))
#define xQueueCreateStatic(length, item_bytes, storage, queue) \
    xQueueGenericCreateStatic((length), (item_bytes), (storage), (queue), (queueQUEUE_TYPE_BASE))
#define xQueueGetStaticBuffers(queue, storage, buffer) \
    xQueueGenericGetStaticBuffers((queue), (storage), (buffer))
#define xQueueReset(queue) xQueueGenericReset((queue), pdFALSE)

/* ---- by tasks -------------------------------------------------------------------------------------------------------- */

BaseType_t xQueueGenericSend(QueueHandle_t queue, const void *item, TickType_t ticks, BaseType_t position);
BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);
BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks);
UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue);
UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue);
UBaseType_t uxQueueGetQueueLength(QueueHandle_t queue);
UBaseType_t uxQueueGetQueueItemSize(QueueHandle_t queue);

#define xQueueSend(queue, item, ticks) xQueueGenericSend((queue), (item), (ticks), queueSEND_TO_BACK)
#define xQueueSendToBack(queue, item, ticks) xQueueGenericSend((queue), (item), (ticks), queueSEND_TO_BACK)
#define xQueueSendToFront(queue, item, ticks) xQueueGenericSend((queue), (item), (ticks), queueSEND_TO_FRONT)
#define xQueueOverwrite(queue, item) xQueueGenericSend((queue), (item), 0, queueOVERWRITE)

/* ---- by interrupts ---------------------------------------------------------------------------------------------------- */

BaseType_t xQueueGenericSendFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken,
                                    BaseType_t position);
BaseType_t xQueueGiveFromISR(QueueHandle_t queue, BaseType_t *woken);
BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken);
BaseType_t xQueuePeekFromISR(QueueHandle_t queue, void *item);
BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue);
BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue);
UBaseType_t uxQueueMessagesWaitingFromISR(QueueHandle_t queue);

#define xQueueSendFromISR(queue, item, woken) \
    xQueueGenericSendFromISR((queue), (item), (woken), queueSEND_TO_BACK)
#define xQueueSendToBackFromISR(queue, item, woken) \
    xQueueGenericSendFromISR((queue), (item), (woken), queueSEND_TO_BACK)
#define xQueueSendToFrontFromISR(queue, item, woken) \
    xQueueGenericSendFromISR((queue), (item), (woken), queueSEND_TO_FRONT)
#define xQueueOverwriteFromISR(queue, item, woken) \
    xQueueGenericSendFromISR((queue), (item), (woken), queueOVERWRITE)

/* ---- names for debuggers ------------------------------------------------------------------------------------------------ */

void vQueueAddToRegistry(QueueHandle_t queue, const char *name);
void vQueueUnregisterQueue(QueueHandle_t queue);
const char *pcQueueGetName(QueueHandle_t queue);

#if configUSE_TRACE_FACILITY != 0
void vQueueSetQueueNumber(QueueHandle_t queue, UBaseType_t number);
UBaseType_t uxQueueGetQueueNumber(QueueHandle_t queue);
uint8_t ucQueueGetQueueType(QueueHandle_t queue);
#endif

/* ---- sets ------------------------------------------------------------------------------------------------------------------ */

QueueSetHandle_t xQueueCreateSet(UBaseType_t length);
QueueSetHandle_t xQueueCreateSetStatic(UBaseType_t length, uint8_t *storage, StaticQueue_t *queue);
BaseType_t xQueueAddToSet(QueueSetMemberHandle_t member, QueueSetHandle_t set);
BaseType_t xQueueRemoveFromSet(QueueSetMemberHandle_t member, QueueSetHandle_t set);
QueueSetMemberHandle_t xQueueSelectFromSet(QueueSetHandle_t set, TickType_t ticks);
QueueSetMemberHandle_t xQueueSelectFromSetFromISR(QueueSetHandle_t set);

/* ---- what semphr.h is made of ------------------------------------------------------------------------------------------------ */

QueueHandle_t xQueueCreateMutex(uint8_t type);
QueueHandle_t xQueueCreateMutexStatic(uint8_t type, StaticQueue_t *queue);
QueueHandle_t xQueueCreateCountingSemaphore(UBaseType_t limit, UBaseType_t count);
QueueHandle_t xQueueCreateCountingSemaphoreStatic(UBaseType_t limit, UBaseType_t count, StaticQueue_t *queue);
BaseType_t xQueueSemaphoreTake(QueueHandle_t queue, TickType_t ticks);
BaseType_t xQueueTakeMutexRecursive(QueueHandle_t queue, TickType_t ticks);
BaseType_t xQueueGiveMutexRecursive(QueueHandle_t queue);
TaskHandle_t xQueueGetMutexHolder(QueueHandle_t queue);
TaskHandle_t xQueueGetMutexHolderFromISR(QueueHandle_t queue);

#if configENABLE_BACKWARD_COMPATIBILITY == 1
typedef QueueHandle_t xQueueHandle;
typedef QueueSetHandle_t xQueueSetHandle;
typedef QueueSetMemberHandle_t xQueueSetMemberHandle;
#endif

#ifdef __cplusplus
}
#endif

#endif
