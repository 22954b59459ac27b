/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* FreeRTOS' interface on Takt's kernel: types, configuration, and the sizes of static objects. The include path leads to
 * the program's FreeRTOSConfig.h.
 *
 * Source: the public reference of FreeRTOS 11. docs/reference/freertos.md maps each function to what carries it. */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#include <FreeRTOSConfig.h>

#include "projdefs.h"
#include "takt_freertos_config.h"
#include "portable.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- static objects: private memory of the size that the library needs ------------------------------------- */

#define TAKT_FREERTOS_WORDS(pointers, bytes) (((pointers) * sizeof(void *) + (bytes) + 7u) / 8u)

typedef struct xSTATIC_TCB {
    uint64_t ullDummy[TAKT_FREERTOS_WORDS(
        14 + configNUM_THREAD_LOCAL_STORAGE_POINTERS + (configUSE_APPLICATION_TASK_TAG),
        104 + 5 * configTASK_NOTIFICATION_ARRAY_ENTRIES + configMAX_TASK_NAME_LEN +
            (sizeof(void *) == 8 ? 32 : 0) + ((configGENERATE_RUN_TIME_STATS) ? 16 : 0))];
} StaticTask_t;

typedef struct xSTATIC_QUEUE {
    uint64_t ullDummy[TAKT_FREERTOS_WORDS(4 + ((configUSE_QUEUE_SETS) != 0),
                                          (4 + ((configUSE_TRACE_FACILITY) != 0)) * sizeof(UBaseType_t) + 8)];
} StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;

typedef struct xSTATIC_EVENT_GROUP {
    uint64_t ullDummy[TAKT_FREERTOS_WORDS(1, sizeof(TickType_t) + 2 * sizeof(UBaseType_t))];
} StaticEventGroup_t;

typedef struct xSTATIC_TIMER {
    uint64_t ullDummy[TAKT_FREERTOS_WORDS(4, 16 + 2 * sizeof(TickType_t) + sizeof(UBaseType_t))];
} StaticTimer_t;

typedef struct xSTATIC_STREAM_BUFFER {
    uint64_t ullDummy[TAKT_FREERTOS_WORDS(3 + 2 * ((configUSE_SB_COMPLETED_CALLBACK) != 0),
                                          4 * sizeof(size_t) + 8)];
} StaticStreamBuffer_t;
typedef StaticStreamBuffer_t StaticMessageBuffer_t;

#ifdef __cplusplus
}
#endif

#endif
