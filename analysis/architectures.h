/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Response times where scheduling takes time and releases are detected late: a scheduler in software with a timer, on a
 * co-processor, or in hardware. See architectures.c. */
#ifndef TAKT_ANALYSIS_ARCHITECTURES_H
#define TAKT_ANALYSIS_ARCHITECTURES_H

#include "analysis/draft.h"

TAKT_C_BEGIN

typedef enum takt_scheduler_model {
    TAKT_SCHEDULER_REARMED =
        0, /* software; a tick comes `interval` after the end of the entry at the last one */
    TAKT_SCHEDULER_FIXED = 1,       /* software; ticks at multiples of `interval` */
    TAKT_SCHEDULER_COPROCESSOR = 2, /* decides `latency` after an event; completions go through idle */
    TAKT_SCHEDULER_HARDWARE = 3,    /* decides at once */
} takt_scheduler_model_t;

/* Where the scheduler runs, as in SPEC.md, 5. Times in ticks. */
typedef struct takt_scheduler {
    takt_scheduler_model_t model;
    takt_duration_t context_switch; /* 0 and up; of an entry, or twice that of a switch */
    takt_duration_t interval;       /* software: 1 and up */
    takt_duration_t latency;        /* co-processor: 0 and up */
} takt_scheduler_t;

/* Preemptive tasks under a scheduler. */
typedef struct takt_scheduled_set {
    const takt_sporadic_t *tasks; /* most urgent first; under EDF in any order */
    uint32_t count;
    const uint32_t *above; /* as in takt_children_t; not read under EDF */
    takt_scheduler_t scheduler;
} takt_scheduled_set_t;

/* Working memory: `count` + 1 values each. */
typedef struct takt_scheduled_room {
    takt_draft_t draft;
    uint32_t *above;
    takt_response_t *responses;
} takt_scheduled_room_t;

/* Writes an upper bound of each task's response under fixed priorities, in the order of the tasks; `job` is 0. It holds
 * for jobs that the scheduler does not drop. No job is dropped of a task whose bound is within deadline and period.
 * Takes the steps of takt_fp_responses for at most two sets. */
void takt_scheduled_fp_responses(const takt_scheduled_set_t *set, const takt_scheduled_room_t *room,
                                 takt_effort_t *effort, takt_response_t *responses);

/* The same under EDF. Precondition: the jitter of each task is less than its deadline. No task has a bound if a job of
 * any task may be late or dropped, or if U = 1 with all costs included. `fractions` and `rest` have count + 1 values
 * each. Takes a step for each pass over all tasks. */
void takt_scheduled_edf_responses(const takt_scheduled_set_t *set, takt_fraction_t *fractions, uint64_t *rest,
                                  takt_effort_t *effort, takt_response_t *responses);

TAKT_C_END

#endif
