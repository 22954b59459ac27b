/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Response times: of one task as of all, at scales up to the limits, with unusual inputs. That they are right
 * is tested against exhaustive search, in tests/analysis/test_response_times.py. */
#include "analysis/control_flow.h"
#include "tests/c/check.h"

#include <string.h>

#define MOST 6u

/* A random set with all that its columns point to. */
typedef struct drawn {
    takt_sporadic_t tasks[MOST];
    takt_duration_t blocking[MOST];
    takt_fp_end_t ends[MOST];
    takt_fp_set_t set;
} drawn_t;

static takt_fp_memory_t memory(void) {
    static takt_fraction_t fractions[MOST] = {{0, 0}};
    static uint64_t next[MOST] = {0};
    static uint64_t later[MOST] = {0};
    return (takt_fp_memory_t){fractions, next, later};
}

static void draw_task(drawn_t *drawn, uint32_t i) {
    const uint64_t wcet = 1u + check_below(6);
    const uint64_t last = 1u + check_below(wcet);
    drawn->tasks[i] = (takt_sporadic_t){wcet, 2u + check_below(40), 1u + check_below(60), check_below(50)};
    drawn->blocking[i] = check_below(12);
    drawn->ends[i] = (takt_fp_end_t){wcet, last, (uint32_t)check_below(i + 1u)};
}

static void draw(drawn_t *drawn) {
    const uint32_t count = 1u + (uint32_t)check_below(MOST);
    memset(drawn, 0, sizeof *drawn);
    for (uint32_t i = 0; i < count; i++) {
        draw_task(drawn, i);
    }
    drawn->set = (takt_fp_set_t){drawn->tasks, count, drawn->blocking, drawn->ends, NULL, NULL};
}

static void answer(const takt_fp_set_t *set, takt_response_t *responses) {
    takt_effort_t effort = 100000;
    takt_fp_responses(set, memory(), &effort, responses);
    for (uint32_t i = 0; i < set->count; i++) {
        CHECK(responses[i].is_bounded ? responses[i].is_decided
                                      : responses[i].ticks == 0 && responses[i].job == 0);
    }
}

static bool is_same(takt_response_t a, takt_response_t b) {
    return a.ticks == b.ticks && a.job == b.job && a.is_bounded == b.is_bounded &&
           a.is_decided == b.is_decided;
}

/* What is carried from task to task changes nothing, but for what it takes of the effort. */
static void one_task_is_answered_as_all(void) {
    drawn_t drawn;
    takt_response_t all[MOST];
    draw(&drawn);
    answer(&drawn.set, all);
    for (uint32_t i = 0; i < drawn.set.count; i++) {
        takt_effort_t effort = 100000;
        const takt_response_t alone = takt_fp_response(&drawn.set, i, UINT64_MAX, memory(), &effort);
        CHECK(!all[i].is_decided || is_same(alone, all[i]));
    }
}

static void inputs_are_not_written(void) {
    drawn_t drawn, before;
    takt_response_t all[MOST];
    draw(&drawn);
    before = drawn;
    answer(&drawn.set, all);
    CHECK(memcmp(&drawn, &before, sizeof drawn) == 0);
}

/* Times that are all longer by a factor give responses that are; a response that does not fit is undecided. */
static uint32_t fitting, undecided;

static void check_scaled(takt_response_t response, takt_response_t scaled, uint64_t factor) {
    CHECK(!scaled.is_decided || scaled.is_bounded == response.is_bounded);
    CHECK(!scaled.is_bounded || (scaled.ticks == response.ticks * factor && scaled.job == response.job));
    fitting += scaled.is_bounded ? 1u : 0u;
    undecided += scaled.is_decided ? 0 : 1u;
}

static void responses_scale_up_to_the_limit(void) {
    const uint64_t factor = (UINT64_C(1) << 62) / 50u;
    drawn_t drawn;
    takt_response_t small[MOST], large[MOST];
    draw(&drawn);
    drawn.set.ends = NULL;
    answer(&drawn.set, small);
    for (uint32_t i = 0; i < drawn.set.count; i++) {
        drawn.blocking[i] *= factor;
        drawn.tasks[i] = (takt_sporadic_t){drawn.tasks[i].wcet * factor, drawn.tasks[i].period * factor, 1,
                                           drawn.tasks[i].jitter * factor};
    }
    answer(&drawn.set, large);
    for (uint32_t i = 0; i < drawn.set.count; i++) {
        check_scaled(small[i], large[i], factor);
    }
}

static void little_effort_gives_no_wrong_answer(void) {
    drawn_t drawn;
    takt_response_t all[MOST], some[MOST];
    draw(&drawn);
    answer(&drawn.set, all);
    takt_effort_t effort = check_below(60);
    takt_fp_responses(&drawn.set, memory(), &effort, some);
    for (uint32_t i = 0; i < drawn.set.count; i++) {
        CHECK(!some[i].is_decided || is_same(some[i], all[i]));
    }
}

/* Bril, Lukkien, Verhaegh 2009: the jobs of the second task respond in 31, 27, 33, 29, 35. */
static void a_search_ends_at_the_first_response_that_is_enough(void) {
    const takt_sporadic_t tasks[] = {{10, 25, 25, 0}, {21, 35, 35, 0}};
    const takt_fp_end_t ends[] = {{10, 10, 0}, {21, 15, 0}};
    const takt_fp_set_t set = {tasks, 2, NULL, ends, NULL, NULL};
    const struct {
        takt_duration_t enough, ticks;
        uint64_t job;
    } cases[] = {{30, 31, 0}, {31, 33, 2}, {33, 35, 4}, {35, 35, 4}};
    for (uint32_t i = 0; i < 4; i++) {
        takt_effort_t effort = 1000;
        const takt_response_t response = takt_fp_response(&set, 1, cases[i].enough, memory(), &effort);
        CHECK(response.ticks == cases[i].ticks && response.job == cases[i].job);
    }
}

/* The first look would go beyond 2^64, to a number that looks like an answer. */
static void a_sum_that_does_not_fit_is_noticed(void) {
    const uint64_t most = TAKT_ANALYSIS_TIME_MAX;
    const takt_sporadic_t tasks[] = {{1, 2, 2, most}, {499, 1000, 1000, most}, {1, most, most, 0}};
    const takt_duration_t blocking[] = {0, 0, most};
    const takt_fp_set_t set = {tasks, 3, blocking, NULL, NULL, NULL};
    takt_effort_t effort = 1000;
    CHECK(!takt_fp_response(&set, 2, UINT64_MAX, memory(), &effort).is_decided);
    CHECK(effort > 900);
}

static void a_sequence_is_a_graph(void) {
    const takt_duration_t wcets[] = {3, 4};
    const uint32_t first[] = {0, 2};
    const takt_edge_t edge = {0, 1};
    const takt_graphs_t graphs = {wcets, first, 1, &edge, 1};
    takt_duration_t paths[2], wcet, longest;
    takt_fp_end_t ends[2];
    uint32_t end_first[2] = {0};
    takt_effort_t effort = 10;
    CHECK(takt_graphs_measure(&graphs, paths, &effort, &(takt_flow_t){&wcet, &longest, ends, end_first}) ==
          TAKT_GRAPHS_MEASURED);
    CHECK(wcet == 7 && longest == 4 && end_first[1] == 1);
    CHECK(ends[0].path == 7 && ends[0].last == 4 && ends[0].over == 0);
    effort = 0;
    CHECK(takt_graphs_measure(&graphs, paths, &effort, &(takt_flow_t){&wcet, &longest, ends, end_first}) ==
          TAKT_GRAPHS_UNDECIDED);
}

int main(void) {
    a_search_ends_at_the_first_response_that_is_enough();
    a_sum_that_does_not_fit_is_noticed();
    a_sequence_is_a_graph();
    check_sequences(one_task_is_answered_as_all, 20000);
    check_sequences(inputs_are_not_written, 1000);
    check_sequences(responses_scale_up_to_the_limit, 20000);
    check_sequences(little_effort_gives_no_wrong_answer, 20000);
    CHECK(check_run.checks < 50000 || (fitting > 100 && undecided > 100));
    return check_report("response times");
}
