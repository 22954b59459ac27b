/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Feasibility of rate-based execution under EDF: necessary and sufficient, preemptive or not. */
#ifndef TAKT_ANALYSIS_RATE_EXECUTION_H
#define TAKT_ANALYSIS_RATE_EXECUTION_H

#include "analysis/qpa.h"

/* A task whose events may arrive at any instants. Of up to x events in any y ticks each is served within d ticks of its
 * arrival, at a cost of at most c. Events that arrive faster are served later. */
typedef struct takt_rate_events {
    uint64_t events;          /* x: 1 and up */
    takt_duration_t interval; /* y */
    takt_duration_t deadline; /* d */
    takt_duration_t cost;     /* c */
} takt_rate_events_t;

/* Whether no legal arrivals miss a deadline under preemptive EDF; otherwise, as takt_qpa, an interval that is too short. `tasks`
 * has `count` values, and so has everything in `room`. */
takt_demand_t takt_rate_execution(const takt_rate_events_t *rates, uint32_t count, takt_sporadic_t *tasks,
                                  takt_demand_room_t *room, takt_effort_t *effort);

/* Likewise where an event that is being served is not preempted. `regions` has `count` values. */
takt_demand_t takt_rate_execution_nonpreemptive(const takt_rate_events_t *rates, uint32_t count,
                                                takt_sporadic_t *tasks, takt_duration_t *regions,
                                                takt_demand_room_t *room, takt_effort_t *effort);

#endif
