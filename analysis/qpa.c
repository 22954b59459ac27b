/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Quick processor-demand analysis.
 *
 * Source: Zhang, Burns 2009. Let h(L) be demand and blocking together. Where h does not fall, h(L) <= L clears all of
 * [h(L), L] at once, so that the next interval to check is h(L) - 1; it ends below the shortest deadline. h falls where
 * blocking does, which is at a few lengths: between them h(L) clears down to the last of them at most. With the largest
 * blocking in the place of B(L) it clears all the way, and is tried first.
 * Left out: the last deadline before an interval, which the paper steps to if h(L) = L; L - 1 clears the rest below it.
 *
 * Divisions are what it costs. So an upper estimate is tried first, of multiplications with inverses that are rounded up:
 * it clears less, and no L wrongly. Only where it exceeds the interval the exact demand is asked. Inverses are as fine as
 * 64 bits allow; where they are too coarse (some L (L / T) beyond 2^62) every demand is exact at once.
 * When not to use it: to learn the shortest interval that is too short; that is what the processor demand test gives. */
#include "analysis/qpa.h"

typedef struct search {
    const takt_sporadic_t *tasks;
    const takt_demand_line_t *lines;
    const takt_edf_blocking_t *blocking;
    takt_demand_range_t range;
    uint32_t count;
    uint32_t shift;    /* of the inverses */
    bool has_inverses; /* which are fine enough */
} search_t;

/* (L + e) / T is below 2^b, hence its product with 2^shift below 2^63, and what rounding adds to it, too. If no L + e
 * reaches 2^shift, an estimate has at most one job of each task too many, which all fit the longest period, as U <= 1. */
static void prepare_inverses(search_t *search, takt_demand_line_t *lines) {
    search->shift = 63u - takt_bits_of(search->range.reach / search->range.least_period);
    search->has_inverses = search->range.reach < UINT64_C(1) << search->shift;
    for (uint32_t i = 0; i < search->count; i++) {
        lines[i].inverse = (lines[i].inverse >> (63u - search->shift)) + 1u;
    }
}

/* An upper bound of the demand. */
static uint64_t estimate(const takt_demand_line_t *lines, uint32_t count, uint32_t shift,
                         takt_duration_t interval) {
    uint64_t demand = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t seen = (int64_t)interval + lines[i].ahead;
        demand += ((seen > 0 ? (uint64_t)seen : 0) * lines[i].inverse >> shift) * lines[i].wcet;
    }
    return demand;
}

/* Whether demand and the largest blocking fit `interval`; if so, they are in *ticks. */
static bool is_clear(const search_t *search, takt_duration_t interval, uint64_t *ticks) {
    if (!search->has_inverses) {
        return false;
    }
    *ticks = estimate(search->lines, search->count, search->shift, interval) + search->range.blocking;
    return *ticks <= interval;
}

/* Demand and blocking, exactly; and from where on they do not fall. */
static uint64_t ticks_in(const search_t *search, takt_duration_t interval, takt_duration_t *from) {
    const takt_blocking_piece_t piece =
        takt_edf_blocking_at(search->tasks, search->count, search->blocking, interval);
    *from = piece.from;
    return takt_demand_in(search->lines, search->count, interval) + piece.ticks;
}

static takt_demand_t search_down(const search_t *search, takt_effort_t *effort) {
    takt_duration_t end = search->range.longest + 1u;
    while (end > search->range.shortest) {
        const takt_duration_t interval = end - 1u;
        takt_duration_t from = 0;
        if (!takt_effort_step(effort)) {
            return (takt_demand_t){TAKT_UNDECIDED, 0, 0};
        }
        if (!is_clear(search, interval, &end)) {
            end = ticks_in(search, interval, &from);
        }
        if (end > interval) {
            return (takt_demand_t){TAKT_UNSCHEDULABLE, interval, end};
        }
        end = end > from ? end : from;
    }
    return (takt_demand_t){TAKT_SCHEDULABLE, 0, 0};
}

takt_demand_t takt_qpa(const takt_sporadic_t *tasks, uint32_t count, const takt_edf_blocking_t *blocking,
                       takt_demand_room_t *room, takt_effort_t *effort) {
    search_t search = {.tasks = tasks, .lines = room->lines, .blocking = blocking, .count = count};
    search.range = takt_demand_range(tasks, count, blocking, room, effort);
    if (search.range.load != TAKT_SCHEDULABLE) {
        return (takt_demand_t){search.range.load, 0, 0};
    }
    if (search.range.longest >= search.range.shortest) {
        prepare_inverses(&search, room->lines);
    }
    return search_down(&search, effort);
}
