/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The processor demand test of EDF, deadline by deadline: exact, and it says where demand first exceeds the interval. */
#ifndef TAKT_ANALYSIS_PROCESSOR_DEMAND_H
#define TAKT_ANALYSIS_PROCESSOR_DEMAND_H

#include "analysis/demand.h"

/* Whether, for all L up to the range's end, dbf(L) + B(L) <= L; if not, the least such L. Exact, for sporadic tasks with
 * release jitter and any deadlines, under preemptive EDF, under EDF with SRP (the steps of `blocking` being those of
 * section 7.5 of the specification), and where tasks have regions without preemption (whole jobs: non-preemptive EDF).
 * The steps are exact without jitter; with it they are a bound. Without blocking the test is exact for least laxity
 * first at every tick, too, which on one processor schedules what any policy can (Dertouzos, Mok 1989). Of tasks in any
 * order. Takes a step for each deadline. */
takt_demand_t takt_processor_demand(const takt_sporadic_t *tasks, uint32_t count,
                                    const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                    takt_effort_t *effort);

#endif
