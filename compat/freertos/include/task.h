/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks: creation, delays, priorities, suspension, notifications, questions. */
#ifndef INC_TASK_H
#define INC_TASK_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before task.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define tskKERNEL_VERSION_NUMBER "V11.1.0"
#define tskKERNEL_VERSION_MAJOR 11
#define tskKERNEL_VERSION_MINOR 1
#define tskKERNEL_VERSION_BUILD 0

#define tskIDLE_PRIORITY ((UBaseType_t)0U)
#define tskDEFAULT_INDEX_TO_NOTIFY ((UBaseType_t)0)
#define tskNO_AFFINITY ((UBaseType_t)-1)

#define taskSCHEDULER_SUSPENDED ((BaseType_t)0)
#define taskSCHEDULER_NOT_STARTED ((BaseType_t)1)
#define taskSCHEDULER_RUNNING ((BaseType_t)2)

#define taskYIELD() portYIELD()
#define taskENTER_CRITICAL() portENTER_CRITICAL()
#define taskEXIT_CRITICAL() portEXIT_CRITICAL()
#define taskENTER_CRITICAL_FROM_ISR() portSET_INTERRUPT_MASK_FROM_ISR()
#define taskEXIT_CRITICAL_FROM_ISR(level) portCLEAR_INTERRUPT_MASK_FROM_ISR(level)
#define taskDISABLE_INTERRUPTS() portDISABLE_INTERRUPTS()
#define taskENABLE_INTERRUPTS() portENABLE_INTERRUPTS()
#define taskVALID_CORE_ID(id) ((id) == 0 ? pdTRUE : pdFALSE)

typedef struct tskTaskControlBlock *TaskHandle_t;
typedef const struct tskTaskControlBlock *ConstTaskHandle_t;

typedef BaseType_t (*TaskHookFunction_t)(void *argument);

typedef enum { eRunning = 0, eReady, eBlocked, eSuspended, eDeleted, eInvalid } eTaskState;

typedef enum {
    eNoAction = 0,
    eSetBits,
    eIncrement,
    eSetValueWithOverwrite,
    eSetValueWithoutOverwrite
} eNotifyAction;

typedef enum { eAbortSleep = 0, eStandardSleep, eNoTasksWaitingTimeout } eSleepModeStatus;

/* The begin of a wait, for vTaskSetTimeOutState. */
typedef struct xTIME_OUT {
    BaseType_t xOverflowCount;
    TickType_t xTimeOnEntering;
} TimeOut_t;

typedef struct xTASK_STATUS {
    TaskHandle_t xHandle;
    const char *pcTaskName;
    UBaseType_t xTaskNumber;
    eTaskState eCurrentState;
    UBaseType_t uxCurrentPriority;
    UBaseType_t uxBasePriority;
    configRUN_TIME_COUNTER_TYPE ulRunTimeCounter;
    StackType_t *pxStackBase;
    configSTACK_DEPTH_TYPE usStackHighWaterMark;
} TaskStatus_t;

/* ---- creation ---------------------------------------------------------------------------------------------------- */

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE depth, void *argument,
                       UBaseType_t priority, TaskHandle_t *handle);
TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE depth,
                               void *argument, UBaseType_t priority, StackType_t *stack, StaticTask_t *task);
void vTaskDelete(TaskHandle_t task);
BaseType_t xTaskGetStaticBuffers(TaskHandle_t task, StackType_t **stack, StaticTask_t **buffer);

/* ---- control ----------------------------------------------------------------------------------------------------- */

void vTaskDelay(TickType_t ticks);
BaseType_t xTaskDelayUntil(TickType_t *previous, TickType_t increment);
#define vTaskDelayUntil(previous, increment) ((void)xTaskDelayUntil((previous), (increment)))
BaseType_t xTaskAbortDelay(TaskHandle_t task);
UBaseType_t uxTaskPriorityGet(ConstTaskHandle_t task);
UBaseType_t uxTaskPriorityGetFromISR(ConstTaskHandle_t task);
UBaseType_t uxTaskBasePriorityGet(ConstTaskHandle_t task);
UBaseType_t uxTaskBasePriorityGetFromISR(ConstTaskHandle_t task);
void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority);
void vTaskSuspend(TaskHandle_t task);
void vTaskResume(TaskHandle_t task);
BaseType_t xTaskResumeFromISR(TaskHandle_t task);

/* ---- scheduler ----------------------------------------------------------------------------------------------------- */

void vTaskStartScheduler(void);
void vTaskEndScheduler(void);
void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);
BaseType_t xTaskGetSchedulerState(void);
void vTaskStepTick(TickType_t ticks);
BaseType_t xTaskCatchUpTicks(TickType_t ticks);

/* ---- questions ------------------------------------------------------------------------------------------------------ */

TickType_t xTaskGetTickCount(void);
TickType_t xTaskGetTickCountFromISR(void);
UBaseType_t uxTaskGetNumberOfTasks(void);
char *pcTaskGetName(TaskHandle_t task);
TaskHandle_t xTaskGetHandle(const char *name);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
TaskHandle_t xTaskGetIdleTaskHandle(void);
eTaskState eTaskGetState(TaskHandle_t task);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
configSTACK_DEPTH_TYPE uxTaskGetStackHighWaterMark2(TaskHandle_t task);
void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *status, BaseType_t with_mark, eTaskState state);
UBaseType_t uxTaskGetSystemState(TaskStatus_t *array, UBaseType_t length, configRUN_TIME_COUNTER_TYPE *total);
void vTaskList(char *text);
void vTaskListTasks(char *text, size_t bytes);
void vTaskGetRunTimeStats(char *text);
void vTaskGetRunTimeStatistics(char *text, size_t bytes);
configRUN_TIME_COUNTER_TYPE ulTaskGetRunTimeCounter(TaskHandle_t task);
configRUN_TIME_COUNTER_TYPE ulTaskGetRunTimePercent(TaskHandle_t task);
configRUN_TIME_COUNTER_TYPE ulTaskGetIdleRunTimeCounter(void);
configRUN_TIME_COUNTER_TYPE ulTaskGetIdleRunTimePercent(void);
void vTaskSetTaskNumber(TaskHandle_t task, UBaseType_t number);
UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task);

/* ---- words of a task -------------------------------------------------------------------------------------------------- */

void vTaskSetApplicationTaskTag(TaskHandle_t task, TaskHookFunction_t hook);
TaskHookFunction_t xTaskGetApplicationTaskTag(TaskHandle_t task);
TaskHookFunction_t xTaskGetApplicationTaskTagFromISR(TaskHandle_t task);
BaseType_t xTaskCallApplicationTaskHook(TaskHandle_t task, void *argument);
void vTaskSetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index, void *value);
void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index);

/* ---- notifications ------------------------------------------------------------------------------------------------------ */

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                              uint32_t *previous);
BaseType_t xTaskGenericNotifyFromISR(TaskHandle_t task, UBaseType_t index, uint32_t value,
                                     eNotifyAction action, uint32_t *previous, BaseType_t *woken);
BaseType_t xTaskGenericNotifyWait(UBaseType_t index, uint32_t clear_first, uint32_t clear_last,
                                  uint32_t *value, TickType_t ticks);
void vTaskGenericNotifyGiveFromISR(TaskHandle_t task, UBaseType_t index, BaseType_t *woken);
uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t is_cleared, TickType_t ticks);
BaseType_t xTaskGenericNotifyStateClear(TaskHandle_t task, UBaseType_t index);
uint32_t ulTaskGenericNotifyValueClear(TaskHandle_t task, UBaseType_t index, uint32_t bits);

#define xTaskNotify(task, value, action) \
    xTaskGenericNotify((task), tskDEFAULT_INDEX_TO_NOTIFY, (value), (action), NULL)
#define xTaskNotifyIndexed(task, index, value, action) \
    xTaskGenericNotify((task), (index), (value), (action), NULL)
#define xTaskNotifyAndQuery(task, value, action, previous) \
    xTaskGenericNotify((task), tskDEFAULT_INDEX_TO_NOTIFY, (value), (action), (previous))
#define xTaskNotifyAndQueryIndexed(task, index, value, action, previous) \
    xTaskGenericNotify((task), (index), (value), (action), (previous))
#define xTaskNotifyFromISR(task, value, action, woken) \
    xTaskGenericNotifyFromISR((task), tskDEFAULT_INDEX_TO_NOTIFY, (value), (action), NULL, (woken))
#define xTaskNotifyIndexedFromISR(task, index, value, action, woken) \
    xTaskGenericNotifyFromISR((task), (index), (value), (action), NULL, (woken))
#define xTaskNotifyAndQueryFromISR(task, value, action, previous, woken) \
    xTaskGenericNotifyFromISR((task), tskDEFAULT_INDEX_TO_NOTIFY, (value), (action), (previous), (woken))
#define xTaskNotifyAndQueryIndexedFromISR(task, index, value, action, previous, woken) \
    xTaskGenericNotifyFromISR((task), (index), (value), (action), (previous), (woken))
#define xTaskNotifyWait(clear_first, clear_last, value, ticks) \
    xTaskGenericNotifyWait(tskDEFAULT_INDEX_TO_NOTIFY, (clear_first), (clear_last), (value), (ticks))
#define xTaskNotifyWaitIndexed(index, clear_first, clear_last, value, ticks) \
    xTaskGenericNotifyWait((index), (clear_first), (clear_last), (value), (ticks))
#define xTaskNotifyGive(task) xTaskGenericNotify((task), tskDEFAULT_INDEX_TO_NOTIFY, 0, eIncrement, NULL)
#define xTaskNotifyGiveIndexed(task, index) xTaskGenericNotify((task), (index), 0, eIncrement, NULL)
#define vTaskNotifyGiveFromISR(task, woken) \
    vTaskGenericNotifyGiveFromISR((task), tskDEFAULT_INDEX_TO_NOTIFY, (woken))
#define vTaskNotifyGiveIndexedFromISR(task, index, woken) \
    vTaskGenericNotifyGiveFromISR((task), (index), (woken))
#define ulTaskNotifyTake(is_cleared, ticks) \
    ulTaskGenericNotifyTake(tskDEFAULT_INDEX_TO_NOTIFY, (is_cleared), (ticks))
#define ulTaskNotifyTakeIndexed(index, is_cleared, ticks) \
    ulTaskGenericNotifyTake((index), (is_cleared), (ticks))
#define xTaskNotifyStateClear(task) xTaskGenericNotifyStateClear((task), tskDEFAULT_INDEX_TO_NOTIFY)
#define xTaskNotifyStateClearIndexed(task, index) xTaskGenericNotifyStateClear((task), (index))
#define ulTaskNotifyValueClear(task, bits) \
    ulTaskGenericNotifyValueClear((task), tskDEFAULT_INDEX_TO_NOTIFY, (bits))
#define ulTaskNotifyValueClearIndexed(task, index, bits) \
    ulTaskGenericNotifyValueClear((task), (index), (bits))

/* ---- timeouts of own objects ---------------------------------------------------------------------------------------------- */

void vTaskSetTimeOutState(TimeOut_t *state);
BaseType_t xTaskCheckForTimeOut(TimeOut_t *state, TickType_t *ticks);

/* ---- hooks: the program defines those that its configuration names ---------------------------------------------------------- */

void vApplicationIdleHook(void);
void vApplicationTickHook(void);
void vApplicationMallocFailedHook(void);
void vApplicationStackOverflowHook(TaskHandle_t task, char *name);
void vApplicationDaemonTaskStartupHook(void);

/* No part of FreeRTOS' interface: an assertion of the function `call` of the library is about to fail, in a call of `task`;
 * NULL: before the start, or in an interrupt of another thread. A program may define it; the library's own prints both. */
void vApplicationMisuseHook(TaskHandle_t task, const char *call);

/* Likewise: `task` has left a critical section that took `ticks` ticks of Takt's clock, configLONG_SECTION_TICKS or more.
 * Only what taskENTER_CRITICAL begins is measured, and only if the configuration defines that macro. */
void vApplicationLongSectionHook(TaskHandle_t task, uint64_t ticks);
void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **stack, configSTACK_DEPTH_TYPE *depth);

#if configENABLE_BACKWARD_COMPATIBILITY == 1
typedef TickType_t portTickType;
typedef TaskHandle_t xTaskHandle;
typedef TaskStatus_t xTaskStatusType;
typedef TimeOut_t xTimeOutType;
#define pcTaskGetTaskName pcTaskGetName
#define eTaskStateGet eTaskGetState
#define xTaskGetIdleRunTimeCounter ulTaskGetIdleRunTimeCounter
#define vTaskGetTaskInfo vTaskGetInfo
#define pdTASK_CODE TaskFunction_t
#define pdTASK_HOOK_CODE TaskHookFunction_t
#endif

#ifdef __cplusplus
}
#endif

#endif
