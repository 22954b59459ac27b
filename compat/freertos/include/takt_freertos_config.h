/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The program's configuration: what it must define, what it gets otherwise, and what is refused by its name. */
#ifndef TAKT_FREERTOS_CONFIG_H
#define TAKT_FREERTOS_CONFIG_H

/* ---- required ------------------------------------------------------------------------------------------------ */

#ifndef configTICK_RATE_HZ
#error "FreeRTOSConfig.h must define configTICK_RATE_HZ"
#endif
#ifndef configMAX_PRIORITIES
#error "FreeRTOSConfig.h must define configMAX_PRIORITIES"
#endif
#if configMAX_PRIORITIES < 1
#error "configMAX_PRIORITIES must be at least 1"
#endif
#ifndef configMINIMAL_STACK_SIZE
#error "FreeRTOSConfig.h must define configMINIMAL_STACK_SIZE"
#endif
#ifndef configUSE_PREEMPTION
#error "FreeRTOSConfig.h must define configUSE_PREEMPTION"
#endif

/* ---- refused --------------------------------------------------------------------------------------------------- */

#if defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES != 1
#error "configNUMBER_OF_CORES: Takt's kernel runs on one core"
#endif
#if defined(configUSE_CO_ROUTINES) && configUSE_CO_ROUTINES != 0
#error "configUSE_CO_ROUTINES: there are no co-routines; use tasks"
#endif
#if defined(configENABLE_MPU) && configENABLE_MPU != 0
#error "configENABLE_MPU: tasks are not confined to regions; Takt's guards protect stacks"
#endif
#if defined(configENABLE_TRUSTZONE) && configENABLE_TRUSTZONE != 0
#error "configENABLE_TRUSTZONE: tasks have no secure contexts"
#endif
#if defined(configUSE_NEWLIB_REENTRANT) && configUSE_NEWLIB_REENTRANT != 0
#error "configUSE_NEWLIB_REENTRANT: a switch does not exchange newlib's data; protect calls of the library"
#endif
#if defined(configUSE_PICOLIBC_TLS) && configUSE_PICOLIBC_TLS != 0
#error "configUSE_PICOLIBC_TLS: a switch does not exchange picolibc's data; protect calls of the library"
#endif
#if defined(configUSE_C_RUNTIME_TLS_SUPPORT) && configUSE_C_RUNTIME_TLS_SUPPORT != 0
#error "configUSE_C_RUNTIME_TLS_SUPPORT: a switch does not exchange the C library's data"
#endif
#if defined(configUSE_PASSIVE_IDLE_HOOK) && configUSE_PASSIVE_IDLE_HOOK != 0
#error "configUSE_PASSIVE_IDLE_HOOK: Takt's kernel runs on one core"
#endif
#if defined(configUSE_CORE_AFFINITY) && configUSE_CORE_AFFINITY != 0
#error "configUSE_CORE_AFFINITY: Takt's kernel runs on one core"
#endif
#if defined(configUSE_TASK_PREEMPTION_DISABLE) && configUSE_TASK_PREEMPTION_DISABLE != 0
#error "configUSE_TASK_PREEMPTION_DISABLE: Takt's kernel runs on one core; use vTaskSuspendAll"
#endif
#if defined(configUSE_POSIX_ERRNO) && configUSE_POSIX_ERRNO != 0
#error "configUSE_POSIX_ERRNO: a switch does not exchange FreeRTOS_errno"
#endif

/* ---- otherwise --------------------------------------------------------------------------------------------------- */

#define TICK_TYPE_WIDTH_16_BITS 0
#define TICK_TYPE_WIDTH_32_BITS 1
#define TICK_TYPE_WIDTH_64_BITS 2

#ifndef configTICK_TYPE_WIDTH_IN_BITS
#if defined(configUSE_16_BIT_TICKS) && configUSE_16_BIT_TICKS == 1
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_16_BITS
#else
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#endif
#endif
#ifndef configASSERT
#define configASSERT(holds)
#ifndef configASSERT_DEFINED
#define configASSERT_DEFINED 0
#endif
#elif !defined(configASSERT_DEFINED)
#define configASSERT_DEFINED 1
#endif
#ifndef configPRECONDITION
#define configPRECONDITION(holds) configASSERT(holds)
#endif
#ifndef configINITIAL_TICK_COUNT
#define configINITIAL_TICK_COUNT 0
#endif
#ifndef configSUPPORT_STATIC_ALLOCATION
#define configSUPPORT_STATIC_ALLOCATION 0
#endif
#ifndef configSUPPORT_DYNAMIC_ALLOCATION
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#endif
#if configSUPPORT_STATIC_ALLOCATION == 0 && configSUPPORT_DYNAMIC_ALLOCATION == 0
#error "configSUPPORT_STATIC_ALLOCATION and configSUPPORT_DYNAMIC_ALLOCATION are both 0: set one to 1"
#endif
#ifndef configKERNEL_PROVIDED_STATIC_MEMORY
#define configKERNEL_PROVIDED_STATIC_MEMORY 0
#endif
#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE 0
#define TAKT_FREERTOS_HEAP 0 /* none of the library's own; the size itself may have a cast */
#else
#define TAKT_FREERTOS_HEAP 1
#endif
#ifndef configAPPLICATION_ALLOCATED_HEAP
#define configAPPLICATION_ALLOCATED_HEAP 0
#endif
#ifndef configHEAP_CLEAR_MEMORY_ON_FREE
#define configHEAP_CLEAR_MEMORY_ON_FREE 0
#endif
#ifndef configSTACK_ALLOCATION_FROM_SEPARATE_HEAP
#define configSTACK_ALLOCATION_FROM_SEPARATE_HEAP 0
#endif
#ifndef configUSE_MALLOC_FAILED_HOOK
#define configUSE_MALLOC_FAILED_HOOK 0
#endif
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#ifndef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#endif
#ifndef configUSE_DAEMON_TASK_STARTUP_HOOK
#define configUSE_DAEMON_TASK_STARTUP_HOOK 0
#endif
#ifndef configCHECK_FOR_STACK_OVERFLOW
#define configCHECK_FOR_STACK_OVERFLOW 0
#endif
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#ifndef configUSE_TICKLESS_IDLE
#define configUSE_TICKLESS_IDLE 0
#endif
#ifndef configIDLE_SHOULD_YIELD
#define configIDLE_SHOULD_YIELD 1
#endif
#ifndef configIDLE_TASK_NAME
#define configIDLE_TASK_NAME "IDLE"
#endif
#ifndef configMAX_TASK_NAME_LEN
#define configMAX_TASK_NAME_LEN 16
#endif
#ifndef configSTACK_DEPTH_TYPE
#define configSTACK_DEPTH_TYPE uint32_t
#endif
#ifndef configMESSAGE_BUFFER_LENGTH_TYPE
#define configMESSAGE_BUFFER_LENGTH_TYPE size_t
#endif
#ifndef configUSE_TASK_NOTIFICATIONS
#define configUSE_TASK_NOTIFICATIONS 1
#endif
#ifndef configTASK_NOTIFICATION_ARRAY_ENTRIES
#define configTASK_NOTIFICATION_ARRAY_ENTRIES 1
#endif
#if configTASK_NOTIFICATION_ARRAY_ENTRIES < 1
#error "configTASK_NOTIFICATION_ARRAY_ENTRIES must be at least 1"
#endif
#ifndef configUSE_MUTEXES
#define configUSE_MUTEXES 0
#endif
#ifndef configUSE_RECURSIVE_MUTEXES
#define configUSE_RECURSIVE_MUTEXES 0
#endif
#ifndef configUSE_COUNTING_SEMAPHORES
#define configUSE_COUNTING_SEMAPHORES 0
#endif
#ifndef configUSE_QUEUE_SETS
#define configUSE_QUEUE_SETS 0
#endif
#ifndef configQUEUE_REGISTRY_SIZE
#define configQUEUE_REGISTRY_SIZE 0
#endif
#ifndef configUSE_EVENT_GROUPS
#define configUSE_EVENT_GROUPS 1
#endif
#ifndef configUSE_STREAM_BUFFERS
#define configUSE_STREAM_BUFFERS 1
#endif
#ifndef configUSE_SB_COMPLETED_CALLBACK
#define configUSE_SB_COMPLETED_CALLBACK 0
#endif
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#if configUSE_TIMERS != 0
#ifndef configTIMER_TASK_PRIORITY
#error "configUSE_TIMERS 1: FreeRTOSConfig.h must define configTIMER_TASK_PRIORITY"
#endif
#ifndef configTIMER_QUEUE_LENGTH
#error "configUSE_TIMERS 1: FreeRTOSConfig.h must define configTIMER_QUEUE_LENGTH"
#endif
#ifndef configTIMER_TASK_STACK_DEPTH
#error "configUSE_TIMERS 1: FreeRTOSConfig.h must define configTIMER_TASK_STACK_DEPTH"
#endif
#endif
#ifndef configTIMER_SERVICE_TASK_NAME
#define configTIMER_SERVICE_TASK_NAME "Tmr Svc"
#endif
#ifndef configNUM_THREAD_LOCAL_STORAGE_POINTERS
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 0
#endif
#ifndef configUSE_APPLICATION_TASK_TAG
#define configUSE_APPLICATION_TASK_TAG 0
#endif
#ifndef configGENERATE_RUN_TIME_STATS
#define configGENERATE_RUN_TIME_STATS 0
#endif
#ifndef configRUN_TIME_COUNTER_TYPE
#define configRUN_TIME_COUNTER_TYPE uint32_t
#endif
#ifndef configUSE_TRACE_FACILITY
#define configUSE_TRACE_FACILITY 0
#endif
#ifndef configUSE_STATS_FORMATTING_FUNCTIONS
#define configUSE_STATS_FORMATTING_FUNCTIONS 0
#endif
#ifndef configSTATS_BUFFER_MAX_LENGTH
#define configSTATS_BUFFER_MAX_LENGTH 0xFFFF
#endif
#ifndef configENABLE_BACKWARD_COMPATIBILITY
#define configENABLE_BACKWARD_COMPATIBILITY 1
#endif
#ifndef configNUMBER_OF_CORES
#define configNUMBER_OF_CORES 1
#endif

/* Sleep is the kernel's. */
#if configUSE_TICKLESS_IDLE != 0 && defined(portSUPPRESS_TICKS_AND_SLEEP)
#error "portSUPPRESS_TICKS_AND_SLEEP: Takt's kernel has no tick; use configPRE_SLEEP_PROCESSING and _POST_"
#endif
#if configUSE_TICKLESS_IDLE > 1
#error "configUSE_TICKLESS_IDLE 2: Takt's kernel has no tick; set it to 1"
#endif
#ifndef configEXPECTED_IDLE_TIME_BEFORE_SLEEP
#define configEXPECTED_IDLE_TIME_BEFORE_SLEEP 2
#endif
#ifndef configPRE_SLEEP_PROCESSING
#define configPRE_SLEEP_PROCESSING(ticks)
#endif
#ifndef configPOST_SLEEP_PROCESSING
#define configPOST_SLEEP_PROCESSING(ticks)
#endif

/* What a program adds to the creation and the end of a task, and to the start. */
#ifndef portSETUP_TCB
#define portSETUP_TCB(task) ((void)(task))
#endif
#ifndef portCLEAN_UP_TCB
#define portCLEAN_UP_TCB(task) ((void)(task))
#endif
#ifndef portCONFIGURE_TIMER_FOR_RUN_TIME_STATS
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()
#endif

/* Functions are always there: what a program does not call is not linked. The first three change what calls do; the
 * others are for programs that ask. */
#ifndef INCLUDE_vTaskSuspend
#define INCLUDE_vTaskSuspend 0
#endif
#ifndef INCLUDE_uxTaskGetStackHighWaterMark
#define INCLUDE_uxTaskGetStackHighWaterMark 0
#endif
#ifndef INCLUDE_uxTaskGetStackHighWaterMark2
#define INCLUDE_uxTaskGetStackHighWaterMark2 0
#endif
#ifndef INCLUDE_vTaskPrioritySet
#define INCLUDE_vTaskPrioritySet 0
#endif
#ifndef INCLUDE_uxTaskPriorityGet
#define INCLUDE_uxTaskPriorityGet 0
#endif
#ifndef INCLUDE_vTaskDelete
#define INCLUDE_vTaskDelete 0
#endif
#ifndef INCLUDE_xTaskDelayUntil
#define INCLUDE_xTaskDelayUntil 0
#endif
#ifndef INCLUDE_vTaskDelayUntil
#define INCLUDE_vTaskDelayUntil 0
#endif
#ifndef INCLUDE_vTaskDelay
#define INCLUDE_vTaskDelay 0
#endif
#ifndef INCLUDE_xTaskGetIdleTaskHandle
#define INCLUDE_xTaskGetIdleTaskHandle 0
#endif
#ifndef INCLUDE_xTaskAbortDelay
#define INCLUDE_xTaskAbortDelay 0
#endif
#ifndef INCLUDE_xQueueGetMutexHolder
#define INCLUDE_xQueueGetMutexHolder 0
#endif
#ifndef INCLUDE_xSemaphoreGetMutexHolder
#define INCLUDE_xSemaphoreGetMutexHolder 0
#endif
#ifndef INCLUDE_xTaskGetHandle
#define INCLUDE_xTaskGetHandle 0
#endif
#ifndef INCLUDE_eTaskGetState
#define INCLUDE_eTaskGetState 0
#endif
#ifndef INCLUDE_xTaskResumeFromISR
#define INCLUDE_xTaskResumeFromISR 0
#endif
#ifndef INCLUDE_xTimerPendFunctionCall
#define INCLUDE_xTimerPendFunctionCall 0
#endif
#ifndef INCLUDE_xTaskGetSchedulerState
#define INCLUDE_xTaskGetSchedulerState 0
#endif
#ifndef INCLUDE_xTaskGetCurrentTaskHandle
#define INCLUDE_xTaskGetCurrentTaskHandle 0
#endif

#endif
