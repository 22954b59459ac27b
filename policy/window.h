/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Windows: shared by the allocators whose tasks run in windows that the clock opens and closes.
 *
 * Source: the job record of Wang and Lin 1999 of start time, finish time and budget. Its unit of scheduling is called
 * window here; a job is what the task releases every period, and jobs of one task are executed in their order. A
 * window has a budget and serves all pending jobs of its task. It is open from its start to its end, or until its
 * budget is exhausted. An unfinished job then waits for the next window of its task, unless its allocator ends it.
 *
 *                 start: budget, key                      end, or budget used up
 *   job waits ------------------------> job is open ------------------------------> job waits, or ends
 *
 * A window opens at its start, or when it is handed over if that is later (calls.h). The budget of a window without
 * work stays in job.remaining. One allocator is one file: budgets.c, time_driven.c, dual_priority.c, imprecise.c.
 * Tasks are periodic, directly under the root, and hold no resources. */
#ifndef TAKT_POLICY_WINDOW_H
#define TAKT_POLICY_WINDOW_H

#include "policy/calls.h"

TAKT_C_BEGIN

/* One window in a cycle. */
typedef struct takt_slot {
    takt_instant_t start;   /* within the cycle */
    takt_duration_t length; /* >= 1 */
} takt_slot_t;

/* Parameters of a task for its allocator; unused ones are 0. */
typedef struct takt_window_parameters {
    /* Dual-priority: from the release to the promotion, at most the deadline; imprecise: the part of the
     * wcet that must be done; of the allocator's own task on top: its budget. */
    takt_duration_t part;
    const takt_slot_t *slots; /* time-driven: of this task, ascending, apart; caller's memory */
    uint32_t slot_count;      /* time-driven: >= 1 */
    takt_duration_t cycle;    /* time-driven: slots repeat after this; no slot is longer */
} takt_window_parameters_t;

typedef struct takt_windowed {
    takt_task_extension_t extension; /* of the task */
    takt_window_parameters_t parameters;
    takt_key_t level;            /* of the task, which writes others to its job */
    takt_instant_t next_release; /* nominal */
    takt_instant_t next_slot;    /* time-driven: start */
    uint32_t slot;               /* time-driven: its place */
    takt_instant_t deadline;     /* of the last window, for its key; time-driven: its end */
    bool is_open;                /* a window is */
    bool is_optional;            /* imprecise: the mandatory part of the current job is done */
    takt_calls_t *calls;         /* of the system */
    takt_call_t call;
    takt_instant_t start; /* of the last window that has begun */
    uint64_t begun;       /* number of windows that have begun, handed over or not */
    uint64_t handed;      /* number of windows handed over; those beyond `begun` are ready */
    uint64_t called;      /* number of these calls */
} takt_windowed_t;

/* The allocators: suspend and abort let a job wait, or end it, when its budget is exhausted; the others belong to the
 * policies of the same names. */
extern const takt_allocator_t takt_allocator_suspend;
extern const takt_allocator_t takt_allocator_abort;
extern const takt_allocator_t takt_allocator_time_driven;
extern const takt_allocator_t takt_allocator_dual_priority;
extern const takt_allocator_t takt_allocator_imprecise;

/* Adds a task of `allocation`, in file order. `windowed` is zeroed, and `parameters` has its extension. The deadline of
 * a dual-priority or imprecise task is at most its period. `calls` are those of all tasks. */
void takt_windowed_add(takt_allocation_t *allocation, takt_calls_t *calls, takt_windowed_t *windowed,
                       takt_task_t *task, takt_entity_t *entity, const takt_task_parameters_t *parameters,
                       const takt_window_parameters_t *windows);

/* ---- what the allocators share ---- */

TAKT_INLINE takt_windowed_t *takt_windowed_of(const takt_task_t *task) {
    return TAKT_CONTAINER_OF(task->extension, takt_windowed_t, extension);
}

/* Returns the start of the next window. */
TAKT_INLINE takt_instant_t takt_windowed_next(const takt_windowed_t *windowed) {
    return windowed->parameters.slot_count > 0 ? windowed->next_slot : windowed->next_release;
}

/* True if the last window that has begun was handed over. */
TAKT_INLINE bool takt_windowed_is_there(const takt_windowed_t *windowed) {
    return windowed->begun <= windowed->handed;
}

/* `start` of takt_allocator_t, for allocators with a window at each release. */
void takt_windowed_start(takt_task_t *task, takt_instant_t instant);

/* Begins the next window, whose start is due. Calls the allocator if it was the last one handed over. */
void takt_windowed_begin(takt_task_t *task, takt_instant_t start);

/* Releases the next job. */
void takt_windowed_release(takt_task_t *task);

/* Ends the current job. The next waiting job, if any, becomes the current one without a window. */
void takt_windowed_end_job(takt_task_t *task, takt_instant_t now);

/* Lets the current job, if any, run with the rest of the budget of the window, if one is open. */
void takt_windowed_serve(takt_task_t *task, takt_instant_t instant);

/* Opens the window. */
void takt_windowed_open(takt_task_t *task, takt_instant_t deadline, takt_duration_t budget,
                        takt_instant_t instant);

/* Ends the window. */
void takt_windowed_close(takt_task_t *task, takt_instant_t instant);

/* `complete` of takt_allocator_t: the next job continues in the same window. */
void takt_windowed_complete(takt_task_t *task, takt_instant_t now);

/* `exhaust` of takt_allocator_t: the budget of the window is exhausted; the job waits. */
void takt_windowed_suspend(takt_task_t *task, takt_instant_t now);

TAKT_C_END

#endif
