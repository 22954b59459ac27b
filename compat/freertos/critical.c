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

/* Returns the thread of the first task with bits to be notified, and writes them; NULL: there is none. Closed. */
static takt_thread_t *next(uint32_t *bits) {
    task_t *first = NULL;
    for (task_t *task = takt_freertos.pending; task != NULL; task = task->next_pending) {
        first = task->pending != 0 ? task : first;
    }
    if (first == NULL) {
        return NULL;
    }
    *bits = first->pending;
    first->pending = 0;
    return &first->thread;
}

static task_t *take_pending(void) {
    const takt_port_level_t level = takt_port_lock();
    task_t *task = takt_freertos.pending;
    if (task != NULL) {
        takt_freertos.pending = task->next_pending;
        task->is_pending = false;
    }
    takt_port_unlock(level);
    return task;
}

/* All tasks become ready before one runs; then their priorities count. Open. */
static void settle(void) {
    (void)takt_thread_notify_each(next);
    for (task_t *task = take_pending(); task != NULL; task = take_pending()) {
        takt_freertos_apply_priority(task);
    }
    if (takt_freertos.is_yielding) {
        takt_freertos.is_yielding = false;
        takt_freertos_yield();
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

/* No budget ends a critical section: so a long one is reported, if the configuration says what is long. */
#ifdef configLONG_SECTION_TICKS

static takt_instant_t begun;

static void begin_measure(void) { begun = takt_kernel_now(); }

static takt_duration_t measured(void) { return takt_kernel_now() - begun; }

static void report(takt_duration_t ticks) {
    if (ticks >= configLONG_SECTION_TICKS) {
        vApplicationLongSectionHook(takt_freertos_running(), ticks);
    }
}

#else

static void begin_measure(void) {}

static takt_duration_t measured(void) { return 0; }

static void report(takt_duration_t ticks) { (void)ticks; }

#endif

void vPortEnterCritical(void) {
    const takt_port_level_t level = lock();
    if (takt_freertos.nesting++ == 0) {
        takt_freertos.level = level;
        begin_measure();
    }
}

void vPortExitCritical(void) {
    ASSERT(takt_freertos.nesting != 0);
    if (--takt_freertos.nesting == 0) {
        const takt_duration_t ticks = measured();
        open_to(takt_freertos.level);
        report(ticks);
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
        takt_freertos_yield();
    } else {
        takt_freertos.is_yielding = true;
    }
}
