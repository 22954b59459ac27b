/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* As a program brings it along: what is not here has FreeRTOS' defaults. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 0
#define configUSE_TICK_HOOK 0
#define configUSE_IDLE_HOOK 0
#define configTICK_RATE_HZ 1000
#define configMAX_PRIORITIES 5
#define configMINIMAL_STACK_SIZE 160
#define configMAX_TASK_NAME_LEN 12
#define configTOTAL_HEAP_SIZE (24 * 1024)
#define configUSE_MUTEXES 1
#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY (configMAX_PRIORITIES - 1)
#define configTIMER_QUEUE_LENGTH 5
#define configTIMER_TASK_STACK_DEPTH 192

#define configASSERT(holds) \
    do {                    \
        if (!(holds)) {     \
            for (;;) {      \
            }               \
        }                   \
    } while (0)

#endif
