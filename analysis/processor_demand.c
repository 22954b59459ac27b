/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The processor demand test of EDF.
 *
 * Source: Baruah, Rosier, Howell 1990, with the jitter of Spuri 1996 and blocking as in edf_blocking.h. Demand changes
 * at deadlines, blocking at its steps; in between both are constant. Left out: nothing; but it checks every deadline of
 * the range. Where any such L will do, use QPA. Bound: the number of deadlines and steps in the range. */
#include "analysis/processor_demand.h"

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The distance from an interval of length `interval` to the next deadline of a task. */
static uint64_t distance_to_next(const takt_demand_line_t *line, takt_duration_t interval) {
    const int64_t seen = (int64_t)interval + line->ahead;
    return seen < 0 ? (uint64_t)((int64_t)line->period - seen) : line->period - (uint64_t)seen % line->period;
}

static takt_duration_t next_deadline(const takt_demand_line_t *lines, uint32_t count,
                                     takt_duration_t interval) {
    uint64_t distance = TAKT_ANALYSIS_LIMIT - interval;
    for (uint32_t i = 0; i < count; i++) {
        distance = smaller_of(distance, distance_to_next(&lines[i], interval));
    }
    return interval + distance;
}

static takt_duration_t next_step(const takt_edf_blocking_t *blocking, takt_duration_t interval) {
    for (uint32_t k = 0; k < blocking->count; k++) {
        if (blocking->steps[k].from > interval) {
            return blocking->steps[k].from;
        }
    }
    return TAKT_ANALYSIS_LIMIT;
}

takt_demand_t takt_processor_demand(const takt_sporadic_t *tasks, uint32_t count,
                                    const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                    takt_effort_t *effort) {
    const takt_demand_range_t range = takt_demand_range(tasks, count, blocking, room, effort);
    if (range.load != TAKT_SCHEDULABLE) {
        return (takt_demand_t){range.load, 0, 0};
    }
    for (takt_duration_t interval = range.shortest; interval <= range.longest;) {
        if (!takt_effort_step(effort)) {
            return (takt_demand_t){TAKT_UNDECIDED, 0, 0};
        }
        const uint64_t demand = takt_demand_in(room->lines, count, interval) +
                                takt_edf_blocking_at(tasks, count, blocking, interval).ticks;
        if (demand > interval) {
            return (takt_demand_t){TAKT_UNSCHEDULABLE, interval, demand};
        }
        interval = smaller_of(next_deadline(room->lines, count, interval), next_step(blocking, interval));
    }
    return (takt_demand_t){TAKT_SCHEDULABLE, 0, 0};
}
