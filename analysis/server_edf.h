/* Tasks and servers under EDF in one dispatcher, at the root or inside a server: demand against supply. See server_edf.c. */
#ifndef TAKT_ANALYSIS_SERVER_EDF_H
#define TAKT_ANALYSIS_SERVER_EDF_H

#include "analysis/children.h"

/* From this window on, up to the next step, a job whose deadline lies beyond the window blocks those within it so long. */
typedef struct takt_blocking_step {
    takt_duration_t begin;
    takt_duration_t ticks;
} takt_blocking_step_t;

/* B(L); 0 before the first step. */
typedef struct takt_blocking {
    const takt_blocking_step_t *steps; /* their begins ascend, each once */
    uint32_t count;
} takt_blocking_t;

/* Whether demand is ever more than supply, and where. */
typedef struct takt_demand {
    takt_verdict_t verdict;
    /* The longest window in which it is, of those that fit into a busy period, if unschedulable: all children whose
     * deadlines are longer meet theirs. 0, as the other two, if the shares alone are more than that of the supply. */
    takt_duration_t window;
    uint64_t demand; /* in that window, blocking included */
    uint64_t supply;
} takt_demand_t;

/* Whether every child is sure to meet its deadlines, and a server to have its budget within each period (bandwidth servers: each
 * by its deadline). `fractions` and `rest` have `count` + 1 values. */
takt_demand_t takt_children_demand(const takt_children_t *children, takt_blocking_t blocking,
                                   takt_fraction_t *fractions, uint64_t *rest, takt_effort_t *effort);

/* What the children demand at most in any window of `window` ticks, without blocking: work that comes in it and has its
 * deadline in it. False: it does not fit. */
TAKT_MUST_USE bool takt_children_demand_in(const takt_children_t *children, uint64_t window,
                                           uint64_t *demand);

#endif
