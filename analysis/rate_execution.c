/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Feasibility of rate-based execution.
 *
 * Source: Jeffay, Goddard 1999 (theorems on EDF with and without preemption), in integer time; the deadlines are those of
 * policy/rbe.c. In any interval of length L, x c ((L - d) / y + 1) ticks of work are due, whatever comes when: the
 * demand of a sporadic task with C = x c, T = y, D = d. So QPA decides, and replaces a check of all L up to the common
 * multiple of the y. One event blocks, not x of them.
 * Left out: release jitter, which has no meaning where arrivals are at any instants. */
#include "analysis/rate_execution.h"

/* False if some x c is beyond all intervals y. */
static bool fill_tasks(const takt_rate_events_t *rates, uint32_t count, takt_sporadic_t *tasks) {
    bool is_short = true;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t work = 0;
        is_short &=
            takt_checked_times(rates[i].events, rates[i].cost, &work) && work <= TAKT_ANALYSIS_TIME_MAX;
        tasks[i] = (takt_sporadic_t){work, rates[i].interval, rates[i].deadline, 0};
    }
    return is_short;
}

static takt_demand_t test(const takt_rate_events_t *rates, uint32_t count, takt_sporadic_t *tasks,
                          const takt_duration_t *regions, takt_demand_room_t *room, takt_effort_t *effort) {
    const takt_edf_blocking_t blocking = {NULL, 0, regions};
    if (!fill_tasks(rates, count, tasks)) {
        return (takt_demand_t){TAKT_UNSCHEDULABLE, 0, 0};
    }
    return takt_qpa(tasks, count, &blocking, room, effort);
}

takt_demand_t takt_rate_execution(const takt_rate_events_t *rates, uint32_t count, takt_sporadic_t *tasks,
                                  takt_demand_room_t *room, takt_effort_t *effort) {
    return test(rates, count, tasks, NULL, room, effort);
}

takt_demand_t takt_rate_execution_nonpreemptive(const takt_rate_events_t *rates, uint32_t count,
                                                takt_sporadic_t *tasks, takt_duration_t *regions,
                                                takt_demand_room_t *room, takt_effort_t *effort) {
    for (uint32_t i = 0; i < count; i++) {
        regions[i] = rates[i].cost;
    }
    return test(rates, count, tasks, regions, room, effort);
}
