/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Critical sections, and calls for interrupts. */
#include "compat/freertos/program.h"

void vPortEnterCritical(void) {
    const takt_port_level_t level = takt_port_lock();
    if (takt_freertos.nesting++ == 0) {
        takt_freertos.level = level;
    }
}

/* Opens to `level`, and does what was pending if that is open. */
static void open_to(takt_port_level_t level) {
    const bool has_work = takt_freertos.pending != NULL || takt_freertos.is_yielding;
    takt_port_unlock(level);
    if (has_work && takt_port_is_open()) {
        takt_freertos_settle();
    }
}

void vPortExitCritical(void) {
    configASSERT(takt_freertos.nesting != 0);
    if (--takt_freertos.nesting == 0) {
        open_to(takt_freertos.level);
    }
}

void vPortDisableInterrupts(void) { (void)takt_port_lock(); }

void vPortEnableInterrupts(void) {
    (void)takt_port_open();
    takt_freertos_settle();
}

UBaseType_t ulPortSetInterruptMask(void) { return takt_port_lock(); }

void vPortClearInterruptMask(UBaseType_t level) { open_to((takt_port_level_t)level); }

BaseType_t xPortIsInsideInterrupt(void) { return takt_port_is_in_isr() ? pdTRUE : pdFALSE; }

void vPortYield(void) {
    if (takt_port_is_open()) {
        (void)takt_thread_yield();
    } else {
        takt_freertos.is_yielding = true;
    }
}

uint32_t takt_freertos_open(void) {
    const uint32_t nesting = takt_freertos.nesting;
    if (nesting != 0) {
        takt_freertos.nesting = 0;
        open_to(takt_freertos.level);
    }
    return nesting;
}

void takt_freertos_close(uint32_t nesting) {
    if (nesting != 0) {
        vPortEnterCritical();
        takt_freertos.nesting = nesting;
    }
}
