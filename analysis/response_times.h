/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times of tasks and servers under fixed priorities, at the root or inside a server: preemptive,
 * non-preemptive, with deferred preemption, with a last region that only some preempt; any deadlines, jitter, blocking. See
 * response_times.c and servers_seen.c. */
#ifndef TAKT_ANALYSIS_RESPONSE_TIMES_H
#define TAKT_ANALYSIS_RESPONSE_TIMES_H

#include "analysis/children.h"

TAKT_C_BEGIN

/* Working memory: `count` values each; with servers or a supply, fractions and `next` have 2 more, and one for each task
 * that is inside. */
typedef struct takt_fp_memory {
    takt_fraction_t *fractions;
    uint64_t *next;
    uint64_t *later;       /* not used where all ends are preemptive */
    takt_sporadic_t *seen; /* children as they delay others; not used without `kinds` */
} takt_fp_memory_t;

/* The blocking by a region that a less urgent task entered `head_start` ticks before: 1 is exact in integer time, 0 the
 * pessimistic uniform bound. `longest` has each task's longest non-preemptive region, 1 and up; `above` is as in
 * takt_children_t; `blocking` is written. */
void takt_fp_blocking(const takt_duration_t *longest, const uint32_t *above, uint32_t count,
                      takt_duration_t head_start, takt_duration_t *blocking);

/* Writes the worst-case response of each child: of a task from arrival to finish; of a server from a replenishment, with
 * work from then on, until it has received its whole budget. If that is at most P, takt_supply_periodic (or _polling)
 * with it is the supply of the server's children. Not bounded, and decided: more work than supply. No kind is
 * TAKT_CHILD_BANDWIDTH. Of tasks that have the processor to themselves exact if `blocking` is attained and all priorities
 * are different; else an upper bound. Takes a step for each pass over all. */
void takt_fp_responses(const takt_children_t *set, takt_fp_memory_t memory, takt_effort_t *effort,
                       takt_response_t *responses);

/* The worst-case response of task `task`, as by takt_fp_responses; of a set without servers. The search ends as soon as a response exceeds
 * `enough`; UINT64_MAX gives the exact value. */
TAKT_MUST_USE takt_response_t takt_fp_response(const takt_children_t *set, uint32_t task,
                                               takt_duration_t enough, takt_fp_memory_t memory,
                                               takt_effort_t *effort);

/* Whether all responses are within the deadlines, and those of servers within their periods. Stops at the first that is not, so it takes fewer steps. */
TAKT_MUST_USE takt_verdict_t takt_fp_is_schedulable(const takt_children_t *set, takt_fp_memory_t memory,
                                                    takt_effort_t *effort);

TAKT_C_END

#endif
