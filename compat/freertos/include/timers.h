/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Software timers: functions that the daemon calls at instants. */
#ifndef TIMERS_H
#define TIMERS_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before timers.h"
#endif

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmrTimerControl *TimerHandle_t;
typedef void (*TimerCallbackFunction_t)(TimerHandle_t timer);
typedef void (*PendedFunction_t)(void *argument, uint32_t value);

#define tmrCOMMAND_EXECUTE_CALLBACK_FROM_ISR ((BaseType_t)(-2))
#define tmrCOMMAND_EXECUTE_CALLBACK ((BaseType_t)(-1))
#define tmrCOMMAND_START_DONT_TRACE ((BaseType_t)0)
#define tmrCOMMAND_START ((BaseType_t)1)
#define tmrCOMMAND_RESET ((BaseType_t)2)
#define tmrCOMMAND_STOP ((BaseType_t)3)
#define tmrCOMMAND_CHANGE_PERIOD ((BaseType_t)4)
#define tmrCOMMAND_DELETE ((BaseType_t)5)
#define tmrFIRST_FROM_ISR_COMMAND ((BaseType_t)6)
#define tmrCOMMAND_START_FROM_ISR ((BaseType_t)6)
#define tmrCOMMAND_RESET_FROM_ISR ((BaseType_t)7)
#define tmrCOMMAND_STOP_FROM_ISR ((BaseType_t)8)
#define tmrCOMMAND_CHANGE_PERIOD_FROM_ISR ((BaseType_t)9)

/* ---- timers ------------------------------------------------------------------------------------------------------- */

TimerHandle_t xTimerCreate(const char *name, TickType_t period, BaseType_t reloads, void *id,
                           TimerCallbackFunction_t callback);
TimerHandle_t xTimerCreateStatic(const char *name, TickType_t period, BaseType_t reloads, void *id,
                                 TimerCallbackFunction_t callback, StaticTimer_t *buffer);
BaseType_t xTimerGetStaticBuffer(TimerHandle_t timer, StaticTimer_t **buffer);
void *pvTimerGetTimerID(const TimerHandle_t timer);
void vTimerSetTimerID(TimerHandle_t timer, void *id);
BaseType_t xTimerIsTimerActive(TimerHandle_t timer);
TaskHandle_t xTimerGetTimerDaemonTaskHandle(void);
const char *pcTimerGetName(TimerHandle_t timer);
void vTimerSetReloadMode(TimerHandle_t timer, const BaseType_t reloads);
BaseType_t xTimerGetReloadMode(TimerHandle_t timer);
UBaseType_t uxTimerGetReloadMode(TimerHandle_t timer);
TickType_t xTimerGetPeriod(TimerHandle_t timer);
TickType_t xTimerGetExpiryTime(TimerHandle_t timer);
void vTimerSetTimerNumber(TimerHandle_t timer, UBaseType_t number);
UBaseType_t uxTimerGetTimerNumber(TimerHandle_t timer);

/* ---- commands to the daemon ------------------------------------------------------------------------------------------ */

BaseType_t xTimerGenericCommandFromTask(TimerHandle_t timer, const BaseType_t command, const TickType_t value,
                                        BaseType_t *const woken, const TickType_t ticks);
BaseType_t xTimerGenericCommandFromISR(TimerHandle_t timer, const BaseType_t command, const TickType_t value,
                                       BaseType_t *const woken, const TickType_t ticks);
BaseType_t xTimerPendFunctionCall(PendedFunction_t function, void *argument, uint32_t value,
                                  TickType_t ticks);
BaseType_t xTimerPendFunctionCallFromISR(PendedFunction_t function, void *argument, uint32_t value,
                                         BaseType_t *woken);

#define xTimerGenericCommand(timer, command, value, woken, ticks)                      \
    ((command) < tmrFIRST_FROM_ISR_COMMAND                                             \
         ? xTimerGenericCommandFromTask((timer), (command), (value), (woken), (ticks)) \
         : xTimerGenericCommandFromISR((timer), (command), (value), (woken), (ticks)))

#define xTimerStart(timer, ticks) \
    xTimerGenericCommandFromTask((timer), tmrCOMMAND_START, xTaskGetTickCount(), NULL, (ticks))
#define xTimerStop(timer, ticks) xTimerGenericCommandFromTask((timer), tmrCOMMAND_STOP, 0U, NULL, (ticks))
#define xTimerChangePeriod(timer, period, ticks) \
    xTimerGenericCommandFromTask((timer), tmrCOMMAND_CHANGE_PERIOD, (period), NULL, (ticks))
#define xTimerDelete(timer, ticks) xTimerGenericCommandFromTask((timer), tmrCOMMAND_DELETE, 0U, NULL, (ticks))
#define xTimerReset(timer, ticks) \
    xTimerGenericCommandFromTask((timer), tmrCOMMAND_RESET, xTaskGetTickCount(), NULL, (ticks))
#define xTimerStartFromISR(timer, woken) \
    xTimerGenericCommandFromISR((timer), tmrCOMMAND_START_FROM_ISR, xTaskGetTickCountFromISR(), (woken), 0U)
#define xTimerStopFromISR(timer, woken) \
    xTimerGenericCommandFromISR((timer), tmrCOMMAND_STOP_FROM_ISR, 0, (woken), 0U)
#define xTimerChangePeriodFromISR(timer, period, woken) \
    xTimerGenericCommandFromISR((timer), tmrCOMMAND_CHANGE_PERIOD_FROM_ISR, (period), (woken), 0U)
#define xTimerResetFromISR(timer, woken) \
    xTimerGenericCommandFromISR((timer), tmrCOMMAND_RESET_FROM_ISR, xTaskGetTickCountFromISR(), (woken), 0U)

void vApplicationGetTimerTaskMemory(StaticTask_t **task, StackType_t **stack, configSTACK_DEPTH_TYPE *depth);

#if configENABLE_BACKWARD_COMPATIBILITY == 1
typedef TimerHandle_t xTimerHandle;
typedef TimerCallbackFunction_t tmrTIMER_CALLBACK;
typedef PendedFunction_t pdPENDED_FUNCTION;
#define pcTimerGetTimerName pcTimerGetName
#endif

#ifdef __cplusplus
}
#endif

#endif
