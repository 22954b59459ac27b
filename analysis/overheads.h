/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Kernel overheads in response times under fixed priorities and in demand under EDF. See overheads.c. */
#ifndef TAKT_ANALYSIS_OVERHEADS_H
#define TAKT_ANALYSIS_OVERHEADS_H

#include "analysis/draft.h"

TAKT_C_BEGIN

/* The cost of one event each, in ticks, 0 and up; SPEC.md, 5 says when each is paid. */
typedef struct takt_overheads {
    takt_duration_t context_switch;
    takt_duration_t release;
    takt_duration_t scheduling;
    takt_duration_t point;
    takt_duration_t tick;
    takt_duration_t tick_period; /* read if tick > 0; then 1 and up */
    takt_duration_t wake_up;
} takt_overheads_t;

/* Tasks on a kernel; a column that is NULL is as its line says. Points push. Optional points are execution: the caller adds
 * `point` for each to wcet and region. */
typedef struct takt_overhead_set {
    const takt_sporadic_t *tasks; /* most urgent first; under EDF in any order */
    uint32_t count;
    /* The longest non-preemptive region of each task; NULL, or 0: preemptive. */
    const takt_duration_t *longest;
    const takt_duration_t *last; /* the last one; 1 of a preemptive task. NULL: 1 */
    const uint64_t *points;      /* how many points a job of a task that is not preemptive has. NULL: 0 */
    const uint32_t *above;       /* as in takt_children_t; not read under EDF */
    takt_overheads_t costs;
} takt_overhead_set_t;

/* Writes `expanded`, a set without costs: first the kernel's work as up to count + 1 tasks that are always in time,
 * then the `count` tasks. For these takt_fp_responses gives upper bounds of the responses on the kernel. `expanded`
 * refers to `draft` and `above`, which have 2 count + 1 values each. False: a sum reached TAKT_ANALYSIS_LIMIT. */
TAKT_MUST_USE bool takt_overheads_expand(const takt_overhead_set_t *set, const takt_draft_t *draft,
                                         uint32_t *above, takt_children_t *expanded);

/* Whether all deadlines are met under EDF: a sufficient test. It rejects a set with U = 1, all costs included.
 * `fractions` and `rest` have count + 1 values each. Takes a step for each pass over all tasks. */
TAKT_MUST_USE takt_verdict_t takt_overheads_edf_decide(const takt_overhead_set_t *set,
                                                       takt_fraction_t *fractions, uint64_t *rest,
                                                       takt_effort_t *effort);

TAKT_C_END

#endif
