/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Optimal placement of preemption points in a chain of blocks, at the least cost. See point_placement.c. */
#ifndef TAKT_ANALYSIS_POINT_PLACEMENT_H
#define TAKT_ANALYSIS_POINT_PLACEMENT_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* A part of a task's code in which no point is possible. */
typedef struct takt_block {
    takt_duration_t wcet; /* 1 and up */
    /* Of a point after it, executed at the begin of the next region; not read of the last block. */
    takt_duration_t cost;
} takt_block_t;

/* State of the search at the place after a block. */
typedef struct takt_placement {
    uint64_t cost;   /* the least, if a region ends there */
    uint64_t reach;  /* how much work of the chain the next region may contain */
    uint32_t before; /* the place where the region that ends there begins */
    uint32_t open;   /* the heap of places where a region may begin */
} takt_placement_t;

/* Selects the points: `is_point[k]` is true if there is one after block k; after the last block there is none. No
 * region, including the cost of the point at its begin, is longer than `longest`. `cost`, the sum of the costs, is
 * minimal. `count` is 1 and up, `work` has count + 1 values. TAKT_UNSCHEDULABLE: no placement exists. TAKT_UNDECIDED:
 * blocks and costs add up to TAKT_ANALYSIS_LIMIT. Time count log count. */
TAKT_MUST_USE takt_verdict_t takt_points_place(const takt_block_t *blocks, uint32_t count,
                                               takt_duration_t longest, takt_placement_t *work,
                                               bool *is_point, uint64_t *cost);

TAKT_C_END

#endif
