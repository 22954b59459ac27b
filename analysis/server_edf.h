/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks and servers under EDF in one dispatcher, at the root or inside a server: demand against supply. See
 * server_edf.c. */
#ifndef TAKT_ANALYSIS_SERVER_EDF_H
#define TAKT_ANALYSIS_SERVER_EDF_H

#include "analysis/children.h"
#include "analysis/edf_blocking.h"

/* Whether demand is ever more than supply, and where. */
typedef struct takt_children_demand {
    takt_verdict_t verdict;
    /* The longest interval in which it is, of those that fit into a busy period, if unschedulable: all children whose
     * deadlines are longer meet theirs. 0, as the other two, if the shares alone are more than that of the supply. */
    takt_duration_t interval;
    uint64_t demand; /* in that interval, blocking included */
    uint64_t supply;
} takt_children_demand_t;

/* Whether every child is sure to meet its deadlines, and a server to have its budget within each period (bandwidth
 * servers: each by its deadline). `fractions` and `rest` have `count` + 1 values. */
takt_children_demand_t takt_children_demand(const takt_children_t *children,
                                            const takt_edf_blocking_t *blocking, takt_fraction_t *fractions,
                                            uint64_t *rest, takt_effort_t *effort);

/* What the children demand at most in any interval of `interval` ticks, without blocking: work that comes in it and
 * has its deadline in it. False: it does not fit. */
TAKT_MUST_USE bool takt_children_demand_in(const takt_children_t *children, uint64_t interval,
                                           uint64_t *demand);

#endif
