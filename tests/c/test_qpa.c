/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* QPA against the processor demand test, deadline by deadline, at all magnitudes of time; U = 1, overflow, effort. */
#include "analysis/density.h"
#include "analysis/edf_response_times.h"
#include "analysis/qpa.h"
#include "tests/c/check.h"

#define MOST 5u
#define LARGEST TAKT_ANALYSIS_TIME_MAX

static const takt_edf_blocking_t none = {0};

typedef takt_demand_t test_t(const takt_sporadic_t *tasks, uint32_t count,
                             const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                             takt_effort_t *effort);

/* The first length after `interval` at which demand or B(L) changes. */
static uint64_t next_length(const takt_sporadic_t *tasks, uint32_t count, const takt_edf_blocking_t *blocking,
                            uint64_t interval) {
    uint64_t next = TAKT_ANALYSIS_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t jobs = takt_jobs_due(&tasks[i], interval);
        const uint64_t due = jobs * tasks[i].period + tasks[i].deadline - tasks[i].jitter;
        next = due < next ? due : next;
    }
    for (uint32_t k = 0; k < blocking->count; k++) {
        const uint64_t from = blocking->steps[k].from;
        next = from > interval && from < next ? from : next;
    }
    return next;
}

/* The test of Baruah, Rosier and Howell 1990, deadline by deadline. */
static takt_demand_t first_excess(const takt_sporadic_t *tasks, uint32_t count,
                                  const takt_edf_blocking_t *blocking, takt_demand_room_t *room,
                                  takt_effort_t *effort) {
    const takt_children_t children = {.tasks = tasks, .count = count};
    takt_demand_range_t range = {0};
    takt_demand_range(&children, blocking, room, effort, &range);
    uint64_t interval = range.shortest;
    const uint64_t span = range.is_far ? takt_edf_span(&children, blocking, range.order, effort) : 0;
    const uint64_t longest = range.is_far && span < range.longest ? span : range.longest;
    if (range.load != TAKT_SCHEDULABLE || longest >= TAKT_ANALYSIS_LIMIT) {
        return (takt_demand_t){.verdict = range.load != TAKT_SCHEDULABLE ? range.load : TAKT_UNDECIDED};
    }
    for (; interval <= longest; interval = next_length(tasks, count, blocking, interval)) {
        uint64_t ticks = takt_edf_blocking_at(tasks, count, blocking, interval).ticks;
        for (uint32_t i = 0; i < count; i++) {
            ticks += takt_jobs_due(&tasks[i], interval) * tasks[i].wcet;
        }
        if (!takt_effort_step(effort)) {
            return (takt_demand_t){.verdict = TAKT_UNDECIDED};
        }
        if (ticks > interval) {
            return (takt_demand_t){TAKT_UNSCHEDULABLE, interval, ticks, interval};
        }
    }
    return (takt_demand_t){.verdict = TAKT_SCHEDULABLE};
}

static takt_demand_t qpa(const takt_sporadic_t *tasks, uint32_t count, const takt_edf_blocking_t *blocking,
                         takt_demand_room_t *room, takt_effort_t *effort) {
    const takt_children_t children = {.tasks = tasks, .count = count};
    return takt_qpa(&children, blocking, room, effort);
}

static takt_demand_t run(test_t *test, const takt_sporadic_t *tasks, uint32_t count,
                         const takt_edf_blocking_t *blocking, takt_effort_t effort) {
    static takt_demand_line_t lines[MOST];
    static takt_fraction_t shares[MOST];
    static uint64_t rests[MOST] = {0};
    static takt_demand_room_t room = {lines, shares, rests};
    return test(tasks, count, blocking, &room, &effort);
}

static takt_verdict_t verdict(const takt_sporadic_t *tasks, uint32_t count) {
    const takt_verdict_t found = run(qpa, tasks, count, &none, 1000000).verdict;
    CHECK(run(first_excess, tasks, count, &none, 1000000).verdict == found);
    return found;
}

static void nothing_is_schedulable(void) { CHECK(verdict(NULL, 0) == TAKT_SCHEDULABLE); }

static void the_whole_processor_is_enough_up_to_the_last_tick(void) {
    const takt_sporadic_t full[] = {{1, 2, 2, 0}, {1, 3, 3, 0}, {1, 6, 6, 0}};
    const takt_sporadic_t early[] = {{1, 2, 2, 0}, {1, 3, 2, 0}, {1, 6, 2, 0}};
    const takt_sporadic_t late[] = {{1, 2, 9, 0}, {1, 3, 7, 0}, {1, 6, 6, 0}};
    const takt_sporadic_t jittery[] = {{1, 2, 2, 0}, {1, 3, 4, 1}, {1, 6, 6, 0}};
    const takt_sporadic_t over[] = {{1, 2, 60, 0}, {1, 3, 60, 0}, {2, 11, 60, 0}};
    CHECK(verdict(full, 3) == TAKT_SCHEDULABLE);
    CHECK(verdict(early, 3) == TAKT_UNSCHEDULABLE);
    CHECK(verdict(late, 3) == TAKT_SCHEDULABLE);
    CHECK(verdict(jittery, 3) == TAKT_SCHEDULABLE);
    CHECK(verdict(over, 3) == TAKT_UNSCHEDULABLE);
}

static void the_longest_times_are_decided_or_said_not_to_be(void) {
    const takt_sporadic_t one[] = {{LARGEST, LARGEST, LARGEST, 0}};
    const takt_sporadic_t two[] = {{LARGEST, LARGEST, LARGEST, 0}, {1, LARGEST, LARGEST, 0}};
    const uint64_t a = (UINT64_C(1) << 50) + 1u;
    const uint64_t b = UINT64_C(1) << 50;
    const takt_sporadic_t full[] = {{a, 3u * a, 2u * a, 0}, {2u * b, 3u * b, 3u * b, 0}};
    CHECK(verdict(one, 1) == TAKT_SCHEDULABLE);
    CHECK(verdict(two, 2) == TAKT_UNSCHEDULABLE);
    CHECK(verdict(full, 2) == TAKT_UNDECIDED);
}

static void without_effort_nothing_is_known(void) {
    const takt_sporadic_t tasks[] = {{2, 6, 4, 0}, {2, 8, 5, 0}, {3, 9, 7, 0}};
    CHECK(run(qpa, tasks, 3, &none, 1).verdict == TAKT_UNDECIDED);
    CHECK(run(first_excess, tasks, 3, &none, 1).verdict == TAKT_UNDECIDED);
    CHECK(run(qpa, tasks, 3, &none, 1000).verdict == TAKT_SCHEDULABLE);
}

static void responses_say_what_they_lack(void) {
    const takt_sporadic_t tasks[] = {{2, 6, 4, 0}, {2, 8, 5, 0}, {3, 9, 7, 0}};
    const takt_sporadic_t over[] = {{2, 3, 3, 0}, {2, 3, 3, 0}};
    takt_edf_line_t lines[MOST];
    takt_fraction_t shares[MOST];
    uint64_t rests[MOST] = {0};
    takt_edf_room_t room = {lines, shares, rests};
    takt_response_t responses[MOST];
    takt_effort_t effort = 3;
    takt_edf_response_times(tasks, 3, &none, NULL, NULL, responses, &room, &effort);
    CHECK(!responses[0].is_decided && !responses[0].is_bounded);
    effort = 100000;
    takt_edf_response_times(tasks, 3, &none, NULL, NULL, responses, &room, &effort);
    CHECK(responses[2].is_decided && responses[2].is_bounded && responses[2].ticks == 7);
    takt_edf_response_times(over, 2, &none, NULL, NULL, responses, &room, &effort);
    CHECK(responses[1].is_decided && !responses[1].is_bounded);
}

/* Up to 2^bits, few deadlines in the longest interval that matters. */
static takt_sporadic_t draw_task(uint32_t bits) {
    const uint64_t period =
        1u + (UINT64_C(1) << (bits - 3u)) + check_below((UINT64_C(1) << bits) - (UINT64_C(1) << (bits - 3u)));
    const uint64_t wcet = 1u + check_below(1u + period / 3u);
    const uint64_t deadline = wcet + check_below(period);
    return (takt_sporadic_t){wcet, period, deadline, check_below(2) * check_below(1u + period / 8u)};
}

static uint32_t verdicts[3];

static void qpa_says_what_all_deadlines_say(void) {
    takt_sporadic_t tasks[MOST];
    takt_duration_t regions[MOST] = {0};
    const uint32_t count = 1u + (uint32_t)check_below(MOST);
    const uint32_t bits = 4u + (uint32_t)check_below(58);
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = draw_task(bits);
        regions[i] = 1u + check_below(tasks[i].wcet);
    }
    const uint64_t from = check_below(UINT64_C(1) << bits);
    const takt_blocking_step_t steps[] = {{from, check_below(UINT64_C(1) << (bits - 1u))},
                                          {from + 1u + check_below(UINT64_C(1) << bits), 0}};
    const takt_edf_blocking_t blocking = {steps, 2u * (uint32_t)check_below(2),
                                          check_below(2) == 0 ? regions : NULL};
    const takt_demand_t quick = run(qpa, tasks, count, &blocking, 100000);
    const takt_demand_t first = run(first_excess, tasks, count, &blocking, 100000);
    verdicts[quick.verdict]++;
    if (quick.verdict != TAKT_UNDECIDED && first.verdict != TAKT_UNDECIDED) {
        CHECK(quick.verdict == first.verdict);
        CHECK(quick.interval >= first.interval && quick.ticks >= quick.interval);
    }
}

int main(void) {
    nothing_is_schedulable();
    the_whole_processor_is_enough_up_to_the_last_tick();
    the_longest_times_are_decided_or_said_not_to_be();
    without_effort_nothing_is_known();
    responses_say_what_they_lack();
    check_sequences(qpa_says_what_all_deadlines_say, 20000);
    CHECK(check_run.checks < 20000 ||
          (verdicts[TAKT_UNSCHEDULABLE] > 1000 && verdicts[TAKT_SCHEDULABLE] > 1000 &&
           verdicts[TAKT_UNDECIDED] < verdicts[TAKT_SCHEDULABLE] / 10u));
    return check_report("qpa");
}
