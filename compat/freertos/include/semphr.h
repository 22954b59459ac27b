/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Semaphores and mutexes: queues without items. */
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before semphr.h"
#endif

#include "queue.h"

typedef QueueHandle_t SemaphoreHandle_t;

#define semBINARY_SEMAPHORE_QUEUE_LENGTH ((uint8_t)1U)
#define semSEMAPHORE_QUEUE_ITEM_LENGTH ((uint8_t)0U)
#define semGIVE_BLOCK_TIME ((TickType_t)0U)

/* The old form of creation: given at first. */
#define vSemaphoreCreateBinary(semaphore)       \
    do {                                        \
        (semaphore) = xSemaphoreCreateBinary(); \
        if ((semaphore) != NULL) {              \
            (void)xSemaphoreGive(semaphore);    \
        }                                       \
    } while (0)

#define xSemaphoreCreateBinary() xQueueGenericCreate(1, 0, queueQUEUE_TYPE_BINARY_SEMAPHORE)
#define xSemaphoreCreateBinaryStatic(buffer) \
    xQueueGenericCreateStatic(1, 0, NULL, (buffer), queueQUEUE_TYPE_BINARY_SEMAPHORE)
#define xSemaphoreCreateCounting(limit, count) xQueueCreateCountingSemaphore((limit), (count))
#define xSemaphoreCreateCountingStatic(limit, count, buffer) \
    xQueueCreateCountingSemaphoreStatic((limit), (count), (buffer))
#define xSemaphoreCreateMutex() xQueueCreateMutex(queueQUEUE_TYPE_MUTEX)
#define xSemaphoreCreateMutexStatic(buffer) xQueueCreateMutexStatic(queueQUEUE_TYPE_MUTEX, (buffer))
#define xSemaphoreCreateRecursiveMutex() xQueueCreateMutex(queueQUEUE_TYPE_RECURSIVE_MUTEX)
#define xSemaphoreCreateRecursiveMutexStatic(buffer) \
    xQueueCreateMutexStatic(queueQUEUE_TYPE_RECURSIVE_MUTEX, (buffer))
#define vSemaphoreDelete(semaphore) vQueueDelete(semaphore)
#define xSemaphoreGetStaticBuffer(semaphore, buffer) \
    xQueueGenericGetStaticBuffers((semaphore), NULL, (buffer))

#define xSemaphoreTake(semaphore, ticks) xQueueSemaphoreTake((semaphore), (ticks))
#define xSemaphoreTakeRecursive(mutex, ticks) xQueueTakeMutexRecursive((mutex), (ticks))
#define xSemaphoreGive(semaphore) xQueueGenericSend((semaphore), NULL, semGIVE_BLOCK_TIME, queueSEND_TO_BACK)
#define xSemaphoreGiveRecursive(mutex) xQueueGiveMutexRecursive(mutex)
#define xSemaphoreGiveFromISR(semaphore, woken) xQueueGiveFromISR((semaphore), (woken))
#define xSemaphoreTakeFromISR(semaphore, woken) xQueueReceiveFromISR((semaphore), NULL, (woken))
#define xSemaphoreGetMutexHolder(mutex) xQueueGetMutexHolder(mutex)
#define xSemaphoreGetMutexHolderFromISR(mutex) xQueueGetMutexHolderFromISR(mutex)
#define uxSemaphoreGetCount(semaphore) uxQueueMessagesWaiting(semaphore)
#define uxSemaphoreGetCountFromISR(semaphore) uxQueueMessagesWaitingFromISR(semaphore)

#if configENABLE_BACKWARD_COMPATIBILITY == 1
typedef SemaphoreHandle_t xSemaphoreHandle;
#endif

#endif
