/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest wcet that one task of a set may have under EDF, for each task in turn. See edf_growth.c. */
#ifndef TAKT_ANALYSIS_EDF_GROWTH_H
#define TAKT_ANALYSIS_EDF_GROWTH_H

#include "analysis/fp_growth.h"
#include "analysis/qpa.h"

TAKT_C_BEGIN

/* Working memory: of the demand test, and `count` tasks. */
typedef struct takt_edf_growth_memory {
    takt_demand_room_t room;
    takt_sporadic_t *tasks;
} takt_edf_growth_memory_t;

/* growths[k] is the longest wcet of task k, at most its deadline, with which all tasks meet their deadlines by takt_qpa,
 * without blocking, if no other wcet changes. Condition: C <= T of all tasks. Takes up to `effort` steps for each task. */
void takt_edf_growths(const takt_sporadic_t *tasks, uint32_t count, takt_edf_growth_memory_t memory,
                      takt_effort_t effort, takt_growth_t *growths);

TAKT_C_END

#endif
