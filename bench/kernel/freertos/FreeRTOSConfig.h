/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The configuration of bench/kernel/freertos.c: without assertions and slices, as the peer was measured. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 0
#define configUSE_TICK_HOOK 0
#define configUSE_IDLE_HOOK 0
#define configTICK_RATE_HZ 1000
#define configMAX_PRIORITIES 8
#define configMINIMAL_STACK_SIZE 256
#define configMAX_TASK_NAME_LEN 12
#define configTOTAL_HEAP_SIZE 1024
#define configSUPPORT_STATIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configUSE_MUTEXES 1
#define configUSE_TIMERS 0
#define INCLUDE_vTaskSuspend 1

#endif
