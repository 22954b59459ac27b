/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The scheduler lock of the program; a file of its own, because it needs the kernel's full pass. */
#include "compat/freertos/program.h"

#include "kernel/scheduler_lock.h"

static takt_scheduler_lock_t lock;

static void hold(void) {
    if (lock.mutex.mutex.parent == NULL) {
        (void)takt_scheduler_lock_init(&lock, takt_freertos.home);
    }
    const takt_status_t status = takt_scheduler_lock(&lock);
    ASSERT(status == TAKT_OK); /* the task is in the program's server */
    (void)status;
}

#if configUSE_PREEMPTION == 0

void takt_freertos_begin_turn(void) { hold(); }

void takt_freertos_end_turn(void) { (void)takt_scheduler_unlock(&lock); }

/* The running task holds the lock, and the last resumption does not let others run. */
void vTaskSuspendAll(void) { takt_freertos.suspended++; }

BaseType_t xTaskResumeAll(void) {
    ASSERT(takt_freertos.suspended != 0);
    takt_freertos.suspended--;
    return pdFALSE;
}

#else

/* Before the start there is nothing to keep from running. */
void vTaskSuspendAll(void) {
    if (takt_freertos.suspended == 0 && takt_freertos.is_started) {
        const uint32_t nesting = takt_freertos_open();
        hold();
        takt_freertos.suspended++;
        takt_freertos_close(nesting);
    } else {
        takt_freertos.suspended++;
    }
}

/* A task that has run meanwhile has returned from a wait, or begun. */
BaseType_t xTaskResumeAll(void) {
    ASSERT(takt_freertos.suspended != 0);
    if (--takt_freertos.suspended != 0 || !takt_freertos.is_started) {
        return pdFALSE;
    }
    const uint32_t resumptions = takt_freertos.resumptions;
    const uint32_t nesting = takt_freertos_open();
    (void)takt_scheduler_unlock(&lock);
    takt_freertos_close(nesting);
    return takt_freertos.resumptions != resumptions ? pdTRUE : pdFALSE;
}

#endif
