/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls: when the allocator of windows is called, and the cost of a call.
 *
 * Source: Wang and Lin 1999, 4.2 and 4.3. A call hands over the next `bulk` windows of one task. It is due as soon as
 * all windows handed over have begun, so that the next one is available before its start. The states of a window are
 *
 *   ready -- its start --> active <-- work ends, or comes --> asleep -- its end, or its budget used up --> ended
 *
 * Ready windows are only counted, because windows follow from their numbers; see window.h.
 *
 * Calls take no time, or they are jobs of the allocator's own task, in FIFO order. That task is more urgent than all
 * others, with a budget in every period; or it runs in spare time, and on top from the last safe instant on
 * (the dual priorities of Wang and Lin 1999). Calls at instant 0, when tasks register, never take time. A window whose
 * call ends after its start opens at the end of the call, with its whole budget, unless the window is over.
 * Cost: O(1) per call, amortised, beside timers and ready sets. */
#ifndef TAKT_POLICY_CALLS_H
#define TAKT_POLICY_CALLS_H

#include "core/allocator.h"

TAKT_C_BEGIN

enum { TAKT_CALLS_BULK = 65535 };

/* A call that a task has requested. */
typedef struct takt_call {
    takt_task_t *task;
    takt_instant_t asked;    /* when it was requested */
    takt_instant_t needed;   /* start of the first of its windows; `asked` if that is past */
    takt_instant_t safe;     /* last instant from which it, run on top, ends by `needed` */
    struct takt_call *next;  /* requested after this one */
    struct takt_call *after; /* neighbours in the list of calls with no earlier safe instant behind them */
    struct takt_call *before;
    bool is_asked;
} takt_call_t;

/* The calls of a system. Caller's memory, zeroed. */
typedef struct takt_calls {
    takt_allocation_t allocation; /* of the allocator's own task; first of all */
    uint32_t bulk;                /* windows of one call, 1 .. TAKT_CALLS_BULK */
    takt_task_t *task;            /* executes the calls; NULL: they take no time */
    takt_call_t *first;           /* requested calls, in FIFO order */
    takt_call_t *last;
    takt_call_t *first_urgent; /* of these: calls that determine the promotion, ascending by safe instants */
    takt_call_t *last_urgent;
} takt_calls_t;

struct takt_windowed;

/* The allocators of the allocator's own task, one for each of its kinds. */
extern const takt_allocator_t takt_allocator_on_top;
extern const takt_allocator_t takt_allocator_in_spare_time;

/* Makes calls the jobs of `task`, which is added under the root of `dispatcher`; in file order it comes after all
 * others. `windowed`, zeroed, is its record. wcet: of one call; on top it has `budget` in each `period` from instant 0
 * on. In a ready set of levels no other entity has its level, the last one, and none has level 0. */
void takt_calls_take_time(takt_calls_t *calls, const takt_allocator_t *kind, takt_dispatcher_t *dispatcher,
                          struct takt_windowed *windowed, takt_task_t *task, takt_entity_t *entity,
                          const takt_task_parameters_t *parameters, takt_duration_t budget);

/* Calls the allocator for `task`, or requests the call, if one is due. */
void takt_calls_ask(takt_task_t *task, takt_instant_t instant);

TAKT_C_END

#endif
