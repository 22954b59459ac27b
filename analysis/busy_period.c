/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest busy period of a processor that never idles while a released job is unfinished, under any order.
 *
 * Sources: R. Cruz, A calculus for network delay, part I, IEEE Trans. Information Theory 37(1), 1991 (a server of any
 * work-conserving order delays no job for longer than its longest busy period); Spuri 1996 (its length, with jitter). A
 * task that comes and goes, and listed arrivals, are the same theorem with what they may release.
 *
 * A busy period that begins at s has nothing unfinished before s, and ends at the first s + L by which all that was
 * released since is done. So with the most that may be released in [s, s + L),
 *
 *   (1)  W(s, L) = sum C n(overlap of [s, s + L) and [from, until)),  n(x) = ceil((x + J) / T), 0 for x = 0
 *   (2)  it ends by s + least L > 0 with W(s, L) <= L
 *
 * and every job released in it is done by then. Of a list n(L) is the largest number of arrivals in a window of L + J:
 * a job released in [s, s + L) has arrived in [s - J, s + L).
 *
 * Which s count: while s grows and no n of a source that ends changes, nor s passes some `from` or `until`, W(s, L)
 * grows for each L, for later sources overlap longer. So the last s before such a change is the worst:
 *
 *   (3)  s = from of a source, or s = until - x with x = 1, or x = n T - J + 1 for some n
 *
 * These are checked from `until` back. Where a busy period ends before the next change of the present sources, those
 * that begin earlier, with the same sources present, are the same, and are left out.
 *
 * What is pessimistic: a source that follows another one of the same task may release at once with its last job; a list
 * counts wherever its arrivals lie.
 *
 * Bounds: with U, the load of the sources that stay, above 1 a busy period may have no end; below 1 all have one. At U = 1
 * it ends within one hyperperiod H after the last of these sources has come, or never: from then on W(s, L + H) >= W(s, L)
 * + H. Where that does not fit 64 bits, or is far, the effort bounds it.
 * When not to use it: where there is a test of the order that is used, which is as sharp or sharper; or where a processor
 * can idle beside a released job (suspensions, budgets, tables, circles of locks). */
#include "analysis/busy_period.h"

typedef struct search {
    const takt_source_t *sources;
    uint32_t count;
    uint64_t settled; /* bound of busy periods that end; TAKT_ANALYSIS_LIMIT: not known */
} search_t;

/* The busy period from an instant on, 0 if no source is present, and the changes of present sources around it. */
typedef struct window {
    takt_instant_t start;
    takt_duration_t length;
    takt_instant_t change_before, change_behind; /* at `start` at the latest; later */
} window_t;

static const takt_response_t undecided = {0, 0, false, false};
static const takt_response_t unbounded = {0, 0, false, true};

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool stays(const takt_source_t *source) { return source->until == TAKT_ANALYSIS_LIMIT; }

/* The ticks of [start, end) in which `source` is present. */
static uint64_t overlap(const takt_source_t *source, takt_instant_t start, takt_instant_t end) {
    const uint64_t first = larger_of(start, source->from);
    const uint64_t last = smaller_of(end, source->until);
    return last > first ? last - first : 0;
}

/* The largest number of listed arrivals in a window of `length`. */
static uint64_t most_listed(const takt_source_t *source, uint64_t length) {
    uint32_t first = 0;
    uint32_t most = 0;
    for (uint32_t last = 0; last < source->arrival_count; last++) {
        while (source->arrivals[last] - source->arrivals[first] >= length) {
            first++;
        }
        most = last - first + 1u > most ? last - first + 1u : most;
    }
    return most;
}

/* *work += C n(length) of a list. */
static bool add_listed(const takt_source_t *source, uint64_t length, uint64_t *work) {
    uint64_t window = 0;
    uint64_t more = 0;
    return takt_checked_plus(length, source->task.jitter, &window) &&
           takt_checked_times(most_listed(source, window), source->task.wcet, &more) &&
           takt_checked_plus(*work, more, work);
}

static bool add_source(const takt_source_t *source, takt_instant_t start, takt_instant_t end,
                       uint64_t *work) {
    if (source->arrivals != NULL) {
        return add_listed(source, end - start, work);
    }
    const uint64_t length = overlap(source, start, end);
    return length == 0 || takt_sporadic_requests(&source->task, length, work);
}

/* W(s, L); false if a number reaches the limit. */
static bool work_in(const search_t *search, takt_instant_t start, uint64_t length, uint64_t *work) {
    takt_instant_t end = 0;
    bool is_known = takt_checked_plus(start, length, &end);
    *work = 0;
    for (uint32_t i = 0; i < search->count && is_known; i++) {
        is_known = add_source(&search->sources[i], start, end, work);
    }
    return is_known;
}

/* (2), from `window->start` on. */
static takt_response_t find_length(const search_t *search, window_t *window, takt_effort_t *effort) {
    uint64_t length = 1;
    uint64_t work = 0;
    while (takt_effort_step(effort) && work_in(search, window->start, length, &work)) {
        if (work <= length) {
            window->length = work;
            return (takt_response_t){work, 0, true, true};
        }
        if (work > search->settled) {
            return unbounded;
        }
        length = work;
    }
    return undecided;
}

static void see_change(window_t *window, takt_instant_t change) {
    if (change <= window->start) {
        window->change_before = larger_of(window->change_before, change);
    } else {
        window->change_behind = smaller_of(window->change_behind, change);
    }
}

/* Computes the busy period from `start` on, and records it for all sources in it. */
static takt_response_t search_from(const search_t *search, takt_instant_t start, window_t *window,
                                   takt_response_t *longest, takt_effort_t *effort) {
    *window = (window_t){start, 0, 0, TAKT_ANALYSIS_LIMIT};
    const takt_response_t found = find_length(search, window, effort);
    for (uint32_t i = 0; i < search->count; i++) {
        see_change(window, search->sources[i].from);
        see_change(window, search->sources[i].until);
        if (overlap(&search->sources[i], start, start + window->length) > 0) {
            longest[i].ticks = larger_of(longest[i].ticks, window->length);
        }
    }
    return found;
}

/* The least x of (3) above `before`. */
static uint64_t next_distance(const takt_source_t *source, uint64_t before) {
    const uint64_t jobs = takt_ceiling(before + source->task.jitter, source->task.period);
    return jobs * source->task.period - source->task.jitter + 1u;
}

/* Checks all s of (3) before the end of `source`, while they count. */
static takt_response_t look_back(const search_t *search, const takt_source_t *source,
                                 takt_response_t *longest, takt_effort_t *effort) {
    takt_response_t found = {0, 0, true, true};
    uint64_t distance = 1;
    while (found.is_bounded && distance <= source->until - source->from) {
        window_t window;
        found = search_from(search, source->until - distance, &window, longest, effort);
        const bool is_alone = window.length <= window.change_behind - window.start;
        distance = next_distance(source, is_alone ? source->until - window.change_before : distance);
    }
    return found;
}

/* Whether a source with an index below `place` begins at the same instant. */
static bool is_seen(const takt_source_t *sources, uint32_t place) {
    uint32_t i = 0;
    while (sources[i].from != sources[place].from) {
        i++;
    }
    return i < place;
}

/* Checks all s of (3) of source `place`. */
static takt_response_t look_at(const search_t *search, uint32_t place, takt_response_t *longest,
                               takt_effort_t *effort) {
    const takt_source_t *source = &search->sources[place];
    takt_response_t found = {0, 0, true, true};
    if (!is_seen(search->sources, place)) {
        window_t window;
        found = search_from(search, source->from, &window, longest, effort);
    }
    return found.is_bounded && !stays(source) ? look_back(search, source, longest, effort) : found;
}

/* Compares with 1 the load of the sources that stay and have no list. */
static takt_comparison_t order_of_load(const takt_source_t *sources, uint32_t count, takt_busy_room_t *room,
                                       takt_effort_t *effort) {
    uint32_t staying = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (stays(&sources[i]) && sources[i].arrivals == NULL) {
            room->shares[staying] = (takt_fraction_t){sources[i].task.wcet, sources[i].task.period};
            staying++;
        }
    }
    return takt_fractions_compare(room->shares, staying, room->rests, effort);
}

/* The length beyond which no busy period ends where U = 1. */
static uint64_t settled_after(const takt_source_t *sources, uint32_t count) {
    uint64_t common = 1;
    uint64_t last = 0;
    bool fits = true;
    for (uint32_t i = 0; i < count && fits; i++) {
        if (stays(&sources[i]) && sources[i].arrivals == NULL) {
            last = larger_of(last, sources[i].from + 1u);
            fits = takt_checked_multiple(common, sources[i].task.period, &common);
        }
    }
    return fits && takt_checked_plus(last, common, &last) ? last : TAKT_ANALYSIS_LIMIT;
}

static void fill(takt_response_t *longest, uint32_t count, takt_response_t value) {
    for (uint32_t i = 0; i < count; i++) {
        longest[i] = value;
    }
}

void takt_busy_periods(const takt_source_t *sources, uint32_t count, takt_response_t *longest,
                       takt_busy_room_t *room, takt_effort_t *effort) {
    const takt_comparison_t order = order_of_load(sources, count, room, effort);
    takt_response_t found = order == TAKT_GREATER ? unbounded : undecided;
    search_t search = {sources, count, TAKT_ANALYSIS_LIMIT};
    if (order == TAKT_LESS || order == TAKT_EQUAL) {
        found = (takt_response_t){0, 0, true, true};
        search.settled = order == TAKT_EQUAL ? settled_after(sources, count) : TAKT_ANALYSIS_LIMIT;
    }
    fill(longest, count, found);
    for (uint32_t i = 0; i < count && found.is_bounded; i++) {
        found = look_at(&search, i, longest, effort);
    }
    if (!found.is_bounded) {
        fill(longest, count, found);
    }
}
