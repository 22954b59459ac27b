/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Notifications of tasks: values in the task's record, each pending or not. A task waits for one of them.
 *
 * They are not the notification of the thread, by which alone a task is woken. */
#include "compat/freertos/program.h"

enum { IDLE = 0, AWAITED = 1, PENDING = 2 };

#define ENTRIES configTASK_NOTIFICATION_ARRAY_ENTRIES

/* ---- to notify ----------------------------------------------------------------------------------------------- */

/* Changes a value by `action`. Closed. Returns whether it could. */
static bool change(task_t *task, UBaseType_t index, uint32_t value, eNotifyAction action) {
    uint32_t *own = &task->values[index];
    switch (action) {
    case eSetBits:
        *own |= value;
        return true;
    case eIncrement:
        (*own)++;
        return true;
    case eSetValueWithOverwrite:
        *own = value;
        return true;
    case eSetValueWithoutOverwrite:
        if (task->notified[index] == PENDING) {
            return false;
        }
        *own = value;
        return true;
    default:
        return true;
    }
}

/* Notifies `task`; `is_awaited` says then whether it waits for that. */
static BaseType_t notify(task_t *task, UBaseType_t index, uint32_t value, eNotifyAction action,
                         uint32_t *previous, bool *is_awaited) {
    ASSERT(takt_freertos_is_task(task));
    ASSERT(index < ENTRIES);
    const takt_port_level_t level = takt_port_lock();
    if (previous != NULL) {
        *previous = task->values[index];
    }
    const bool is_done = change(task, index, value, action);
    *is_awaited = task->notified[index] == AWAITED;
    task->notified[index] = PENDING;
    takt_port_unlock(level);
    return is_done ? pdPASS : pdFAIL;
}

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action,
                              uint32_t *previous) {
    bool is_awaited;
    const BaseType_t done = notify(task, index, value, action, previous, &is_awaited);
    if (is_awaited) {
        takt_freertos_wake(task, WOKEN);
    }
    return done;
}

BaseType_t xTaskGenericNotifyFromISR(TaskHandle_t task, UBaseType_t index, uint32_t value,
                                     eNotifyAction action, uint32_t *previous, BaseType_t *woken) {
    bool is_awaited;
    const BaseType_t done = notify(task, index, value, action, previous, &is_awaited);
    takt_freertos_wake_from_isr(is_awaited ? task : NULL, woken);
    return done;
}

void vTaskGenericNotifyGiveFromISR(TaskHandle_t task, UBaseType_t index, BaseType_t *woken) {
    (void)xTaskGenericNotifyFromISR(task, index, 0, eIncrement, NULL, woken);
}

/* ---- to wait --------------------------------------------------------------------------------------------------- */

/* Waits for a notification of the running task, if `waits` and it may. Closed; opens, and closes again. */
static void await(task_t *self, UBaseType_t index, TickType_t ticks, bool waits, takt_port_level_t level) {
    if (!waits || ticks == 0) {
        return;
    }
    ASSERT(takt_freertos.suspended == 0);
    self->notified[index] = AWAITED;
    takt_freertos_set_end(ticks);
    uint32_t ended = 0;
    while (self->notified[index] == AWAITED && (ended & (TIMED_OUT | ABORTED | RESUMED)) == 0) {
        takt_port_unlock(level);
        ended = takt_freertos_sleep();
        (void)takt_port_lock();
    }
}

BaseType_t xTaskGenericNotifyWait(UBaseType_t index, uint32_t clear_first, uint32_t clear_last,
                                  uint32_t *value, TickType_t ticks) {
    ASSERT(index < ENTRIES);
    task_t *self = takt_freertos_self();
    const takt_port_level_t level = takt_port_lock();
    if (self->notified[index] != PENDING) {
        self->values[index] &= ~clear_first;
        await(self, index, ticks, true, level);
    }
    if (value != NULL) {
        *value = self->values[index];
    }
    const bool is_notified = self->notified[index] == PENDING;
    if (is_notified) {
        self->values[index] &= ~clear_last;
    }
    self->notified[index] = IDLE;
    takt_port_unlock(level);
    return is_notified ? pdTRUE : pdFALSE;
}

uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t is_cleared, TickType_t ticks) {
    ASSERT(index < ENTRIES);
    task_t *self = takt_freertos_self();
    const takt_port_level_t level = takt_port_lock();
    await(self, index, ticks, self->values[index] == 0, level);
    const uint32_t value = self->values[index];
    if (value != 0) {
        self->values[index] = is_cleared != pdFALSE ? 0 : value - 1;
    }
    self->notified[index] = IDLE;
    takt_port_unlock(level);
    return value;
}

/* ---- to clear --------------------------------------------------------------------------------------------------- */

BaseType_t xTaskGenericNotifyStateClear(TaskHandle_t handle, UBaseType_t index) {
    ASSERT(index < ENTRIES);
    task_t *task = takt_freertos_task(handle);
    const takt_port_level_t level = takt_port_lock();
    const bool is_pending = task->notified[index] == PENDING;
    if (is_pending) {
        task->notified[index] = IDLE;
    }
    takt_port_unlock(level);
    return is_pending ? pdPASS : pdFAIL;
}

uint32_t ulTaskGenericNotifyValueClear(TaskHandle_t handle, UBaseType_t index, uint32_t bits) {
    ASSERT(index < ENTRIES);
    task_t *task = takt_freertos_task(handle);
    const takt_port_level_t level = takt_port_lock();
    const uint32_t value = task->values[index];
    task->values[index] = value & ~bits;
    takt_port_unlock(level);
    return value;
}
