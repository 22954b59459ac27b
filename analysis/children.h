/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The children of a dispatcher, that is of the root or a server: tasks, and servers of every kind. */
#ifndef TAKT_ANALYSIS_CHILDREN_H
#define TAKT_ANALYSIS_CHILDREN_H

#include "analysis/fractions.h"
#include "analysis/supply_response.h"

/* A server is a takt_sporadic_t whose wcet is Q, whose period and deadline are P, without jitter. */
typedef enum takt_child_kind {
    TAKT_CHILD_TASK = 0,
    TAKT_CHILD_PERIODIC = 1, /* an idling or polling server: Q at once in each period, or less */
    TAKT_CHILD_DEFERRABLE =
        2, /* Q at any time in each period: at the end of one and the beginning of the next */
    TAKT_CHILD_SPORADIC = 3, /* used budget is replenished one period after the server got work */
    TAKT_CHILD_BANDWIDTH =
        4, /* cbs, hard-cbs, tbs, cus: at most L Q / P with deadlines in L ticks; EDF only */
    TAKT_CHILD_KERNEL =
        5, /* no server: work of the kernel, which delays all children after it in the list, or
                            * under EDF all children; its deadline is ignored */
} takt_child_kind_t;

/* The children of one dispatcher and its supply. Each pointer may be NULL where its line gives a meaning of NULL. */
typedef struct takt_children {
    const takt_sporadic_t *children; /* most urgent first where priorities order them */
    const takt_child_kind_t *kinds;  /* NULL: tasks */
    uint32_t count;
    takt_supply_t supply;            /* of the dispatcher: takt_supply_full at the root */
    const takt_inside_t *insides;    /* of each server the demand of its tasks; NULL: nothing is known */
    const takt_supply_head_t *heads; /* as in takt_supplied_t */
    uint32_t head_count;
} takt_children_t;

#endif
