/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Quick processor-demand analysis.
 *
 * Source: Zhang, Burns 2009. Let h(L) be demand and blocking together, and T(w) the least t that supplies w; on the processor
 * w itself. Where h does not fall, T(h(L)) <= L clears all of [T(h(L)), L] at once, so that the next interval to check is
 * T(h(L)) - 1; it ends below the shortest deadline. h falls where blocking does, which is at a few lengths: between them
 * T(h(L)) clears down to the last of them at most. With the largest blocking in the place of B(L) it clears all the way, and
 * is tried first. A region gives way to the demand of its own task.
 * Left out: the last deadline before an interval, which the paper steps to if h(L) = L; L - 1 clears the rest below it.
 *
 * Divisions are what it costs. So an upper estimate is tried first, of multiplications with inverses that are rounded up:
 * it clears less, and no L wrongly. Only where it exceeds the interval the exact demand is asked. Inverses are as fine as
 * 64 bits allow; where they are too coarse (some L (L / T) beyond 2^62) every demand is exact at once. */
#include "analysis/qpa.h"

typedef struct search {
    const takt_children_t *children;
    const takt_demand_line_t *lines;
    const takt_edf_blocking_t *blocking;
    takt_demand_range_t range;
    uint64_t reach; /* no L + ahead is above it; below TAKT_ANALYSIS_LIMIT */
    uint32_t count;
    uint32_t shift;    /* of the inverses */
    bool has_inverses; /* which are fine enough */
} search_t;

/* (L + e) / T is below 2^b, hence its product with 2^shift below 2^63, and what rounding adds to it, too. If no L + e
 * reaches 2^shift, an estimate has at most one job of each task too many, which all fit the longest period, as U <= 1. */
static void prepare_inverses(search_t *search, takt_demand_line_t *lines) {
    search->shift = 63u - takt_bits_of(search->reach / search->range.least_period);
    search->has_inverses = search->reach < UINT64_C(1) << search->shift;
    for (uint32_t i = 0; i < search->count; i++) {
        lines[i].inverse = (lines[i].inverse >> (63u - search->shift)) + 1u;
    }
}

/* L + e of a line; 0 below 0. */
static uint64_t seen_by(const takt_demand_line_t *line, takt_duration_t interval) {
    const int64_t seen = (int64_t)interval + line->ahead;
    return seen > 0 ? (uint64_t)seen : 0;
}

/* An upper bound of the demand of the lines. */
static uint64_t estimate(const takt_demand_line_t *lines, uint32_t count, uint32_t shift,
                         takt_duration_t interval) {
    uint64_t demand = 0;
    for (uint32_t i = 0; i < count; i++) {
        demand += (seen_by(&lines[i], interval) * lines[i].inverse >> shift) * lines[i].wcet;
    }
    return demand;
}

/* The demand of the lines. */
static uint64_t demand_in(const takt_demand_line_t *lines, uint32_t count, takt_duration_t interval) {
    uint64_t demand = 0;
    for (uint32_t i = 0; i < count; i++) {
        demand += seen_by(&lines[i], interval) / lines[i].period * lines[i].wcet;
    }
    return demand;
}

/* The demand of servers that have no lines. */
static uint64_t rest_in(const search_t *search, takt_duration_t interval) {
    return search->range.has_servers ? takt_demand_of_servers(search->children, interval) : 0;
}

/* T(ticks); TAKT_ANALYSIS_LIMIT if it does not fit. */
static uint64_t time_of(const search_t *search, uint64_t ticks) {
    const takt_supply_t *supply = search->children->supply;
    uint64_t time = ticks;
    return supply == NULL || takt_supply_time(supply, ticks, &time) ? time : TAKT_ANALYSIS_LIMIT;
}

/* An upper bound of demand and blocking; TAKT_ANALYSIS_LIMIT without inverses. */
static uint64_t most_in(const search_t *search, takt_duration_t interval) {
    return search->has_inverses ? estimate(search->lines, search->count, search->shift, interval) +
                                      rest_in(search, interval) + search->range.blocking
                                : TAKT_ANALYSIS_LIMIT;
}

/* Demand and blocking, exactly; and from where on they do not fall. */
static uint64_t ticks_in(const search_t *search, takt_duration_t interval, takt_duration_t *from) {
    const takt_children_t *children = search->children;
    const takt_blocking_piece_t piece =
        takt_edf_blocking_at(children->tasks, children->count, search->blocking, interval);
    *from = piece.from;
    return demand_in(search->lines, search->count, interval) + rest_in(search, interval) + piece.ticks;
}

static takt_demand_t excess_in(const search_t *search, takt_duration_t interval, uint64_t ticks) {
    const takt_supply_t supply = takt_supply_of(search->children);
    return (takt_demand_t){TAKT_UNSCHEDULABLE, interval, ticks, takt_supply_bound(&supply, interval)};
}

static takt_demand_t search_down(const search_t *search, takt_effort_t *effort) {
    takt_duration_t end = search->range.longest + 1u;
    while (end > search->range.shortest) {
        const takt_duration_t interval = end - 1u;
        if (!takt_effort_step(effort)) {
            return (takt_demand_t){.verdict = TAKT_UNDECIDED};
        }
        end = time_of(search, most_in(search, interval));
        if (end > interval) {
            takt_duration_t from = 0;
            const uint64_t ticks = ticks_in(search, interval, &from);
            end = time_of(search, ticks);
            if (end > interval) {
                return excess_in(search, interval, ticks);
            }
            end = end > from ? end : from;
        }
    }
    return (takt_demand_t){.verdict = TAKT_SCHEDULABLE};
}

/* Bounds the range once more where it is far; false if it has no end, or numbers would not fit. */
static bool find_reach(search_t *search, takt_effort_t *effort) {
    takt_demand_range_t *range = &search->range;
    if (range->is_far) {
        const uint64_t span = takt_edf_span(search->children, search->blocking, range->order, effort);
        range->longest = span < range->longest ? span : range->longest;
    }
    return range->longest < TAKT_ANALYSIS_LIMIT && range->ahead < TAKT_ANALYSIS_LIMIT &&
           takt_checked_plus(range->ahead, range->longest, &search->reach);
}

takt_demand_t takt_qpa(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                       takt_demand_room_t *room, takt_effort_t *effort) {
    search_t search;
    search.children = children;
    search.lines = room->lines;
    search.blocking = blocking;
    search.count = children->count;
    takt_demand_range(children, blocking, room, effort, &search.range);
    if (search.range.load != TAKT_SCHEDULABLE) {
        return (takt_demand_t){.verdict = search.range.load};
    }
    if (!find_reach(&search, effort)) {
        return (takt_demand_t){.verdict = TAKT_UNDECIDED};
    }
    if (search.range.longest >= search.range.shortest) {
        prepare_inverses(&search, room->lines);
    }
    return search_down(&search, effort);
}
