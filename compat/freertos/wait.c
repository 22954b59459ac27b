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

/* By divisions of words: one, unless the last call was 2^32 ticks of the clock ago. Interrupts come between two. */
TickType_t takt_freertos_count(void) {
    for (;;) {
        const takt_port_level_t level = takt_port_lock();
        const uint64_t elapsed = takt_kernel_now() - takt_freertos.tick;
        const bool is_long = elapsed > UINT32_MAX;
        const uint32_t ticks = (is_long ? UINT32_MAX : (uint32_t)elapsed) / TAKT_FREERTOS_TICK;
        takt_freertos.ticks += ticks;
        takt_freertos.tick += (uint64_t)ticks * TAKT_FREERTOS_TICK;
        const TickType_t count = (TickType_t)takt_freertos.ticks;
        takt_port_unlock(level);
        if (!is_long) {
            return count;
        }
    }
}

takt_instant_t takt_freertos_instant(uint64_t tick) {
    const uint64_t ahead = tick - takt_freertos.ticks;
    return tick > takt_freertos.ticks ? takt_freertos.tick + ahead * TAKT_FREERTOS_TICK : takt_freertos.tick;
}

/* ---- to wait ------------------------------------------------------------------------------------------------ */

void takt_freertos_set_end(TickType_t ticks) {
    if (ticks == portMAX_DELAY && INCLUDE_vTaskSuspend == 1) {
        takt_freertos_self()->until = TAKT_NEVER;
    } else {
        (void)takt_freertos_count();
        takt_freertos_self()->until = takt_freertos.tick + (uint64_t)ticks * TAKT_FREERTOS_TICK;
    }
}

bool takt_freertos_join(waiters_t *waiters, limit_t *limit) {
    task_t *self = takt_freertos_self();
    if (limit->ticks == 0) {
        return false;
    }
    ASSERT(takt_freertos.suspended == 0);
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
    takt_freertos_end_turn();
    do {
        if (self->until == TAKT_NEVER) {
            (void)takt_notification_take(&bits);
        } else {
            (void)takt_notification_take_until(&bits, self->until);
        }
    } while (bits == SHIFTED);
    takt_freertos_begin_turn();
#if TAKT_FREERTOS_STOPS_TICKS
    takt_freertos_start_ticks();
#endif
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

void takt_freertos_leave_list(task_t *task) {
    task_t **link = &task->waits_in->last;
    while (*link != task) {
        link = &(*link)->next_waiter;
    }
    *link = task->next_waiter;
    task->waits_in = NULL;
}

/* ---- to wake ------------------------------------------------------------------------------------------------ */

static bool has_time(const task_t *task) {
    return task->until == TAKT_NEVER || task->until > takt_kernel_now();
}

/* One whose time is up tries again by itself: it may run much later, and others would wait for it. */
task_t *takt_freertos_first_of(waiters_t *waiters) {
    task_t *first = NULL;
    for (task_t *task = waiters->last; task != NULL; task = task->next_waiter) {
        if ((first == NULL || task->priority >= first->priority) && has_time(task)) {
            first = task;
        }
    }
    if (first != NULL) {
        takt_freertos_leave(first);
    }
    return first;
}

void takt_freertos_notify(task_t *task, uint32_t bits) {
    if (takt_port_is_open()) {
        (void)takt_thread_notify(&task->thread, bits);
    } else if (takt_port_is_in_isr()) {
        (void)takt_thread_notify_from_isr(&task->thread, bits);
    } else if (takt_freertos.sections != NULL) {
        takt_freertos.sections->keep(task, bits);
    }
}

/* Another task may change the priority before the kernel has this one: so the kernel is asked what it has. */
void takt_freertos_apply_priority(task_t *task) {
    uint32_t applied;
    while (takt_thread_priority(&task->thread, &applied) == TAKT_OK && applied != task->priority &&
           takt_thread_set_priority(&task->thread, task->priority) == TAKT_OK) {
    }
}

void takt_freertos_set_priority(task_t *task) {
    if (takt_freertos.is_started && takt_port_is_open()) {
        takt_freertos_apply_priority(task);
    } else if (takt_freertos.sections != NULL) {
        takt_freertos.sections->keep(task, 0);
    }
}
