/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Whether tasks fit on this processor: exact response times (analysis/response_times.h), with what the kernel itself
 * costs (analysis/overheads.h), in a bounded number of steps. Times are microseconds. */
#ifndef ADMISSION_ADMISSION_H
#define ADMISSION_ADMISSION_H

#include "analysis/overheads.h"

enum {
    ADMISSION_TASKS = 20,    /* at a time */
    ADMISSION_STEPS = 100,   /* for one answer */
    ADMISSION_LINE_US = 5000 /* requests are so far apart at least */
};

/* What the kernel and the machine cost: costs_<machine>.c. A request is their tick. */
extern const takt_overheads_t admission_costs;

/* The longest time for which the thread that admits masks interrupts; 0: not at all. */
extern const takt_duration_t admission_masked;

/* Ticks of the scheduler in a microsecond. */
extern const takt_duration_t admission_ticks;

typedef struct admission_answer {
    takt_verdict_t verdict; /* undecided: the steps are used up */
    uint32_t late;          /* unschedulable: the place of the first that would be */
    uint32_t steps;         /* that it took */
} admission_answer_t;

/* Whether `count` tasks, most urgent first, 0 .. ADMISSION_TASKS, meet their deadlines above the thread that asks
 * this; and the worst-case response of each. For one thread at a time. */
admission_answer_t admission_judge(const takt_sporadic_t *tasks, uint32_t count, takt_response_t *responses);

#endif
