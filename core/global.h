/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Several processors: one dispatcher, whose m most urgent jobs run on m processors (SPEC.md, 11).
 *
 * Source: global scheduling as in Dhall and Liu 1978, with free job-level migration; the choice of the processor
 * is this project's. A layer above the dispatcher, which handles events, timers and jobs as for one processor:
 *
 *     post(event), while (step(now)) {}      as on one processor
 *     while (take_next(now, &decision)) {}   in the place of take: one decision for each processor that gets another
 *                                            job or none
 *
 * Invariant, after take_next has returned false: running entities are not in the ready set, and no ready entity is
 * more urgent than a running one. `order` has the busy processors, most urgent first and among equals in the order
 * of their choice, then the free ones, ascending.
 *
 * Cost of a decision: one removal from the ready set, one insertion if a job is displaced, and O(processors).
 *
 * When not to use it: on one processor, where takt_dispatcher_take does less. Supported are tasks directly at the
 * root that neither suspend nor lock nor have an allocation, preemptive or non-preemptive, under a policy without
 * `overtake`; events are completions of running jobs, and arrivals. */
#ifndef TAKT_CORE_GLOBAL_H
#define TAKT_CORE_GLOBAL_H

#include "core/dispatcher.h"

/* Processors of one dispatcher, at most. */
#define TAKT_CPU_LIMIT 64u

typedef struct takt_global {
    takt_dispatcher_t *dispatcher;
    takt_cpu_t **order; /* caller's memory: a pointer for each processor */
    uint32_t busy;      /* number of processors that run a job: the first ones of `order` */
} takt_global_t;

/* Prepares `dispatcher`, with at most TAKT_CPU_LIMIT processors, none of which has run. From now on take its
 * decisions by takt_global_take_next only. */
void takt_global_init(takt_global_t *global, takt_dispatcher_t *dispatcher, takt_cpu_t **order);

/* Decides for one processor that runs another job, or none, from `now` on. Returns false if nothing changes any more;
 * then `decision` has the `until` of all processors. A decision names a free processor, or one whose job it
 * displaces. The decisions of one instant name each processor at most once. */
TAKT_MUST_USE bool takt_global_take_next(takt_global_t *global, takt_instant_t now,
                                         takt_decision_t *decision);

/* True if `cpu` runs the current job of its entity. False from the job's end to the next decision. */
TAKT_INLINE bool takt_global_runs(const takt_cpu_t *cpu) {
    const uint32_t bits = TAKT_STATE_READY | TAKT_STATE_ACTIVE;
    return (cpu->running->state & bits) == TAKT_STATE_ACTIVE;
}

#endif
