/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The children of a dispatcher, that is of the root or a server: tasks, and servers of every kind. What all tests take. */
#ifndef TAKT_ANALYSIS_CHILDREN_H
#define TAKT_ANALYSIS_CHILDREN_H

#include "analysis/fractions.h"
#include "analysis/supply.h"

/* A server is a takt_sporadic_t whose wcet is Q, whose period and deadline are P, without jitter. */
typedef enum takt_child_kind {
    TAKT_CHILD_TASK = 0,
    TAKT_CHILD_PERIODIC = 1, /* an idling or polling server: Q at once in each period, or less */
    TAKT_CHILD_DEFERRABLE =
        2, /* Q at any time in each period: at the end of one and the beginning of the next */
    TAKT_CHILD_SPORADIC = 3,  /* used budget is replenished one period after the server got work */
    TAKT_CHILD_SEPARATED = 4, /* likewise, and no tick of it is used twice within a period */
    TAKT_CHILD_BANDWIDTH =
        5, /* cbs, hard-cbs, tbs, cus: at most L Q / P with deadlines in L ticks; EDF only */
    TAKT_CHILD_KERNEL =
        6, /* no server: work of the kernel, which delays all children after it in the list, or
                            * under EDF all children; its deadline is ignored */
} takt_child_kind_t;

/* One way in which a job may end: with a last region that only the most urgent tasks preempt. FPPS {C, 1, 0};
 * FPNS {C, C, 0}; FPDS {C, last subjob, 0}; FPTS {C, C, tasks above the threshold}. */
typedef struct takt_fp_end {
    takt_duration_t path; /* the longest execution of a job that ends so: 1 .. wcet */
    takt_duration_t last; /* of this, the last region: 1 .. path */
    uint32_t over; /* number of tasks, the most urgent, that preempt the last region: 0 .. task's index */
} takt_fp_end_t;

/* The demand of a server's tasks, as seen outside: their jitter is J plus the longest wait for budget. */
typedef struct takt_server_tasks {
    const takt_sporadic_t *tasks; /* their deadlines do not count */
    uint32_t count;               /* 0: nothing is known, or no tasks */
} takt_server_tasks_t;

/* One way in which the supply may begin when work arrives: after `delay`, `ticks` in a row; and after `gap` the budgets
 * of the supply. */
typedef struct takt_supply_head {
    takt_duration_t gap; /* at least delay + ticks */
    takt_duration_t delay;
    takt_duration_t ticks;
} takt_supply_head_t;

/* The children of one dispatcher, its supply, and what else their responses depend on. A pointer that is NULL is as its
 * line says. Tests of EDF take tasks, kinds and supply alone, and blocking of their own (edf_blocking.h). */
typedef struct takt_children {
    const takt_sporadic_t *tasks;    /* most urgent first where priorities order them */
    uint32_t count;                  /* how many */
    const takt_duration_t *blocking; /* by less urgent ones, of each task, in ticks; NULL: 0 */
    const takt_fp_end_t *ends;       /* NULL: as under FPPS */
    /* Of each task the place of its first end, and behind the last task how many ends there are; ends of a
     * task ascend in path - last. NULL: one end each. */
    const uint32_t *end_first;
    /* Of each task how many, the most urgent, interfere, itself not counted; so a task among equals has
     * the place behind the last of them. Ascends, the place of the task at least. NULL: that place. */
    const uint32_t *above;
    const takt_child_kind_t *kinds; /* NULL: tasks */
    const takt_supply_t *supply;    /* of the dispatcher; NULL: the processor */
    const takt_server_tasks_t
        *server_tasks; /* of each server the demand of its tasks; NULL: nothing is known */
    /* Ways to begin, in place of the gap of a supply that is not NULL; the latest counts. */
    const takt_supply_head_t *heads;
    uint32_t head_count; /* 0: the supply as it is */
} takt_children_t;

/* The kind of a child. */
TAKT_INLINE takt_child_kind_t takt_kind_of(const takt_children_t *children, uint32_t child) {
    return children->kinds != NULL ? children->kinds[child] : TAKT_CHILD_TASK;
}

/* What the dispatcher is supplied with. */
TAKT_INLINE takt_supply_t takt_supply_of(const takt_children_t *children) {
    return children->supply != NULL ? *children->supply : takt_supply_full();
}

#endif
