/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The configuration of the small programs, as users write it. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

void program_assert(const char *file, int line);

#define configUSE_PREEMPTION 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configCPU_CLOCK_HZ ((unsigned long)25000000)
#define configTICK_RATE_HZ ((TickType_t)1000)
#define configMAX_PRIORITIES (5)
#define configMINIMAL_STACK_SIZE ((unsigned short)128)
#define configTOTAL_HEAP_SIZE ((size_t)(12 * 1024))
#define configMAX_TASK_NAME_LEN (16)
#define configUSE_16_BIT_TICKS 0
#define configIDLE_SHOULD_YIELD 1
#define configUSE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#define configQUEUE_REGISTRY_SIZE 8
#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY (configMAX_PRIORITIES - 1)
#define configTIMER_QUEUE_LENGTH 10
#define configTIMER_TASK_STACK_DEPTH (configMINIMAL_STACK_SIZE * 2)
#define configASSERT(x) \
    if ((x) == 0)       \
    program_assert(__FILE__, __LINE__)

#ifdef PROGRAM_SLEEPS
#include <stdint.h>
void before_sleep(uint32_t ticks);
void after_sleep(uint32_t ticks);
#define configUSE_TICKLESS_IDLE 1
#define configPRE_SLEEP_PROCESSING(x) before_sleep(x)
#define configPOST_SLEEP_PROCESSING(x) after_sleep(x)
#endif

#define INCLUDE_vTaskPrioritySet 1
#define INCLUDE_uxTaskPriorityGet 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskDelayUntil 1
#define INCLUDE_vTaskDelay 1

#endif
