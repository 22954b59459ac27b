/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Questions about tasks and time. */
#include "compat/freertos/program.h"

TickType_t xTaskGetTickCount(void) { return takt_freertos_count(); }

TickType_t xTaskGetTickCountFromISR(void) { return takt_freertos_count(); }

UBaseType_t uxTaskGetNumberOfTasks(void) { return takt_freertos.task_count; }

TaskHandle_t xTaskGetCurrentTaskHandle(void) { return takt_freertos_running(); }

TaskHandle_t xTaskGetIdleTaskHandle(void) {
    ASSERT(takt_freertos.idle != NULL);
    return takt_freertos.idle;
}

char *pcTaskGetName(TaskHandle_t task) { return takt_freertos_task(task)->name; }

static bool is_named(const task_t *task, const char *name) {
    size_t at = 0;
    while (at < configMAX_TASK_NAME_LEN - 1 && task->name[at] != '\0' && task->name[at] == name[at]) {
        at++;
    }
    return at == configMAX_TASK_NAME_LEN - 1 || task->name[at] == name[at];
}

TaskHandle_t xTaskGetHandle(const char *name) {
    const takt_port_level_t level = takt_port_lock();
    task_t *task = takt_freertos.first;
    while (task != NULL && !is_named(task, name)) {
        task = task->next;
    }
    takt_port_unlock(level);
    return task;
}

eTaskState eTaskGetState(TaskHandle_t task) {
    static const eTaskState states[] = {[TAKT_THREAD_ENDED] = eDeleted,
                                        [TAKT_THREAD_RUNNING] = eRunning,
                                        [TAKT_THREAD_READY] = eReady,
                                        [TAKT_THREAD_WAITING] = eBlocked,
                                        [TAKT_THREAD_IS_SUSPENDED] = eSuspended};
    ASSERT(task != NULL);
    if (!takt_freertos.is_started) {
        return eReady;
    }
    return takt_freertos_waits(task) ? eBlocked : states[takt_thread_state(&task->thread)];
}

BaseType_t xTaskGetSchedulerState(void) {
    if (!takt_freertos.is_started) {
        return taskSCHEDULER_NOT_STARTED;
    }
    return takt_freertos.suspended == 0 ? taskSCHEDULER_RUNNING : taskSCHEDULER_SUSPENDED;
}

/* Takt's kernel does not stop. */
void vTaskEndScheduler(void) { ASSERT(!takt_freertos.is_started); }

BaseType_t xTaskGetStaticBuffers(TaskHandle_t handle, StackType_t **stack, StaticTask_t **buffer) {
    task_t *task = takt_freertos_task(handle);
    ASSERT(stack != NULL && buffer != NULL);
    if ((task->owned & OWNS_STACK) != 0) {
        return pdFALSE;
    }
    *stack = task->stack;
    *buffer = (task->owned & OWNS_TASK) == 0 ? (StaticTask_t *)(void *)task : NULL;
    return pdTRUE;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task) {
    return takt_thread_stack_unused(&takt_freertos_task(task)->thread) / sizeof(StackType_t);
}

configSTACK_DEPTH_TYPE uxTaskGetStackHighWaterMark2(TaskHandle_t task) {
    return (configSTACK_DEPTH_TYPE)uxTaskGetStackHighWaterMark(task);
}
