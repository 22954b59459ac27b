/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Allocator: who gives the jobs of tasks their windows, that is deadlines and budgets, while the system runs.
 *
 * Source: S3's split of allocator (fills attributes) and dispatcher (obeys them). A task with an allocation has no
 * releases of its own: its allocator begins, moves and ends its jobs. What is charged is job.remaining, the budget
 * of the current window, while the task is open (TAKT_ATTRIBUTE_BUDGET); nobody else pays for that.
 *
 *              begin, resume                  budget used up: exhaust()
 *   no window ---------------> open --------------------------------------> closed: throttle, or background
 *      ^                        |  move: another deadline or budget            |  resume: a new window
 *      +------- complete() -----+------------------- complete() ---------------+
 *
 * An allocator is called with the account up to date. At one instant the second timers of all tasks fire first
 * (finish), then the allocator's own (timer), then the start timers (start). */
#ifndef TAKT_CORE_ALLOCATOR_H
#define TAKT_CORE_ALLOCATOR_H

#include "core/dispatcher.h"

enum { TAKT_ALLOCATOR_VERSION = 3 };

/* What became of a task, as its allocator says. */
typedef enum takt_allocation_event {
    TAKT_ALLOCATION_ADMITTED = 0, /* its request, to enter or for new parameters, is taken */
    TAKT_ALLOCATION_REJECTED = 1, /* its request is not, and all is as it was */
    TAKT_ALLOCATION_ENTERED = 2,
    TAKT_ALLOCATION_LEFT = 3,
    TAKT_ALLOCATION_RERATED = 4,
    TAKT_ALLOCATION_SUSPENDED = 5, /* it has no rate any more */
    TAKT_ALLOCATION_RESUMED = 6,
    TAKT_ALLOCATION_REFILLED = 7, /* its budget was used up, and it got another one at once */
    TAKT_ALLOCATION_OVERRUN = 8,  /* its budget was used up, and it waits */
    TAKT_ALLOCATION_FINISHED = 9, /* its job wanted the whole budget and has had it */
    TAKT_ALLOCATION_ABORTED = 10, /* its job ends unfinished */
    TAKT_ALLOCATION_CUT = 11,     /* its job ends; what had to be done of it is done */
    TAKT_ALLOCATION_CHANGED = 12, /* the parameters that it asked for are in force */
} takt_allocation_event_t;

struct takt_allocation;

/* One file in policy/. Instants are nominal, `now` is observed. NULL may be enter, leave and request where no requests
 * are made, timer where it is never armed, stop, begin where windows are not handed over, lock and unlock where no
 * task locks anything, and may_lock where any task may. */
typedef struct takt_allocator {
    uint16_t version; /* TAKT_ALLOCATOR_VERSION */
    uint16_t size;    /* sizeof(takt_allocator_t) of who compiled it */
    const char *name;
    /* Requests: the task is to enter, or to leave. */
    void (*enter)(takt_task_t *task, takt_instant_t now);
    void (*leave)(takt_task_t *task, takt_instant_t now);
    /* Likewise: its parameters are to be those of `change`, one of this task that is not handed over yet. */
    void (*request)(takt_task_t *task, takt_change_t *change, takt_instant_t now);
    /* The second timer of `task` has come, extension->expiry. */
    void (*finish)(takt_task_t *task, takt_instant_t instant);
    /* The timer of `allocation` has come. */
    void (*timer)(struct takt_allocation *allocation, takt_instant_t instant);
    /* The start timer of `task` has come, task->timer. */
    void (*start)(takt_task_t *task, takt_instant_t instant);
    /* The work of the current job is done. */
    void (*complete)(takt_task_t *task, takt_instant_t now);
    /* The budget of `task`, which is open, is used up. */
    void (*exhaust)(takt_task_t *task, takt_instant_t now);
    /* `task`, which is open, stops running: another one goes first. */
    void (*stop)(takt_task_t *task, takt_instant_t now);
    /* The start of a window of `task` has come, or that window was handed over after its start; policy/calls.h. */
    void (*begin)(takt_task_t *task, takt_instant_t now);
    /* The current job of `task` has got `resource`, whose ceiling is to be written; or has unlocked it. */
    void (*lock)(takt_task_t *task, takt_resource_t *resource);
    void (*unlock)(takt_task_t *task, const takt_resource_t *resource, takt_instant_t now);
    /* Whether jobs of `task` may lock `resource`; for platforms that look for misuse. */
    bool (*may_lock)(const takt_task_t *task, const takt_resource_t *resource);
} takt_allocator_t;

/* One allocator at work. First member of the allocator's own record, which is the caller's memory. */
typedef struct takt_allocation {
    const takt_allocator_t *functions;
    takt_dispatcher_t *dispatcher;
    takt_timer_t timer;
} takt_allocation_t;

/* ---- what a platform calls, before the system starts ---- */

/* Makes `allocation` one of `dispatcher`, whose root its tasks are under. */
void takt_allocation_init(takt_allocation_t *allocation, const takt_allocator_t *functions,
                          takt_dispatcher_t *dispatcher);

/* ---- what an allocator calls ---- */

TAKT_INLINE const takt_allocator_t *takt_task_allocator(const takt_task_t *task) {
    return task->extension->allocation->functions;
}

TAKT_INLINE bool takt_task_is_open(const takt_task_t *task) {
    return (task->entity->attributes & TAKT_ATTRIBUTE_BUDGET) != 0;
}

/* Arms the timers of `task`, whether they are armed or not. */
void takt_allocator_arm_finish(takt_task_t *task, takt_instant_t instant);
void takt_allocator_arm_start(takt_task_t *task, takt_instant_t instant);

/* Arms the timer of `allocation` unless it comes at `instant` or before. */
void takt_allocator_call(takt_allocation_t *allocation, takt_instant_t instant);

/* The next job of `task`, which has none, becomes the current one. It has no window yet. */
void takt_allocator_begin_job(takt_task_t *task, takt_instant_t release);

/* Opens a window of the current job, which holds nothing, or changes the one that is open. */
void takt_allocator_open(takt_task_t *task, takt_instant_t deadline, takt_duration_t budget,
                         takt_instant_t instant);

/* As takt_allocator_open, with `key` whatever the policy orders by, and without a deadline. It is the last of its equals. */
void takt_allocator_place(takt_task_t *task, takt_key_t key, takt_duration_t budget, takt_instant_t instant);

/* Closes the window: the current job, which holds nothing, waits. */
void takt_allocator_throttle(takt_task_t *task, takt_instant_t instant);

/* Closes the window: the current job goes on with `key`, and nobody pays for it. */
void takt_allocator_run_in_background(takt_task_t *task, takt_key_t key);

/* Ends the current job, and its window if there is one. */
void takt_allocator_end_job(takt_task_t *task, takt_instant_t instant);

/* Records what became of `task`, if anybody records; `value` is below 2^56. */
void takt_allocator_note(const takt_task_t *task, takt_allocation_event_t event, takt_instant_t now,
                         uint64_t value);

/* The event and the value of a record that takt_allocator_note made. */
TAKT_INLINE takt_allocation_event_t takt_allocation_event_of(uint64_t value) {
    return (takt_allocation_event_t)(value & 255u);
}
TAKT_INLINE uint64_t takt_allocation_value_of(uint64_t value) { return value >> 8; }

#endif
