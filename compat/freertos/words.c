/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a program keeps with a task: numbers, tags, pointers of its own, timeouts of its own objects. */
#include "compat/freertos/program.h"

void vTaskSetTaskNumber(TaskHandle_t task, UBaseType_t number) {
    if (task != NULL) {
        task->tag = (uint32_t)number;
    }
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task) { return task != NULL ? task->tag : 0; }

#if configUSE_APPLICATION_TASK_TAG != 0

void vTaskSetApplicationTaskTag(TaskHandle_t task, TaskHookFunction_t hook) {
    takt_freertos_task(task)->hook = hook;
}

TaskHookFunction_t xTaskGetApplicationTaskTag(TaskHandle_t task) { return takt_freertos_task(task)->hook; }

TaskHookFunction_t xTaskGetApplicationTaskTagFromISR(TaskHandle_t task) {
    return takt_freertos_task(task)->hook;
}

BaseType_t xTaskCallApplicationTaskHook(TaskHandle_t task, void *argument) {
    const TaskHookFunction_t hook = takt_freertos_task(task)->hook;
    return hook != NULL ? hook(argument) : pdFAIL;
}

#endif

#if configNUM_THREAD_LOCAL_STORAGE_POINTERS > 0

void vTaskSetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index, void *value) {
    if (index >= 0 && index < configNUM_THREAD_LOCAL_STORAGE_POINTERS) {
        takt_freertos_task(task)->words[index] = value;
    }
}

void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t task, BaseType_t index) {
    const bool exists = index >= 0 && index < configNUM_THREAD_LOCAL_STORAGE_POINTERS;
    return exists ? takt_freertos_task(task)->words[index] : NULL;
}

#endif

/* ---- timeouts ---------------------------------------------------------------------------------------------------- */

/* The count of overflows is the part of the tick count that a TickType_t does not hold. */
static uint64_t ticks_now(void) {
    const takt_port_level_t level = takt_port_lock();
    (void)takt_freertos_count();
    const uint64_t ticks = takt_freertos.ticks;
    takt_port_unlock(level);
    return ticks;
}

static uint64_t overflows_of(uint64_t ticks) {
    return sizeof(TickType_t) < 8 ? ticks >> (sizeof(TickType_t) * 8 % 64) : 0;
}

void vTaskSetTimeOutState(TimeOut_t *state) {
    const uint64_t ticks = ticks_now();
    ASSERT(state != NULL);
    *state =
        (TimeOut_t){.xOverflowCount = (BaseType_t)overflows_of(ticks), .xTimeOnEntering = (TickType_t)ticks};
}

BaseType_t xTaskCheckForTimeOut(TimeOut_t *state, TickType_t *ticks) {
    ASSERT(state != NULL && ticks != NULL);
    if (*ticks == portMAX_DELAY && INCLUDE_vTaskSuspend == 1) {
        return pdFALSE;
    }
    const uint64_t now = ticks_now();
    const TickType_t elapsed = (TickType_t)((TickType_t)now - state->xTimeOnEntering);
    const bool is_long =
        (BaseType_t)overflows_of(now) != state->xOverflowCount && (TickType_t)now >= state->xTimeOnEntering;
    if (is_long || elapsed >= *ticks) {
        *ticks = 0;
        return pdTRUE;
    }
    *ticks = (TickType_t)(*ticks - elapsed);
    vTaskSetTimeOutState(state);
    return pdFALSE;
}
