/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Worst-case response times of sporadic tasks under fixed priorities: preemptive, non-preemptive, with deferred
 * preemption, with a last region that only some preempt; any deadlines, jitter, blocking. See response_times.c. */
#ifndef TAKT_ANALYSIS_RESPONSE_TIMES_H
#define TAKT_ANALYSIS_RESPONSE_TIMES_H

#include "analysis/fractions.h"

/* One way in which a job may end: with a last region that only the most urgent tasks preempt. FPPS {C, 1, 0};
 * FPNS {C, C, 0}; FPDS {C, last subjob, 0}; FPTS {C, C, tasks above the threshold}. */
typedef struct takt_fp_end {
    takt_duration_t path; /* the longest execution of a job that ends so: 1 .. wcet */
    takt_duration_t last; /* of this, the last region: 1 .. path */
    uint32_t over; /* number of tasks, the most urgent, that preempt the last region: 0 .. task's index */
} takt_fp_end_t;

/* Tasks and what else their responses depend on; a column that is NULL is as its line says. */
typedef struct takt_fp_set {
    const takt_sporadic_t *tasks;    /* most urgent first */
    uint32_t count;                  /* how many tasks */
    const takt_duration_t *blocking; /* by less urgent ones, of each task, in ticks; NULL: 0 */
    const takt_fp_end_t *ends;       /* NULL: as under FPPS */
    const uint32_t
        *end_first;        /* of each task the place of its first end, and behind the last task how many ends
                                      * there are; ends of a task ascend in path - last. NULL: one end each */
    const uint32_t *above; /* of each task how many, the most urgent, interfere, itself not counted; so a task
                                      * among equals has the place behind the last of them. Ascends, the place of the
                                      * task at least. NULL: that place */
} takt_fp_set_t;

/* Working memory: `count` values each. */
typedef struct takt_fp_memory {
    takt_fraction_t *fractions;
    uint64_t *next;
    uint64_t *later;
} takt_fp_memory_t;

/* The blocking by a region that a less urgent task entered `head_start` ticks before: 1 is exact in integer time, 0 the
 * pessimistic uniform bound. `longest` has each task's longest non-preemptive region, 1 and up; `above` is as in
 * takt_fp_set_t; `blocking` is written. */
void takt_fp_blocking(const takt_duration_t *longest, const uint32_t *above, uint32_t count,
                      takt_duration_t head_start, takt_duration_t *blocking);

/* Writes the worst-case response of each task. Exact if `blocking` is attained and all priorities are different; else
 * an upper bound. Takes a step for each pass over all tasks. */
void takt_fp_responses(const takt_fp_set_t *set, takt_fp_memory_t memory, takt_effort_t *effort,
                       takt_response_t *responses);

/* The worst-case response of task `task`, as by takt_fp_responses. The search ends as soon as a response exceeds
 * `enough`; UINT64_MAX gives the exact value. */
TAKT_MUST_USE takt_response_t takt_fp_response(const takt_fp_set_t *set, uint32_t task,
                                               takt_duration_t enough, takt_fp_memory_t memory,
                                               takt_effort_t *effort);

/* Whether all responses are within the deadlines. Stops at the first that is not, so it takes fewer steps. */
TAKT_MUST_USE takt_verdict_t takt_fp_is_schedulable(const takt_fp_set_t *set, takt_fp_memory_t memory,
                                                    takt_effort_t *effort);

#endif
