/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Event groups. A set call wakes every task whose condition holds, and clears after that what those have asked for. A
 * woken task returns the bits as they were when it was woken. */
#include "compat/freertos/program.h"

#include "compat/freertos/include/event_groups.h"

/* The upper byte of the bits: what a waiting task asks for. */
#define CONTROL_SHIFT (sizeof(EventBits_t) * 8u - 8u)
#define CLEARS ((EventBits_t)1 << CONTROL_SHIFT)
#define NEEDS_ALL ((EventBits_t)2 << CONTROL_SHIFT)
#define MET ((EventBits_t)4 << CONTROL_SHIFT) /* its condition has held */
#define CONTROL ((EventBits_t)0xff << CONTROL_SHIFT)
#define BITS ((EventBits_t)~CONTROL)

typedef struct EventGroupDef_t group_t;

struct EventGroupDef_t {
    waiters_t waiters;
    EventBits_t bits;
    UBaseType_t number; /* for recorders */
    bool is_owned;
};

_Static_assert(sizeof(StaticEventGroup_t) >= sizeof(group_t), "StaticEventGroup_t holds a group");

/* ---- creation -------------------------------------------------------------------------------------------------- */

EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *buffer) {
    group_t *group = (group_t *)(void *)buffer;
    ASSERT(buffer != NULL);
    if (group != NULL) {
        *group = (group_t){.bits = 0};
    }
    return group;
}

EventGroupHandle_t xEventGroupCreate(void) {
    group_t *group = pvPortMalloc(sizeof(group_t));
    if (group != NULL) {
        *group = (group_t){.is_owned = true};
    }
    return group;
}

BaseType_t xEventGroupGetStaticBuffer(EventGroupHandle_t group, StaticEventGroup_t **buffer) {
    ASSERT(group != NULL && buffer != NULL);
    if (group->is_owned) {
        return pdFALSE;
    }
    *buffer = (StaticEventGroup_t *)(void *)group;
    return pdTRUE;
}

/* ---- to set -------------------------------------------------------------------------------------------------------- */

static bool holds(EventBits_t bits, EventBits_t awaited) {
    const EventBits_t own = awaited & BITS;
    return (awaited & NEEDS_ALL) != 0 ? (bits & own) == own : (bits & own) != 0;
}

/* Returns the first task that waits and whose condition holds, or any if `is_end`; it waits no more. Closed. */
static task_t *take(group_t *group, bool is_end) {
    task_t *first = NULL;
    const takt_instant_t now = takt_kernel_now();
    for (task_t *task = group->waiters.last; task != NULL; task = task->next_waiter) {
        if (is_end || (task->until > now && holds(group->bits, task->awaited))) {
            first = task;
        }
    }
    if (first != NULL) {
        takt_freertos_leave(first);
    }
    return first;
}

/* Wakes all whose condition holds; others run when that is done. */
EventBits_t xEventGroupSetBits(EventGroupHandle_t group, const EventBits_t bits) {
    ASSERT(group != NULL);
    ASSERT((bits & CONTROL) == 0);
    EventBits_t cleared = 0;
    vPortEnterCritical();
    group->bits |= bits;
    for (task_t *task = take(group, false); task != NULL; task = take(group, false)) {
        if ((task->awaited & CLEARS) != 0) {
            cleared |= task->awaited & BITS;
        }
        task->awaited = group->bits | MET;
        takt_freertos_wake(task, WOKEN);
    }
    group->bits &= ~cleared;
    vPortExitCritical();
    return xEventGroupGetBitsFromISR(group);
}

EventBits_t xEventGroupClearBits(EventGroupHandle_t group, const EventBits_t bits) {
    ASSERT(group != NULL);
    ASSERT((bits & CONTROL) == 0);
    const takt_port_level_t level = takt_port_lock();
    const EventBits_t before = group->bits;
    group->bits = before & ~bits;
    takt_port_unlock(level);
    return before;
}

EventBits_t xEventGroupGetBitsFromISR(EventGroupHandle_t group) {
    return *(volatile EventBits_t *)&group->bits;
}

/* What waits returns without its bits. */
void vEventGroupDelete(EventGroupHandle_t group) {
    ASSERT(group != NULL);
    vPortEnterCritical();
    for (task_t *task = take(group, true); task != NULL; task = take(group, true)) {
        task->awaited = MET;
        takt_freertos_wake(task, WOKEN);
    }
    vPortExitCritical();
    if (group->is_owned) {
        vPortFree(group);
    }
}

/* ---- to wait --------------------------------------------------------------------------------------------------------- */

/* The running task begins to wait for the condition in `awaited`. Closed. */
static void begin_wait(group_t *group, EventBits_t awaited, TickType_t ticks) {
    limit_t limit = {.ticks = ticks};
    takt_freertos_self()->awaited = awaited;
    (void)takt_freertos_join(&group->waiters, &limit);
}

/* Returns the bits when the condition held, or the wait ended. A deleted group is not read. */
static EventBits_t end_wait(group_t *group, EventBits_t awaited) {
    (void)takt_freertos_sleep();
    const EventBits_t then = takt_freertos_self()->awaited;
    if ((then & MET) != 0) {
        return then & BITS;
    }
    const takt_port_level_t level = takt_port_lock();
    const EventBits_t bits = group->bits;
    if ((awaited & CLEARS) != 0 && holds(bits, awaited)) {
        group->bits = bits & ~awaited;
    }
    takt_port_unlock(level);
    return bits;
}

EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, const EventBits_t bits, const BaseType_t clears,
                                const BaseType_t needs_all, TickType_t ticks) {
    ASSERT(group != NULL);
    ASSERT((bits & CONTROL) == 0);
    ASSERT(bits != 0);
    const EventBits_t awaited =
        bits | (clears != pdFALSE ? CLEARS : 0) | (needs_all != pdFALSE ? NEEDS_ALL : 0);
    const takt_port_level_t level = takt_port_lock();
    const EventBits_t before = group->bits;
    const bool is_met = holds(before, awaited);
    const bool waits = !is_met && ticks != 0;
    if (waits) {
        begin_wait(group, awaited, ticks);
    } else if (is_met && clears != pdFALSE) {
        group->bits = before & ~bits;
    }
    takt_port_unlock(level);
    return waits ? end_wait(group, awaited) : before;
}

/* The last one clears the bits of all, and does not wait. */
EventBits_t xEventGroupSync(EventGroupHandle_t group, const EventBits_t bits, const EventBits_t awaited,
                            TickType_t ticks) {
    ASSERT(group != NULL);
    ASSERT((awaited & CONTROL) == 0);
    ASSERT(awaited != 0);
    const EventBits_t all = awaited | CLEARS | NEEDS_ALL;
    vPortEnterCritical();
    const EventBits_t set = group->bits | bits;
    (void)xEventGroupSetBits(group, bits);
    const bool is_met = holds(set, all);
    const bool waits = !is_met && ticks != 0;
    if (waits) {
        begin_wait(group, all, ticks);
    } else if (is_met) {
        group->bits &= ~awaited;
    }
    const EventBits_t now = is_met ? set : group->bits;
    vPortExitCritical();
    return waits ? end_wait(group, all) : now;
}

/* ---- by interrupts --------------------------------------------------------------------------------------------------- */

void vEventGroupSetBitsCallback(void *group, uint32_t bits) {
    (void)xEventGroupSetBits(group, (EventBits_t)bits);
}

void vEventGroupClearBitsCallback(void *group, uint32_t bits) {
    (void)xEventGroupClearBits(group, (EventBits_t)bits);
}

UBaseType_t uxEventGroupGetNumber(void *group) { return group != NULL ? ((group_t *)group)->number : 0; }

void vEventGroupSetNumber(void *group, UBaseType_t number) { ((group_t *)group)->number = number; }

#if configUSE_TIMERS != 0

/* In the daemon, in the order of the calls: how many tasks are woken is not known before. */
BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, const EventBits_t bits, BaseType_t *woken) {
    return xTimerPendFunctionCallFromISR(vEventGroupSetBitsCallback, group, (uint32_t)bits, woken);
}

BaseType_t xEventGroupClearBitsFromISR(EventGroupHandle_t group, const EventBits_t bits) {
    return xTimerPendFunctionCallFromISR(vEventGroupClearBitsCallback, group, (uint32_t)bits, NULL);
}

#endif
