/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks and servers under EDF in one dispatcher, at the root or inside a server: demand against supply. See
 * server_edf.c. */
#ifndef TAKT_ANALYSIS_SERVER_EDF_H
#define TAKT_ANALYSIS_SERVER_EDF_H

#include "analysis/children.h"
#include "analysis/edf_blocking.h"

/* Whether demand exceeds supply in any interval, and in which. */
typedef struct takt_children_demand {
    takt_verdict_t verdict;
    /* If unschedulable: the longest such interval within a busy period; children with longer deadlines meet theirs. 0,
     * as are the other two, if the utilization alone exceeds the share of the supply. */
    takt_duration_t interval;
    uint64_t demand; /* in that interval, blocking included */
    uint64_t supply;
} takt_children_demand_t;

/* Whether every task is guaranteed to meet its deadlines, and every server to get its budget within each period (a
 * bandwidth server: by its deadline). `fractions` and `rest` have `count` + 1 values. Of the children
 * their tasks, kinds and supply count. */
takt_children_demand_t takt_children_demand(const takt_children_t *children,
                                            const takt_edf_blocking_t *blocking, takt_fraction_t *fractions,
                                            uint64_t *rest, takt_effort_t *effort);

/* The largest demand of the children in any interval of `interval` ticks, without blocking: work with arrival and
 * deadline in it. False: it does not fit. */
TAKT_MUST_USE bool takt_children_demand_in(const takt_children_t *children, uint64_t interval,
                                           uint64_t *demand);

#endif
