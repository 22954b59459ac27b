/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How tasks wait, and how they are woken; see program.h. */
#include "compat/freertos/program.h"

program_t takt_freertos = {.ticks = configINITIAL_TICK_COUNT};

/* The name of a task's thread is in the task. */
task_t *takt_freertos_running(void) {
    takt_thread_t *thread = takt_kernel_running();
    task_t *task = (task_t *)(void *)thread;
    return thread != NULL && thread->name == task->name ? task : NULL;
}

/* ---- time ------------------------------------------------------------------------------------------------- */

_Static_assert(TAKT_TICK_HZ % (configTICK_RATE_HZ) == 0,
               "configTICK_RATE_HZ: a tick is no whole number of ticks of Takt's clock");
_Static_assert(TAKT_TICK_HZ / (configTICK_RATE_HZ) > 0 && TAKT_TICK_HZ / (configTICK_RATE_HZ) <= UINT32_MAX,
               "configTICK_RATE_HZ: a tick is 1 .. 2^32 - 1 ticks of Takt's clock");

/* Long division, for a processor that divides words: the time since the last call seldom exceeds one. */
static uint64_t whole_ticks(uint64_t elapsed) {
    uint64_t part = (uint64_t)TAKT_FREERTOS_TICK << 31;
    uint64_t ticks = 0;
    for (uint32_t count = UINT32_C(1) << 31; (elapsed >> 32) != 0;) {
        if (elapsed >= part) {
            elapsed -= part;
            ticks += count;
        } else {
            part >>= 1;
            count >>= 1;
        }
    }
    return ticks + (uint32_t)elapsed / TAKT_FREERTOS_TICK;
}

TickType_t takt_freertos_count(void) {
    const takt_port_level_t level = takt_port_lock();
    const uint64_t ticks = whole_ticks(takt_kernel_now() - takt_freertos.tick);
    takt_freertos.ticks += ticks;
    takt_freertos.tick += ticks * TAKT_FREERTOS_TICK;
    const TickType_t count = (TickType_t)takt_freertos.ticks;
    takt_port_unlock(level);
    return count;
}

takt_instant_t takt_freertos_instant(uint64_t tick) {
    const uint64_t ahead = tick - takt_freertos.ticks;
    return tick > takt_freertos.ticks ? takt_freertos.tick + ahead * TAKT_FREERTOS_TICK : takt_freertos.tick;
}

/* ---- to wait ------------------------------------------------------------------------------------------------ */

void takt_freertos_set_end(TickType_t ticks) {
    (void)takt_freertos_count();
    takt_freertos_self()->until = ticks == portMAX_DELAY && INCLUDE_vTaskSuspend == 1
                                      ? TAKT_NEVER
                                      : takt_freertos.tick + (uint64_t)ticks * TAKT_FREERTOS_TICK;
}

bool takt_freertos_join(waiters_t *waiters, limit_t *limit) {
    task_t *self = takt_freertos_self();
    if (limit->ticks == 0) {
        return false;
    }
    configASSERT(takt_freertos.suspended == 0);
    if (!limit->is_begun) {
        limit->is_begun = true;
        takt_freertos_set_end(limit->ticks);
    }
    self->next_waiter = waiters->last;
    self->waits_in = waiters;
    waiters->last = self;
    return true;
}

uint32_t takt_freertos_sleep(void) {
    task_t *self = takt_freertos_self();
    uint32_t bits;
    do {
        if (self->until == TAKT_NEVER) {
            (void)takt_notification_take(&bits);
        } else {
            (void)takt_notification_take_until(&bits, self->until);
        }
    } while (bits == SHIFTED);
    const takt_port_level_t level = takt_port_lock();
    takt_freertos_leave(self);
    takt_freertos.resumptions++;
    takt_port_unlock(level);
    return bits != 0 ? bits : TIMED_OUT;
}

void takt_freertos_await(limit_t *limit) {
    if ((takt_freertos_sleep() & (TIMED_OUT | ABORTED)) != 0) {
        limit->ticks = 0;
    }
}

void takt_freertos_leave(task_t *task) {
    if (task->waits_in == NULL) {
        return;
    }
    task_t **link = &task->waits_in->last;
    while (*link != task) {
        link = &(*link)->next_waiter;
    }
    *link = task->next_waiter;
    task->waits_in = NULL;
}

/* ---- to wake ------------------------------------------------------------------------------------------------ */

task_t *takt_freertos_first(waiters_t *waiters) {
    task_t *first = waiters->last;
    if (first == NULL) {
        return NULL;
    }
    for (task_t *task = first->next_waiter; task != NULL; task = task->next_waiter) {
        if (task->priority >= first->priority) {
            first = task;
        }
    }
    takt_freertos_leave(first);
    return first;
}

/* Keeps what cannot be done now. Closed. */
static void keep(task_t *task) {
    const takt_port_level_t level = takt_port_lock();
    if (!task->is_pending) {
        task->is_pending = true;
        task->next_pending = takt_freertos.pending;
        takt_freertos.pending = task;
    }
    takt_port_unlock(level);
}

bool takt_freertos_wake(task_t *task, uint32_t bits) {
    if (task == NULL) {
        return false;
    }
    const task_t *running = takt_freertos_running();
    const bool is_more_urgent = running == NULL || task->priority > running->priority;
    if (takt_port_is_open()) {
        (void)takt_thread_notify(&task->thread, bits);
    } else if (takt_port_is_in_isr()) {
        (void)takt_thread_notify_from_isr(&task->thread, bits);
    } else {
        task->pending |= bits;
        keep(task);
    }
    return is_more_urgent;
}

/* Another task may change the priority before the kernel has this one: so the kernel is asked what it has. */
static void apply_priority(task_t *task) {
    uint32_t applied;
    while (takt_thread_priority(&task->thread, &applied) == TAKT_OK && applied != task->priority &&
           takt_thread_set_priority(&task->thread, task->priority) == TAKT_OK) {
    }
}

void takt_freertos_set_priority(task_t *task) {
    if (!takt_freertos.is_started) {
        return;
    }
    if (takt_port_is_open()) {
        apply_priority(task);
    } else {
        keep(task);
    }
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

void takt_freertos_settle(void) {
    for (task_t *task = take_pending(); task != NULL; task = take_pending()) {
        const uint32_t bits = task->pending;
        task->pending = 0;
        if (bits != 0) {
            (void)takt_thread_notify(&task->thread, bits);
        }
        apply_priority(task);
    }
    if (takt_freertos.is_yielding) {
        takt_freertos.is_yielding = false;
        (void)takt_thread_yield();
    }
}
