/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a call whose name ends with FromISR says to its caller; it may be a task. */
#include "compat/freertos/program.h"

void takt_freertos_wake_from_isr(task_t *task, BaseType_t *woken) {
    if (task == NULL) {
        return;
    }
    if (woken != NULL) {
        const task_t *running = takt_freertos_running();
        *woken = running == NULL || task->priority > running->priority ? pdTRUE : *woken;
    }
    takt_freertos_notify(task, WOKEN);
}
