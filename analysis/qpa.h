/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The processor demand test of EDF, of tasks and servers at the root or inside a server, by quick processor-demand
 * analysis: from the longest interval down, in few steps. */
#ifndef TAKT_ANALYSIS_QPA_H
#define TAKT_ANALYSIS_QPA_H

#include "analysis/demand.h"

TAKT_C_BEGIN

/* The result, with a witness. */
typedef struct takt_demand {
    takt_verdict_t verdict;
    takt_duration_t interval; /* unschedulable: its length, in which there is... */
    uint64_t ticks; /* ...so much demand, blocking included; 0: no interval is known, because of the shares */
    uint64_t supply; /* and less supply: of the processor the length */
} takt_demand_t;

/* Whether, for all L up to the range's end, demand and B(L) are at most the supply: then every task meets its deadlines,
 * and every server gets its budget within each period (a bandwidth server: by its deadline). Of the children their tasks,
 * kinds and supply count, in any order.
 *
 * Exact for sporadic tasks on the processor, with release jitter and any deadlines, under preemptive EDF, under EDF with
 * SRP (the steps of `blocking` being those of section 7.5 of the specification), and where tasks have regions without
 * preemption (whole jobs: non-preemptive EDF). The steps are exact without jitter; with it they are a bound. Without blocking
 * the test is exact for least laxity first at every tick, too, which on one processor schedules what any policy can
 * (Dertouzos, Mok 1989). The reported interval is too short, but not the shortest such one. Takes a step for each interval
 * that it checks: a few, up to some dozens where U is near 1. */
takt_demand_t takt_qpa(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                       takt_demand_room_t *room, takt_effort_t *effort);

TAKT_C_END

#endif
