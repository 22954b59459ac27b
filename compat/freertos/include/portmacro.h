/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Types and critical sections, of every machine that Takt's kernel runs on. */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#define portCHAR char
#define portFLOAT float
#define portDOUBLE double
#define portLONG long
#define portSHORT short
#define portBASE_TYPE long

typedef long BaseType_t;
typedef unsigned long UBaseType_t;

/* A unit of stacks: twice the usual word or more, so that configMINIMAL_STACK_SIZE units hold what calls of the kernel need
 * and some more; the alignment is that of a stack. In a process a stack holds the frames of signals. */
#if defined(__linux__)
#define TAKT_FREERTOS_UNIT_WORDS 128u
#else
#if defined(__ARM_FP) || UINTPTR_MAX > 0xffffffffu
#define TAKT_FREERTOS_STACK_BYTES 1152u
#else
#define TAKT_FREERTOS_STACK_BYTES 960u
#endif
#define TAKT_FREERTOS_UNIT_WORDS \
    ((TAKT_FREERTOS_STACK_BYTES + (configMINIMAL_STACK_SIZE)*8u - 1u) / ((configMINIMAL_STACK_SIZE)*8u))
#endif
typedef struct xSTACK_UNIT {
    uint64_t ullDummy[TAKT_FREERTOS_UNIT_WORDS];
} StackType_t;
#define portSTACK_TYPE StackType_t

#if configTICK_TYPE_WIDTH_IN_BITS == TICK_TYPE_WIDTH_16_BITS
typedef uint16_t TickType_t;
#define portMAX_DELAY ((TickType_t)0xffffU)
#elif configTICK_TYPE_WIDTH_IN_BITS == TICK_TYPE_WIDTH_32_BITS
typedef uint32_t TickType_t;
#define portMAX_DELAY ((TickType_t)0xffffffffUL)
#else
typedef uint64_t TickType_t;
#define portMAX_DELAY ((TickType_t)0xffffffffffffffffULL)
#endif

#define portARCH_NAME "Takt"
#define portBYTE_ALIGNMENT 8
#define portBYTE_ALIGNMENT_MASK 0x0007
#define portSTACK_GROWTH (-1)
#define portPOINTER_SIZE_TYPE uintptr_t
#define portTICK_TYPE_IS_ATOMIC 0
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portTICK_RATE_MS portTICK_PERIOD_MS

#define portINLINE __inline
#define portFORCE_INLINE inline __attribute__((always_inline))
#define portNORETURN __attribute__((noreturn))
#define portDONT_DISCARD __attribute__((used))
#define portNOP() __asm volatile("nop")
#define portMEMORY_BARRIER() __asm volatile("" ::: "memory")
#define portSOFTWARE_BARRIER() portMEMORY_BARRIER()

#define portTASK_FUNCTION_PROTO(vFunction, pvParameters) void vFunction(void *pvParameters)
#define portTASK_FUNCTION(vFunction, pvParameters) void vFunction(void *pvParameters)
#define portTASK_USES_FLOATING_POINT()
#define portALLOCATE_SECURE_CONTEXT(bytes) ((void)(bytes))
#define portPRIVILEGE_BIT ((UBaseType_t)0)
#define portUSING_MPU_WRAPPERS 0
#define portGET_CORE_ID() ((BaseType_t)0)

#ifdef __cplusplus
extern "C" {
#endif

/* Masks the interrupts that may call the kernel; nests. Calls inside never switch: what they wake runs after the last
 * exit. */
void vPortEnterCritical(void);
void vPortExitCritical(void);

/* Likewise without a count. */
void vPortDisableInterrupts(void);
void vPortEnableInterrupts(void);
UBaseType_t ulPortSetInterruptMask(void);
void vPortClearInterruptMask(UBaseType_t level);

/* Lets equals of the running task go first. In a critical section: after it. */
void vPortYield(void);

/* pdTRUE in an interrupt. */
BaseType_t xPortIsInsideInterrupt(void);

#ifdef __cplusplus
}
#endif

#define portENTER_CRITICAL() vPortEnterCritical()
#define portEXIT_CRITICAL() vPortExitCritical()
#define portDISABLE_INTERRUPTS() vPortDisableInterrupts()
#define portENABLE_INTERRUPTS() vPortEnableInterrupts()
#define portSET_INTERRUPT_MASK_FROM_ISR() ulPortSetInterruptMask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(level) vPortClearInterruptMask(level)
#define portSET_INTERRUPT_MASK() ulPortSetInterruptMask()
#define portCLEAR_INTERRUPT_MASK(level) vPortClearInterruptMask(level)
#define portYIELD() vPortYield()
#define portYIELD_WITHIN_API() vPortYield()
/* The kernel switches by itself at the end of an interrupt that has woken a more urgent task. */
#define portYIELD_FROM_ISR(is_needed) ((void)(is_needed))
#define portEND_SWITCHING_ISR(is_needed) portYIELD_FROM_ISR(is_needed)
#define portCHECK_IF_IN_ISR() xPortIsInsideInterrupt()
#ifndef portASSERT_IF_INTERRUPT_PRIORITY_INVALID
#define portASSERT_IF_INTERRUPT_PRIORITY_INVALID()
#endif
#define portASSERT_IF_IN_ISR() configASSERT(xPortIsInsideInterrupt() == pdFALSE)

#endif
