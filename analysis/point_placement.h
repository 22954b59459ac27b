/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Where to put preemption points in a chain of blocks, at the least cost. See point_placement.c. */
#ifndef TAKT_ANALYSIS_POINT_PLACEMENT_H
#define TAKT_ANALYSIS_POINT_PLACEMENT_H

#include "analysis/analysis.h"

/* A stretch of a task's code without a place for a point. */
typedef struct takt_block {
    takt_duration_t wcet; /* 1 and up */
    takt_duration_t
        cost; /* of a point behind it, which the next region begins with; of the last block it is not read */
} takt_block_t;

/* What the search remembers of the place behind a block. */
typedef struct takt_placement {
    uint64_t cost;   /* the least, if a region ends there */
    uint64_t reach;  /* how much work of the chain the next region may come to */
    uint32_t before; /* the place where the region that ends there begins */
    uint32_t open;   /* the heap of places where a region may begin */
} takt_placement_t;

/* Chooses the places: `is_point[k]` says whether there is one behind block k, the last being none. No region, the cost of
 * the point that it begins with included, is longer than `longest`, and the sum of the costs, `cost`, is the least
 * possible. `count` is 1 and up, `work` has count + 1 values.
 * TAKT_UNSCHEDULABLE: no places will do. TAKT_UNDECIDED: blocks and costs add up to TAKT_ANALYSIS_LIMIT.
 * Time count log count. */
TAKT_MUST_USE takt_verdict_t takt_points_place(const takt_block_t *blocks, uint32_t count,
                                               takt_duration_t longest, takt_placement_t *work,
                                               bool *is_point, uint64_t *cost);

#endif
