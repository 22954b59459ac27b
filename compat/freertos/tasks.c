/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Delays, priorities, suspension and deletion of tasks. */
#include "compat/freertos/program.h"

/* One that has joined a list may be displaced before it waits in the kernel. */
bool takt_freertos_waits(const task_t *task) {
    const takt_thread_state_t state = takt_thread_state(&task->thread);
    return state == TAKT_THREAD_WAITING ||
           (state == TAKT_THREAD_READY && task->waits_in != NULL && task->until > takt_kernel_now());
}

/* Before the start the kernel knows none. */
bool takt_freertos_is_task(const task_t *task) {
    return task != NULL &&
           (!takt_freertos.is_started ||
            (task->thread.name == task->name && takt_thread_state(&task->thread) != TAKT_THREAD_ENDED));
}

/* ---- delays ------------------------------------------------------------------------------------------------ */

static void delay(void) {
    ASSERT(takt_freertos.suspended == 0);
    while ((takt_freertos_sleep() & (TIMED_OUT | ABORTED | RESUMED)) == 0) {
    }
}

void vTaskDelay(TickType_t ticks) {
    if (ticks == 0) {
        takt_freertos_yield();
        return;
    }
    const takt_port_level_t level = takt_port_lock();
    takt_freertos_set_end(ticks);
    takt_port_unlock(level);
    delay();
}

/* The tick of the last wake-up and the next one may be on both sides of an overflow. */
BaseType_t xTaskDelayUntil(TickType_t *previous, TickType_t increment) {
    ASSERT(previous != NULL);
    ASSERT(increment > 0);
    const takt_port_level_t level = takt_port_lock();
    const TickType_t now = takt_freertos_count();
    const TickType_t since = (TickType_t)(now - *previous);
    const bool is_ahead = since < increment;
    *previous = (TickType_t)(*previous + increment);
    takt_freertos_set_end((TickType_t)(is_ahead ? increment - since : 0));
    takt_port_unlock(level);
    if (is_ahead) {
        delay();
    }
    return is_ahead ? pdTRUE : pdFALSE;
}

BaseType_t xTaskAbortDelay(TaskHandle_t task) {
    ASSERT(takt_freertos_is_task(task));
    const takt_port_level_t level = takt_port_lock();
    const bool waits = takt_freertos_waits(task);
    if (waits) {
        takt_freertos_leave(task);
    }
    takt_port_unlock(level);
    if (waits) {
        takt_freertos_wake(task, ABORTED);
    }
    return waits ? pdPASS : pdFAIL;
}

/* ---- priorities ---------------------------------------------------------------------------------------------- */

UBaseType_t uxTaskPriorityGet(ConstTaskHandle_t task) {
    return takt_freertos_task((TaskHandle_t)(uintptr_t)task)->priority;
}

UBaseType_t uxTaskPriorityGetFromISR(ConstTaskHandle_t task) { return uxTaskPriorityGet(task); }

UBaseType_t uxTaskBasePriorityGet(ConstTaskHandle_t task) {
    return takt_freertos_task((TaskHandle_t)(uintptr_t)task)->base;
}

UBaseType_t uxTaskBasePriorityGetFromISR(ConstTaskHandle_t task) { return uxTaskBasePriorityGet(task); }

/* What a task inherits stays in force. */
void vTaskPrioritySet(TaskHandle_t handle, UBaseType_t priority) {
    ASSERT(priority < configMAX_PRIORITIES);
    ASSERT(takt_freertos_is_task(takt_freertos_task(handle)));
    const uint8_t base = (uint8_t)(priority < configMAX_PRIORITIES ? priority : configMAX_PRIORITIES - 1);
    const takt_port_level_t level = takt_port_lock();
    task_t *task = takt_freertos_task(handle);
    const bool inherits = task->priority != task->base;
    task->base = base;
    if (!inherits || base > task->priority) {
        task->priority = base;
    }
    takt_port_unlock(level);
    takt_freertos_set_priority(task);
}

/* ---- suspension ------------------------------------------------------------------------------------------------ */

/* The wait of another task ends; it runs when it is resumed. Notifications are those of notifications.c. */
static void end_wait(task_t *task) {
    const takt_port_level_t level = takt_port_lock();
    takt_freertos_leave(task);
    takt_port_unlock(level);
    (void)takt_thread_notify(&task->thread, RESUMED);
}

void vTaskSuspend(TaskHandle_t handle) {
    const uint32_t nesting = takt_freertos_open();
    task_t *self = takt_freertos_running();
    task_t *task = handle != NULL ? handle : self;
    ASSERT(takt_freertos_is_task(task));
    if (task == self) {
        takt_freertos_end_turn();
        (void)takt_thread_suspend(&task->thread);
        takt_freertos_begin_turn();
    } else {
        const bool waits = takt_freertos_waits(task);
        (void)takt_thread_suspend(&task->thread);
        if (waits) {
            end_wait(task);
        }
    }
    takt_freertos_close(nesting);
}

void vTaskResume(TaskHandle_t task) {
    ASSERT(takt_freertos_is_task(task));
    const uint32_t nesting = takt_freertos_open();
    (void)takt_thread_resume(&task->thread);
    takt_freertos_close(nesting);
}

BaseType_t xTaskResumeFromISR(TaskHandle_t task) {
    ASSERT(takt_freertos_is_task(task));
    const task_t *running = takt_freertos_running();
    const bool is_suspended = takt_thread_state(&task->thread) == TAKT_THREAD_IS_SUSPENDED;
    const bool is_more_urgent = running == NULL || task->priority > running->priority;
    if (takt_port_is_in_isr()) {
        (void)takt_thread_resume_from_isr(&task->thread);
    } else {
        vTaskResume(task);
    }
    return is_suspended && is_more_urgent ? pdTRUE : pdFALSE;
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

static void forget(task_t *task) {
    const takt_port_level_t level = takt_port_lock();
    takt_freertos_remove_task(task);
    takt_freertos_leave(task);
    if (task->is_pending) {
        task_t **link = &takt_freertos.pending;
        while (*link != task) {
            link = &(*link)->next_pending;
        }
        *link = task->next_pending;
    }
    takt_port_unlock(level);
}

void takt_freertos_free(task_t *task) {
    if ((task->owned & OWNS_STACK) != 0) {
        vPortFreeStack(task->stack);
    }
    if ((task->owned & OWNS_TASK) != 0) {
        vPortFree(task);
    }
}

/* The first of those that execute no more; NULL: none. */
static task_t *take_ended(void) {
    const takt_port_level_t level = takt_port_lock();
    task_t **link = &takt_freertos.ended;
    while (*link != NULL && takt_thread_state(&(*link)->thread) != TAKT_THREAD_ENDED) {
        link = &(*link)->next;
    }
    task_t *task = *link;
    if (task != NULL) {
        *link = task->next;
    }
    takt_port_unlock(level);
    return task;
}

static void free_ended(void) {
    for (task_t *task = take_ended(); task != NULL; task = take_ended()) {
        takt_freertos_free(task);
    }
}

/* Another task frees the memory of one that has deleted itself. */
void vTaskDelete(TaskHandle_t handle) {
    (void)takt_freertos_open();
    task_t *task = takt_freertos_task(handle);
    ASSERT(takt_freertos_is_task(task));
    const bool is_self = task == takt_freertos_running();
    forget(task);
    portCLEAN_UP_TCB(task);
    if (is_self && task->owned != 0) {
        const takt_port_level_t level = takt_port_lock();
        task->next = takt_freertos.ended;
        takt_freertos.ended = task;
        takt_freertos.free_ended = free_ended;
        takt_port_unlock(level);
        takt_freertos_wake(takt_freertos.idle, WOKEN);
    }
    if (is_self) {
        takt_freertos_end_turn();
    }
    if (takt_freertos.is_started) {
        (void)takt_thread_delete(&task->thread);
    }
    takt_freertos_free(task);
}
