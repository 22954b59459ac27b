/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls: when the allocator of windows is called, and what that takes.
 *
 * Source: S3, 4.2 and 4.3. A call hands over the next windows of one task, as many as `bulk` says. It is due as soon as
 * no window that was handed over is still to begin, so that the next one is there before it is needed. A window is
 *
 *   ready ---- its start ----> active <-- work ends, or comes --> asleep ---- its end, or its budget used up ----> ended
 *
 * and of those that are ready there is only a count, because windows follow from their numbers; see window.h.
 *
 * Calls take no time, or they are the jobs of the allocator's own task, first come, first served: on top of all others
 * with a budget in every period, or in spare time and on top from the last safe instant on (S3's dual priorities).
 * Those of instant 0, when tasks register, never take time. A window whose call ends after its start opens then,
 * with its whole budget, unless its end has come.
 * Cost: O(1) per call, amortised, beside timers and ready sets. */
#ifndef TAKT_POLICY_CALLS_H
#define TAKT_POLICY_CALLS_H

#include "core/allocator.h"

enum { TAKT_CALLS_BULK = 65535 };

/* The call that a task waits for. */
typedef struct takt_call {
    takt_task_t *task;
    takt_instant_t asked;    /* since when */
    takt_instant_t needed;   /* then the first of its windows begins; `asked` if that is over */
    takt_instant_t safe;     /* on top from then on it still ends before it is needed */
    struct takt_call *next;  /* that was asked for */
    struct takt_call *after; /* next and last one of those behind which nobody has an earlier safe instant */
    struct takt_call *before;
    bool is_asked;
} takt_call_t;

/* The calls of a system. Caller's memory, zeroed. */
typedef struct takt_calls {
    takt_allocation_t allocation; /* of the allocator's own task; first of all */
    uint32_t bulk;                /* windows of one call, 1 .. TAKT_CALLS_BULK */
    takt_task_t *task;            /* executes the calls; NULL: they take no time */
    takt_call_t *first;           /* that are asked for, first come first */
    takt_call_t *last;
    takt_call_t *first_urgent; /* of these: who says when to go on top, ascending by safe instants */
    takt_call_t *last_urgent;
} takt_calls_t;

struct takt_windowed;

/* What the allocator's own task is added by: kinds of allocators. */
extern const takt_allocator_t takt_allocator_on_top;
extern const takt_allocator_t takt_allocator_in_spare_time;

/* Calls are the jobs of `task` from now on, which is added under the root of `dispatcher`; in file order it comes after
 * all others. `windowed`, zeroed, is its record. wcet: of one call; on top it has `budget` in each `period` from
 * instant 0 on. Its level in a ready set of levels is its own, behind all others; nobody else has level 0. */
void takt_calls_take_time(takt_calls_t *calls, const takt_allocator_t *kind, takt_dispatcher_t *dispatcher,
                          struct takt_windowed *windowed, takt_task_t *task, takt_entity_t *entity,
                          const takt_task_parameters_t *parameters, takt_duration_t budget);

/* Calls the allocator for `task`, or asks for the call, if one is due. */
void takt_calls_ask(takt_task_t *task, takt_instant_t instant);

#endif
