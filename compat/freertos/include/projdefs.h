/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Results and conversions of FreeRTOS' interface. */
#ifndef PROJDEFS_H
#define PROJDEFS_H

/* The code of a task. */
typedef void (*TaskFunction_t)(void *argument);

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define pdFALSE_SIGNED pdFALSE
#define pdTRUE_SIGNED pdTRUE
#define pdFALSE_UNSIGNED ((UBaseType_t)0)
#define pdTRUE_UNSIGNED ((UBaseType_t)1)

#define pdPASS pdTRUE
#define pdFAIL pdFALSE
#define errQUEUE_EMPTY ((BaseType_t)0)
#define errQUEUE_FULL ((BaseType_t)0)

#define errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY (-1)
#define errQUEUE_BLOCKED (-4)
#define errQUEUE_YIELD (-5)

#define pdFREERTOS_ERRNO_NONE 0
#define pdLITTLE_ENDIAN 0
#define pdBIG_ENDIAN 1
#define pdFREERTOS_LITTLE_ENDIAN pdLITTLE_ENDIAN
#define pdFREERTOS_BIG_ENDIAN pdBIG_ENDIAN

#ifndef pdMS_TO_TICKS
#define pdMS_TO_TICKS(milliseconds) \
    ((TickType_t)(((uint64_t)(milliseconds) * (uint64_t)configTICK_RATE_HZ) / (uint64_t)1000U))
#endif
#ifndef pdTICKS_TO_MS
#define pdTICKS_TO_MS(ticks) \
    ((TickType_t)(((uint64_t)(ticks) * (uint64_t)1000U) / (uint64_t)configTICK_RATE_HZ))
#endif

#endif
