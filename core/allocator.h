/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Allocator: assigns windows, that is deadlines and budgets, to the jobs of its tasks while the system runs.
 *
 * Source: the split of allocator (fills attributes) and dispatcher (obeys them) of Wang and Lin 1999. A task with an
 * allocation has no releases of its own: its allocator begins, moves and ends its jobs. While the task is open
 * (TAKT_ATTRIBUTE_BUDGET), its execution is charged to job.remaining, the budget of the current window, and to no
 * other budget.
 *
 *              begin, resume                  budget used up: exhaust()
 *   no window ---------------> open --------------------------------------> closed: throttle, or background
 *      ^                        |  move: another deadline or budget            |  resume: a new window
 *      +------- complete() -----+------------------- complete() ---------------+
 *
 * An allocator is called after execution has been charged. At one instant the second timers of all tasks fire first
 * (finish), then the allocator's own (timer), then the start timers (start). */
#ifndef TAKT_CORE_ALLOCATOR_H
#define TAKT_CORE_ALLOCATOR_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

enum { TAKT_ALLOCATOR_VERSION = 3 };

/* X(constant, word): what happened to a task, as its allocator reports it; the word is that of tables. */
#define TAKT_ALLOCATION_EVENTS(X)                                                          \
    X(ADMITTED, "admitted") /* its request, to enter or for new parameters, is admitted */ \
    X(REJECTED, "rejected") /* its request is rejected; nothing changes */                 \
    X(ENTERED, "entered")                                                                  \
    X(LEFT, "left")                                                                        \
    X(RERATED, "re-rated")                                                                 \
    X(SUSPENDED, "suspended") /* it has no rate any more */                                \
    X(RESUMED, "resumed")                                                                  \
    X(REFILLED, "refilled") /* its budget was exhausted and replenished at once */         \
    X(OVERRUN, "overrun")   /* its budget was exhausted, and the task waits */             \
    X(FINISHED, "finished") /* its job requested the whole budget and has received it */   \
    X(ABORTED, "aborted")   /* its job ends unfinished */                                  \
    X(CUT, "cut")           /* its job ends with its mandatory part done */                \
    X(CHANGED, "in force")  /* the parameters that it requested are in force */

#define TAKT_ALLOCATION_EVENT(constant, word) TAKT_ALLOCATION_##constant,
typedef enum takt_allocation_event { TAKT_ALLOCATION_EVENTS(TAKT_ALLOCATION_EVENT) } takt_allocation_event_t;
#undef TAKT_ALLOCATION_EVENT

struct takt_allocation;

/* One file in policy/. Instants are nominal, `now` is observed. These may be NULL: enter, leave and request if no
 * requests are made; timer if it is never armed; stop; begin if windows are not handed over; lock and unlock if no
 * task locks a resource; may_lock if every task may lock every resource. */
typedef struct takt_allocator {
    uint16_t version; /* TAKT_ALLOCATOR_VERSION */
    uint16_t size;    /* sizeof(takt_allocator_t) when the allocator was compiled */
    const char *name;
    /* The task requests to enter, or to leave. */
    void (*enter)(takt_task_t *task, takt_instant_t now);
    void (*leave)(takt_task_t *task, takt_instant_t now);
    /* The task requests the parameters of `change`, a change of this task that is not handed over yet. */
    void (*request)(takt_task_t *task, takt_change_t *change, takt_instant_t now);
    /* The second timer of `task`, extension->expiry, has expired. */
    void (*finish)(takt_task_t *task, takt_instant_t instant);
    /* The timer of `allocation` has expired. */
    void (*timer)(struct takt_allocation *allocation, takt_instant_t instant);
    /* The start timer of `task`, task->timer, has expired. */
    void (*start)(takt_task_t *task, takt_instant_t instant);
    /* The work of the current job is done. */
    void (*complete)(takt_task_t *task, takt_instant_t now);
    /* The budget of `task`, which is open, is exhausted. */
    void (*exhaust)(takt_task_t *task, takt_instant_t now);
    /* `task`, which is open, stops running: another task with a budget has been selected. */
    void (*stop)(takt_task_t *task, takt_instant_t now);
    /* A window of `task` starts, or was handed over after its start; policy/calls.h. */
    void (*begin)(takt_task_t *task, takt_instant_t now);
    /* The current job of `task` has locked `resource`, whose ceiling `lock` writes; or has unlocked it. */
    void (*lock)(takt_task_t *task, takt_resource_t *resource);
    void (*unlock)(takt_task_t *task, const takt_resource_t *resource, takt_instant_t now);
    /* Returns true if jobs of `task` may lock `resource`; for platforms that check for misuse. */
    bool (*may_lock)(const takt_task_t *task, const takt_resource_t *resource);
} takt_allocator_t;

/* An instance of an allocator. First member of the allocator's own record, which is the caller's memory. */
typedef struct takt_allocation {
    const takt_allocator_t *functions;
    takt_dispatcher_t *dispatcher;
    takt_timer_t timer;
} takt_allocation_t;

/* ---- what a platform calls, before the system starts ---- */

/* Initialises `allocation` for `dispatcher`; its tasks are children of the root. */
void takt_allocation_init(takt_allocation_t *allocation, const takt_allocator_t *functions,
                          takt_dispatcher_t *dispatcher);

/* ---- what an allocator calls ---- */

TAKT_INLINE const takt_allocator_t *takt_task_allocator(const takt_task_t *task) {
    return task->extension->allocation->functions;
}

TAKT_INLINE bool takt_task_is_open(const takt_task_t *task) {
    return (task->entity->attributes & TAKT_ATTRIBUTE_BUDGET) != 0;
}

/* Arm a timer of `task`; if it is armed already, it moves to `instant`. */
void takt_allocator_arm_finish(takt_task_t *task, takt_instant_t instant);
void takt_allocator_arm_start(takt_task_t *task, takt_instant_t instant);

/* Arms the timer of `allocation` at `instant`, unless it is armed for that instant or an earlier one. */
void takt_allocator_call(takt_allocation_t *allocation, takt_instant_t instant);

/* Makes the next job of `task` the current one. The task must have no current job. The job has no window yet. */
void takt_allocator_begin_job(takt_task_t *task, takt_instant_t release);

/* Opens a window of the current job, or changes the open one. The job must hold no resource. */
void takt_allocator_open(takt_task_t *task, takt_instant_t deadline, takt_duration_t budget,
                         takt_instant_t instant);

/* As takt_allocator_open, but with `key`, whatever the policy, and without a deadline. It is the last of its equals. */
void takt_allocator_place(takt_task_t *task, takt_key_t key, takt_duration_t budget, takt_instant_t instant);

/* Closes the window: the current job waits. It must hold no resource. */
void takt_allocator_throttle(takt_task_t *task, takt_instant_t instant);

/* Closes the window: the current job continues with `key`, charged to no budget. */
void takt_allocator_run_in_background(takt_task_t *task, takt_key_t key);

/* Ends the current job, and its window if there is one. */
void takt_allocator_end_job(takt_task_t *task, takt_instant_t instant);

/* Records what happened to `task`, if there is a trace; `value` is below 2^56. */
void takt_allocator_note(const takt_task_t *task, takt_allocation_event_t event, takt_instant_t now,
                         uint64_t value);

/* The event of a record that takt_allocator_note made. */
TAKT_INLINE takt_allocation_event_t takt_allocation_event_of(uint64_t value) {
    return (takt_allocation_event_t)(value & 255u);
}

TAKT_C_END

#endif
