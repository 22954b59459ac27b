/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The smallest non-preemptive regions at the ends of jobs with which a set fits, and the priorities to go with them. Jobs are
 * preemptive before. See final_regions.c. */
#ifndef TAKT_ANALYSIS_FINAL_REGIONS_H
#define TAKT_ANALYSIS_FINAL_REGIONS_H

#include "analysis/draft.h"

/* Finds the smallest final region of each task for which all deadlines are met; `tasks` are most urgent first. No other
 * regions for which they are have a smaller one anywhere. `regions` has `count` values. Takes a
 * test for each bit of a wcet. */
TAKT_MUST_USE takt_verdict_t takt_final_regions_find(const takt_sporadic_t *tasks, uint32_t count,
                                                     const takt_draft_t *draft, takt_duration_t *regions,
                                                     takt_effort_t *effort);

/* Finds priorities too: `order`, most urgent first, and `regions`, of each task by its place in `tasks`. If there are any
 * priorities and regions for which all deadlines are met, these are. `order` comes with each of 0 .. count-1 once, and of
 * equally good tasks the one that stands last takes the level. */
TAKT_MUST_USE takt_verdict_t takt_final_regions_assign(const takt_sporadic_t *tasks, uint32_t count,
                                                       const takt_draft_t *draft, uint32_t *order,
                                                       takt_duration_t *regions, takt_effort_t *effort);

#endif
