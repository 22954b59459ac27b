/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Critical sections: the lock of the port, with a count; and what they keep until they end. */
#include "compat/freertos/program.h"

/* ---- what is kept ------------------------------------------------------------------------------------------- */

static void keep(task_t *task, uint32_t bits) {
    const takt_port_level_t level = takt_port_lock();
    task->pending |= bits;
    if (!task->is_pending) {
        task->is_pending = true;
        task->next_pending = takt_freertos.pending;
        takt_freertos.pending = task;
    }
    takt_port_unlock(level);
}

/* Removes and returns the most urgent of the pending tasks, of equals the first: it runs as if all became ready at once. */
static task_t *take_pending(void) {
    const takt_port_level_t level = takt_port_lock();
    task_t **first = &takt_freertos.pending;
    for (task_t **link = first; *link != NULL; link = &(*link)->next_pending) {
        if ((*link)->priority >= (*first)->priority) {
            first = link;
        }
    }
    task_t *task = *first;
    if (task != NULL) {
        *first = task->next_pending;
        task->is_pending = false;
    }
    takt_port_unlock(level);
    return task;
}

/* Open. */
static void settle(void) {
    for (task_t *task = take_pending(); task != NULL; task = take_pending()) {
        const uint32_t bits = task->pending;
        task->pending = 0;
        if (bits != 0) {
            (void)takt_thread_notify(&task->thread, bits);
        }
        takt_freertos_apply_priority(task);
    }
    if (takt_freertos.is_yielding) {
        takt_freertos.is_yielding = false;
        (void)takt_thread_yield();
    }
}

/* Opens to `level`, and does what was kept if that is open. */
static void open_to(takt_port_level_t level) {
    takt_port_unlock(level);
    if ((takt_freertos.pending != NULL || takt_freertos.is_yielding) && takt_port_is_open()) {
        settle();
    }
}

/* ---- sections -------------------------------------------------------------------------------------------------- */

static void open_section(void) {
    takt_freertos.nesting = 0;
    open_to(takt_freertos.level);
}

static void close_section(uint32_t nesting) {
    vPortEnterCritical();
    takt_freertos.nesting = nesting;
}

static const sections_t sections = {.keep = keep, .open = open_section, .close = close_section};

static takt_port_level_t lock(void) {
    const takt_port_level_t level = takt_port_lock();
    takt_freertos.sections = &sections;
    return level;
}

void vPortEnterCritical(void) {
    const takt_port_level_t level = lock();
    if (takt_freertos.nesting++ == 0) {
        takt_freertos.level = level;
    }
}

void vPortExitCritical(void) {
    configASSERT(takt_freertos.nesting != 0);
    if (--takt_freertos.nesting == 0) {
        open_to(takt_freertos.level);
    }
}

void vPortDisableInterrupts(void) { (void)lock(); }

void vPortEnableInterrupts(void) {
    (void)takt_port_open();
    settle();
}

UBaseType_t ulPortSetInterruptMask(void) { return lock(); }

void vPortClearInterruptMask(UBaseType_t level) { open_to((takt_port_level_t)level); }

BaseType_t xPortIsInsideInterrupt(void) { return takt_port_is_in_isr() ? pdTRUE : pdFALSE; }

void vPortYield(void) {
    if (takt_port_is_open()) {
        (void)takt_thread_yield();
    } else {
        takt_freertos.is_yielding = true;
    }
}
