/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An optimal order of priorities, for any test that Audsley's algorithm admits. See priority_assignment.c. */
#ifndef TAKT_ANALYSIS_PRIORITY_ASSIGNMENT_H
#define TAKT_ANALYSIS_PRIORITY_ASSIGNMENT_H

#include "analysis/draft.h"

/* Whether task order[level] meets its deadlines if the tasks in front of it in `order` are more urgent and those behind it are
 * less so. What is in front has no order yet: the answer must not depend on how it is arranged. */
typedef takt_verdict_t (*takt_level_test_t)(void *context, const uint32_t *order, uint32_t count,
                                            uint32_t level);

/* Finds an order, most urgent first, in which all of `count` tasks pass. `order` comes with each of 0 .. count-1 once: of tasks
 * that pass at a level the last one takes it, so that an order that passes is kept. It is optimal if a task that passes at a
 * level also passes at a higher one, and if what is behind a task matters only as a set or is settled before it. If there
 * is none, `order` ends with the levels that could be given. Takes count (count + 1) / 2 tests at most. TAKT_UNDECIDED: at some
 * level nobody passed, and a test was undecided. */
TAKT_MUST_USE takt_verdict_t takt_priorities_assign(uint32_t count, takt_level_test_t test, void *context,
                                                    uint32_t *order);

/* Tasks without an order, and what their responses depend on; a column that is NULL is as its line says. */
typedef struct takt_fp_choice {
    const takt_sporadic_t *tasks;
    const takt_duration_t
        *blocking; /* by anything but regions of less urgent tasks, which is added; NULL: 0 */
    const takt_duration_t
        *longest; /* the longest non-preemptive region of each task; NULL: 1, it is preemptive */
    const takt_duration_t *last; /* the last one of each task; NULL: 1 */
    takt_draft_t draft;
    takt_effort_t *effort;
} takt_fp_choice_t;

/* The test of fixed priorities, exact as takt_fp_responses is: `context` is a takt_fp_choice_t. Preemptive, with jitter and
 * blocking; non-preemptive if `longest` and `last` are the wcets; with deferred preemption if they are what they are called. */
TAKT_MUST_USE takt_verdict_t takt_fp_level_test(void *context, const uint32_t *order, uint32_t count,
                                                uint32_t level);

#endif
