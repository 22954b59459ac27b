/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Several processors: one dispatcher whose jobs run on the most urgent of them, m at a time (SPEC.md, 11).
 *
 * Source: global scheduling as Dhall and Liu 1978 have it, job-level migration free; the choice of the processor
 * is this project's. A layer above the dispatcher, which handles events, timers and jobs as for one processor:
 *
 *     post(event), while (step(now)) {}      as on one processor
 *     while (take_next(now, &decision)) {}   in the place of take: one decision for each processor that gets another
 *                                            job or none
 *
 * Invariant, after take_next has said false: who runs has left the ready set, and nobody in it is more urgent than
 * anybody who runs; `order` has the processors that run somebody, most urgent first and among equals in the order
 * of their choice, and then the free ones, ascending.
 *
 * Cost of a decision: one removal from the ready set, one insertion if somebody is displaced, and O(processors).
 *
 * When not to use it: on one processor, where takt_dispatcher_take does less. Goes with tasks directly at the root
 * that neither suspend nor lock nor have an allocation, preemptive or non-preemptive, under a policy without
 * `overtake`; events are completions of what runs, and arrivals. */
#ifndef TAKT_CORE_GLOBAL_H
#define TAKT_CORE_GLOBAL_H

#include "core/dispatcher.h"

/* Processors of one dispatcher, at most. */
#define TAKT_CPU_LIMIT 64u

typedef struct takt_global {
    takt_dispatcher_t *dispatcher;
    takt_cpu_t **order; /* caller's memory: a pointer for each processor */
    uint32_t busy;      /* processors that run somebody: the first ones of `order` */
} takt_global_t;

/* Lets `dispatcher`, with at most TAKT_CPU_LIMIT processors, none of which has run, be used from here on by
 * takt_global_take_next only. */
void takt_global_init(takt_global_t *global, takt_dispatcher_t *dispatcher, takt_cpu_t **order);

/* Decides for one processor, if there is one on which something else is to run from `now` on, or nothing; false if
 * nothing changes any more. Then `decision` says for all processors until when. A decision names a free processor,
 * or one whose job it displaces; those of one instant do not come back to a processor. */
TAKT_MUST_USE bool takt_global_take_next(takt_global_t *global, takt_instant_t now,
                                         takt_decision_t *decision);

/* Whether `cpu` runs the current job of its entity: that is not so from the job's end to the next decision. */
TAKT_INLINE bool takt_global_runs(const takt_cpu_t *cpu) {
    const uint32_t bits = TAKT_STATE_READY | TAKT_STATE_ACTIVE;
    return (cpu->running->state & bits) == TAKT_STATE_ACTIVE;
}

#endif
