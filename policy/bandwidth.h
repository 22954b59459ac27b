/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bandwidth: deadlines that let a group of tasks have a share of the processor beside others, without a budget.
 *
 * Source: Wang and Lin 1999, Table 2 and its text (Spuri and Buttazzo 1996; Deng, Liu and Sun 1997). A job of wcet e
 * takes e / share ticks of the group's time; the group's deadlines do not descend. Nothing stops an overrun, so the
 * share is kept as long as jobs keep their wcet. The group orders nothing: its tasks stand in a dispatcher that orders
 * by deadlines. */
#ifndef TAKT_POLICY_BANDWIDTH_H
#define TAKT_POLICY_BANDWIDTH_H

#include "core/rule.h"

/* A kind of utilization server: one file each. */
typedef struct takt_bandwidth_kind {
    const char *name;    /* as in task-set files */
    const char *summary; /* one line */
    void (*arrive)(takt_task_t *task, takt_arrival_t *arrival);
} takt_bandwidth_kind_t;

/* The rule of all tasks of one group. */
typedef struct takt_bandwidth {
    takt_rule_t rule;        /* first of all */
    takt_instant_t deadline; /* the last one assigned */
} takt_bandwidth_t;

extern const takt_bandwidth_kind_t takt_bandwidth_constant;
extern const takt_bandwidth_kind_t takt_bandwidth_total;

/* The table of kinds, in alphabetical order of their names. */
extern const takt_bandwidth_kind_t *const takt_bandwidth_kinds[];
extern const size_t takt_bandwidth_kind_count;

/* Makes `bandwidth`, zeroed, the rule of a group. The relative deadline of each of its tasks is wcet / share, rounded
 * up; put the rule into their extensions. */
TAKT_INLINE void takt_bandwidth_init(takt_bandwidth_t *bandwidth, const takt_bandwidth_kind_t *kind) {
    bandwidth->rule.arrive = kind->arrive;
}

/* Shared by the kinds: assigns the deadline of `arrival`. Returns the start of the group's time for it. */
TAKT_INLINE takt_instant_t takt_bandwidth_give(const takt_task_t *task, takt_arrival_t *arrival) {
    takt_bandwidth_t *bandwidth = TAKT_CONTAINER_OF(task->extension->rule, takt_bandwidth_t, rule);
    const takt_instant_t start = takt_later_of(arrival->nominal, bandwidth->deadline);
    bandwidth->deadline = takt_deadline_after(start, task->relative_deadline);
    arrival->deadline = bandwidth->deadline;
    return start;
}

#endif
