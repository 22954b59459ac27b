/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Ticks that have passed while the clock stood. */
#include "compat/freertos/program.h"

/* Moves the end of the wait of `task` to `length` earlier. Closed. Returns whether it waits for an end. */
static bool shift(task_t *task, takt_duration_t length) {
    const bool waits = task->until != TAKT_NEVER && takt_thread_state(&task->thread) == TAKT_THREAD_WAITING;
    if (waits) {
        task->until = task->until > length ? task->until - length : 0;
    }
    return waits;
}

BaseType_t xTaskCatchUpTicks(TickType_t ticks) {
    const uint32_t resumptions = takt_freertos.resumptions;
    ASSERT(takt_freertos.suspended == 0);
    vTaskSuspendAll();
    const takt_port_level_t level = takt_port_lock();
    (void)takt_freertos_count();
    takt_freertos.ticks += ticks;
    takt_port_unlock(level);
    for (task_t *task = takt_freertos.first; task != NULL; task = task->next) {
        const takt_port_level_t closed = takt_port_lock();
        const bool waits = shift(task, (uint64_t)ticks * TAKT_FREERTOS_TICK);
        takt_port_unlock(closed);
        if (waits) {
            takt_freertos_wake(task, SHIFTED);
        }
    }
    (void)xTaskResumeAll();
    return takt_freertos.resumptions != resumptions ? pdTRUE : pdFALSE;
}

void vTaskStepTick(TickType_t ticks) { (void)xTaskCatchUpTicks(ticks); }
