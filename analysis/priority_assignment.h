/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Optimal priority assignment, for any test compatible with Audsley's algorithm. See priority_assignment.c. */
#ifndef TAKT_ANALYSIS_PRIORITY_ASSIGNMENT_H
#define TAKT_ANALYSIS_PRIORITY_ASSIGNMENT_H

#include "analysis/draft.h"

TAKT_C_BEGIN

/* Whether task order[level] meets its deadlines if the tasks before it in `order` are more urgent and those after it
 * are less urgent. The tasks before it have no order yet: the result must not depend on it. */
typedef takt_verdict_t (*takt_level_test_t)(void *context, const uint32_t *order, uint32_t count,
                                            uint32_t level);

/* Finds an order, most urgent first, in which all `count` tasks pass. On entry `order` has each of 0 .. count-1 once.
 * Of the tasks that pass at a level the last one takes it, so an order that passes is kept. Optimal if a task that
 * passes at a level also passes at a higher one, and if the less urgent tasks matter only as a set or are assigned
 * before. If no order passes, `order` ends with the tasks of the assigned levels. Takes count (count + 1) / 2 tests at
 * most. TAKT_UNDECIDED: at some level no task passed, and a test was undecided. */
TAKT_MUST_USE takt_verdict_t takt_priorities_assign(uint32_t count, takt_level_test_t test, void *context,
                                                    uint32_t *order);

/* Tasks without an order, and what their responses depend on; a column that is NULL is as its line says. */
typedef struct takt_fp_choice {
    const takt_sporadic_t *tasks;
    /* By anything but regions of less urgent tasks, which is added; NULL: 0. */
    const takt_duration_t *blocking;
    /* The longest non-preemptive region of each task; NULL: 1, it is preemptive. */
    const takt_duration_t *longest;
    const takt_duration_t *last; /* the last one of each task; NULL: 1 */
    takt_draft_t draft;
    takt_effort_t *effort;
} takt_fp_choice_t;

/* The test of fixed priorities, exact as takt_fp_responses is: `context` is a takt_fp_choice_t. Preemptive, with jitter and
 * blocking; non-preemptive if `longest` and `last` are the wcets; with deferred preemption if they are what they are called. */
TAKT_MUST_USE takt_verdict_t takt_fp_level_test(void *context, const uint32_t *order, uint32_t count,
                                                uint32_t level);

TAKT_C_END

#endif
