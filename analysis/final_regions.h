/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The smallest final non-preemptive regions with which a set is schedulable, and priorities for them. Before its final
 * region a job is preemptive. See final_regions.c. */
#ifndef TAKT_ANALYSIS_FINAL_REGIONS_H
#define TAKT_ANALYSIS_FINAL_REGIONS_H

#include "analysis/draft.h"

TAKT_C_BEGIN

/* Finds the smallest final region of each task with which all deadlines are met; `tasks` are most urgent first. In
 * every other solution each region is at least as long. `regions` has `count` values. One test per bit of a wcet. */
TAKT_MUST_USE takt_verdict_t takt_final_regions_find(const takt_sporadic_t *tasks, uint32_t count,
                                                     const takt_draft_t *draft, takt_duration_t *regions,
                                                     takt_effort_t *effort);

/* Finds priorities too: `order`, most urgent first, and `regions`, indexed as `tasks`. Optimal: if any priorities and
 * regions meet all deadlines, the result does. On entry `order` has each of 0 .. count-1 once; of equally good tasks
 * the last one in it takes the level. */
TAKT_MUST_USE takt_verdict_t takt_final_regions_assign(const takt_sporadic_t *tasks, uint32_t count,
                                                       const takt_draft_t *draft, uint32_t *order,
                                                       takt_duration_t *regions, takt_effort_t *effort);

TAKT_C_END

#endif
