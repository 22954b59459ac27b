/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The configuration of the test programs: everything on, as demonstrations have it. A test may define another value. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

void test_assert(const char *file, int line, const char *what);

#define configASSERT(holds) ((holds) ? (void)0 : test_assert(__FILE__, __LINE__, #holds))

#ifndef configUSE_PREEMPTION
#define configUSE_PREEMPTION 1
#endif
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#ifndef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#endif
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#ifndef configUSE_MALLOC_FAILED_HOOK
#define configUSE_MALLOC_FAILED_HOOK 0
#endif
#ifndef configUSE_DAEMON_TASK_STARTUP_HOOK
#define configUSE_DAEMON_TASK_STARTUP_HOOK 0
#endif
#define configTICK_RATE_HZ ((TickType_t)1000)
#define configMAX_PRIORITIES 8
#define configMINIMAL_STACK_SIZE ((unsigned short)160)
#define configMAX_TASK_NAME_LEN (12)
#define configTOTAL_HEAP_SIZE ((size_t)(24 * 1024))
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#ifndef configUSE_SB_COMPLETED_CALLBACK
#define configUSE_SB_COMPLETED_CALLBACK 0
#endif
#define configUSE_QUEUE_SETS 1
#define configQUEUE_REGISTRY_SIZE 4
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 3
#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY (configMAX_PRIORITIES - 1)
#define configTIMER_QUEUE_LENGTH 5
#define configTIMER_TASK_STACK_DEPTH 192
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 2
#define configUSE_APPLICATION_TASK_TAG 1
#define configUSE_TRACE_FACILITY 1
#define configUSE_STATS_FORMATTING_FUNCTIONS 1
#ifndef configGENERATE_RUN_TIME_STATS
#define configGENERATE_RUN_TIME_STATS 0
#endif
#define configCHECK_FOR_STACK_OVERFLOW 2
#ifdef TEST_CORES
void announce(void *buffer);
#define sbSEND_COMPLETED(buffer) announce(buffer)
#endif
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_uxTaskGetStackHighWaterMark 1

#endif
