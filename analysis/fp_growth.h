/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest wcet that one task of a set may have under fixed priorities, for each task in turn. See fp_growth.c. */
#ifndef TAKT_ANALYSIS_FP_GROWTH_H
#define TAKT_ANALYSIS_FP_GROWTH_H

#include "analysis/response_times.h"

TAKT_C_BEGIN

/* The number of intervals that are kept of each task. */
#define TAKT_FP_WITNESSES 32u

/* An interval by the end of which the first job of an active period is finished, and its slack with the given wcets. */
typedef struct takt_fp_witness {
    takt_duration_t length; /* 0: no interval */
    int64_t left;           /* slack in ticks; negative: demand above the length */
} takt_fp_witness_t;

/* The longest wcet of a task. */
typedef struct takt_growth {
    takt_duration_t wcet; /* 0: no wcet is schedulable */
    bool is_decided;      /* false: the effort is used up, or a number reached TAKT_ANALYSIS_LIMIT */
} takt_growth_t;

/* Working memory: `count` values each, TAKT_FP_WITNESSES times as many witnesses. */
typedef struct takt_fp_growth_memory {
    takt_fp_memory_t memory;
    takt_sporadic_t *tasks;
    takt_fp_end_t *ends;
    takt_response_t *responses;
    takt_fp_witness_t *witnesses;
    uint32_t *order;
} takt_fp_growth_memory_t;

/* growths[k] is the longest wcet of task k, at most its deadline, with which it and all tasks of `is_wanted` meet their
 * deadlines by takt_fp_responses, if no other wcet changes. Conditions: C <= T of all tasks; one end for each task; task k
 * has no region (last = 1), since `blocking` is kept constant. The result of a task with a region is meaningless.
 * Effort: takt_fp_responses once, and then up to `effort` steps for each task. */
void takt_fp_growths(const takt_children_t *set, const bool *is_wanted, takt_fp_growth_memory_t memory,
                     takt_effort_t effort, takt_growth_t *growths);

TAKT_C_END

#endif
