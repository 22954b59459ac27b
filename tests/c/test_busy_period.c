/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Longest busy periods at all magnitudes of time, against those of a server that has the whole processor; tasks one
 * after the other, effort, overflow. The definition is followed tick by tick in tests/analysis/test_busy_periods.py. */
#include "analysis/bandwidth.h"
#include "analysis/busy_period.h"
#include "tests/c/check.h"

#define MOST 4u
#define LARGEST TAKT_ANALYSIS_TIME_MAX

static takt_response_t longest(const takt_source_t *sources, uint32_t count, takt_effort_t effort) {
    takt_fraction_t shares[MOST];
    uint64_t rests[MOST] = {0};
    takt_busy_room_t room = {shares, rests};
    takt_response_t found[MOST] = {{0}};
    takt_busy_periods(sources, count, found, &room, &effort);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(found[i].is_bounded ? found[i].is_decided : found[i].ticks == 0 && found[i].job == 0);
    }
    return found[0];
}

static takt_source_t always(takt_sporadic_t task) {
    return (takt_source_t){task, NULL, 0, 0, TAKT_ANALYSIS_LIMIT};
}

static takt_sporadic_t random_task(uint32_t bits) {
    const uint64_t most = UINT64_C(1) << bits;
    const uint64_t period = 1u + check_below(most);
    const uint64_t jitter = check_below(3) == 0 ? check_below(most) : 0;
    return (takt_sporadic_t){1u + check_below(takt_ceiling(period, 3)), period, period, jitter};
}

static void all_that_is_there_for_good_is_a_server_that_is_always_there(void) {
    takt_source_t sources[MOST];
    takt_sporadic_t tasks[MOST];
    const uint32_t count = 1u + (uint32_t)check_below(MOST);
    const uint32_t bits = 1u + (uint32_t)check_below(61);
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = random_task(bits);
        sources[i] = always(tasks[i]);
    }
    takt_effort_t effort = 10000;
    const takt_response_t whole = takt_cbs_busy_period(tasks, count, 1, 1, &effort);
    const takt_response_t found = longest(sources, count, 10000);
    CHECK(!whole.is_bounded || (found.is_bounded && found.ticks == whole.ticks));
    CHECK(whole.is_bounded || !found.is_bounded || found.ticks > LARGEST);
}

static void tasks_that_are_never_there_at_once_do_not_add_up(void) {
    const takt_sporadic_t task = {3, 4, 4, 0};
    takt_source_t sources[] = {{task, NULL, 0, 0, 100}, {task, NULL, 0, 200, TAKT_ANALYSIS_LIMIT}};
    CHECK(longest(sources, 2, 1000).ticks == 3);
    sources[1].from = 100; /* the last job of one, and the first of the other */
    CHECK(longest(sources, 2, 1000).ticks > 3);
    sources[1].from = 50; /* together they ask for too much, but not for good */
    CHECK(longest(sources, 2, 100000).is_bounded);
    sources[0].until = TAKT_ANALYSIS_LIMIT;
    CHECK(!longest(sources, 2, 1000).is_bounded && longest(sources, 2, 1000).is_decided);
}

/* 3 in 4 ticks with jitter 3 until 100, when 10 come at once. Of [100 - x, 100) the first asks for 3 ceil((x + 3) / 4). A busy
 * period that begins 6 before has 9 to do, meets the 10, and is the longest: one that begins 2 before has 6, one that begins 10 before
 * is done after 9. If the 10 come at 104, nothing is left for them to meet: one that begins 2 before is done by then. */
static void work_that_is_left_at_a_change_lengthens_what_comes_then(void) {
    const takt_sporadic_t first = {3, 4, 4, 3};
    const takt_source_t near[] = {{first, NULL, 0, 0, 100}, {{10, 10, 10, 0}, NULL, 0, 100, 101}};
    const takt_source_t next[] = {{first, NULL, 0, 0, 100}, {{10, 10, 10, 0}, NULL, 0, 102, 103}};
    const takt_source_t apart[] = {{first, NULL, 0, 0, 100}, {{10, 10, 10, 0}, NULL, 0, 104, 105}};
    CHECK(longest(near, 2, 1000).ticks == 19);
    CHECK(longest(next, 2, 1000).ticks == 19);
    CHECK(longest(apart, 2, 1000).ticks == 9);
}

static void the_longest_times_are_bounded_or_said_not_to_be(void) {
    const takt_instant_t instants[] = {0, 0, LARGEST - 1u};
    const uint64_t a = (UINT64_C(1) << 50) + 1u;
    const uint64_t b = UINT64_C(1) << 50;
    const takt_source_t one[] = {always((takt_sporadic_t){LARGEST, LARGEST, 1, 0})};
    const takt_source_t late[] = {{{1, 1, 1, LARGEST}, NULL, 0, LARGEST - 1u, LARGEST}};
    const takt_source_t list[] = {{{LARGEST, 1, 1, 0}, instants, 3, 0, TAKT_ANALYSIS_LIMIT}};
    const takt_source_t full[] = {always((takt_sporadic_t){a, 3u * a, 1, 1}),
                                  always((takt_sporadic_t){2u * b, 3u * b, 1, 0})};
    CHECK(longest(one, 1, 100).ticks == LARGEST);
    CHECK(longest(late, 1, 100).ticks == LARGEST + 1u);
    CHECK(longest(list, 1, 100).is_decided == false);
    CHECK(longest(full, 2, 1000).is_decided == false);
}

static void without_effort_nothing_is_known(void) {
    const takt_source_t sources[] = {always((takt_sporadic_t){2, 5, 5, 0}),
                                     always((takt_sporadic_t){4, 7, 7, 0})};
    CHECK(!longest(sources, 2, 3).is_decided);
    CHECK(longest(sources, 2, 100).ticks == 14);
}

int main(void) {
    check_sequences(all_that_is_there_for_good_is_a_server_that_is_always_there, 20000);
    tasks_that_are_never_there_at_once_do_not_add_up();
    work_that_is_left_at_a_change_lengthens_what_comes_then();
    the_longest_times_are_bounded_or_said_not_to_be();
    without_effort_nothing_is_known();
    return check_report("busy_period");
}
