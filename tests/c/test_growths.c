/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The longest wcets against their definition: one wcet after the other is tried, from the longest down, with the routines
 * that judge a set. All memory is as long as the headers say, so that sanitizers notice what goes beyond it. */
#include "analysis/edf_growth.h"
#include "analysis/fp_growth.h"
#include "tests/c/check.h"

#include <string.h>

#define MOST 6u
#define MUCH 1000000u

/* A random set with all that its columns point to. */
typedef struct drawn {
    takt_sporadic_t tasks[MOST];
    takt_duration_t blocking[MOST];
    takt_fp_end_t ends[MOST];
    uint32_t above[MOST];
    bool is_wanted[MOST];
    takt_children_t set;
} drawn_t;

static uint32_t decided, undecided, grown, shrunk, lost;

static void *room_of(size_t count, size_t size) {
    void *room = malloc(count * size);
    CHECK(room != NULL);
    memset(room, 0xA5, count * size);
    return room;
}

/* ---- fixed priorities ----------------------------------------------------------------------------------- */

static takt_fp_memory_t fp_memory(uint32_t count) {
    return (takt_fp_memory_t){room_of(count, sizeof(takt_fraction_t)), room_of(count, sizeof(uint64_t)),
                              room_of(count, sizeof(uint64_t)), NULL};
}

static void free_fp_memory(takt_fp_memory_t memory) {
    free(memory.fractions);
    free(memory.next);
    free(memory.later);
}

static void fp_growths(const drawn_t *drawn, takt_effort_t effort, takt_growth_t *growths) {
    const uint32_t count = drawn->set.count;
    const takt_fp_growth_memory_t memory = {fp_memory(count),
                                            room_of(count, sizeof(takt_sporadic_t)),
                                            room_of(count, sizeof(takt_fp_end_t)),
                                            room_of(count, sizeof(takt_response_t)),
                                            room_of(count * TAKT_FP_WITNESSES, sizeof(takt_fp_witness_t)),
                                            room_of(count, sizeof(uint32_t))};
    takt_fp_growths(&drawn->set, drawn->is_wanted, memory, effort, growths);
    free_fp_memory(memory.memory);
    free(memory.tasks);
    free(memory.ends);
    free(memory.responses);
    free(memory.witnesses);
    free(memory.order);
}

static bool has_region(const drawn_t *drawn, uint32_t task) {
    return drawn->set.ends != NULL && drawn->ends[task].last != 1u;
}

/* Whether a task and all that are wanted meet their deadlines with another wcet. */
static bool is_fp_met(const drawn_t *drawn, uint32_t task, takt_duration_t wcet) {
    drawn_t changed = *drawn;
    takt_response_t responses[MOST];
    takt_effort_t effort = MUCH;
    changed.tasks[task].wcet = wcet;
    changed.ends[task].path = wcet;
    changed.set.tasks = changed.tasks;
    changed.set.ends = drawn->set.ends != NULL ? changed.ends : NULL;
    const takt_fp_memory_t memory = fp_memory(drawn->set.count);
    takt_fp_responses(&changed.set, memory, &effort, responses);
    free_fp_memory(memory);
    bool is_met = true;
    for (uint32_t i = 0; i < drawn->set.count; i++) {
        CHECK(responses[i].is_decided);
        is_met &= (i != task && !drawn->is_wanted[i]) ||
                  (responses[i].is_bounded && responses[i].ticks <= drawn->tasks[i].deadline);
    }
    return is_met;
}

static takt_duration_t longest_of(takt_sporadic_t task) {
    return task.deadline < task.period ? task.deadline : task.period;
}

static void check_fp(const drawn_t *drawn, uint32_t task, takt_growth_t growth) {
    takt_duration_t wcet = longest_of(drawn->tasks[task]);
    while (wcet > 0 && !is_fp_met(drawn, task, wcet)) {
        wcet--;
    }
    CHECK(growth.is_decided && growth.wcet == wcet);
    lost += wcet == 0 ? 1u : 0u;
    grown += wcet > drawn->tasks[task].wcet ? 1u : 0u;
    shrunk += wcet > 0 && wcet < drawn->tasks[task].wcet ? 1u : 0u;
}

static void draw_task(drawn_t *drawn, uint32_t i, uint32_t count) {
    const uint64_t period = 2u + check_below(30);
    const uint64_t wcet = 1u + check_below(1u + period / (count + 1u));
    drawn->tasks[i] = (takt_sporadic_t){wcet, period, 1u + check_below(2) * period + check_below(period),
                                        check_below(2) * check_below(12)};
    drawn->blocking[i] = check_below(2) * check_below(5);
    drawn->ends[i] = (takt_fp_end_t){wcet, check_below(3) == 0 ? 1u + check_below(wcet) : 1u, 0};
    drawn->above[i] = i + (uint32_t)check_below(3) / 2u;
    drawn->is_wanted[i] = check_below(2) > 0;
}

/* Ascending, and no task beyond the last. */
static void order_levels(drawn_t *drawn, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t least = i > 0 && drawn->above[i - 1u] > i ? drawn->above[i - 1u] : i;
        drawn->above[i] = drawn->above[i] > least ? drawn->above[i] : least;
        drawn->above[i] = drawn->above[i] < count ? drawn->above[i] : count - 1u;
    }
}

static void draw(drawn_t *drawn) {
    const uint32_t count = 1u + (uint32_t)check_below(MOST);
    memset(drawn, 0, sizeof *drawn);
    for (uint32_t i = 0; i < count; i++) {
        draw_task(drawn, i, count);
    }
    order_levels(drawn, count);
    drawn->set = (takt_children_t){.tasks = drawn->tasks,
                                   .count = count,
                                   .blocking = check_below(2) == 0 ? drawn->blocking : NULL,
                                   .ends = check_below(2) == 0 ? drawn->ends : NULL};
    drawn->set.above = drawn->set.ends == NULL && check_below(2) == 0 ? drawn->above : NULL;
}

static void growths_are_the_longest_that_meet_all_deadlines(void) {
    drawn_t drawn, before;
    takt_growth_t growths[MOST];
    draw(&drawn);
    before = drawn;
    fp_growths(&drawn, MUCH, growths);
    CHECK(memcmp(&drawn, &before, sizeof drawn) == 0);
    for (uint32_t task = 0; task < drawn.set.count; task++) {
        if (!has_region(&drawn, task)) {
            check_fp(&drawn, task, growths[task]);
        }
    }
}

static void check_some(const takt_growth_t *all, const takt_growth_t *some, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        CHECK(!some[i].is_decided || some[i].wcet == all[i].wcet);
        decided += some[i].is_decided ? 1u : 0u;
        undecided += some[i].is_decided ? 0 : 1u;
    }
}

static void little_effort_gives_no_wrong_growth(void) {
    drawn_t drawn;
    takt_growth_t all[MOST], some[MOST];
    draw(&drawn);
    drawn.set.ends = NULL;
    fp_growths(&drawn, MUCH, all);
    fp_growths(&drawn, 1u + check_below(40), some);
    check_some(all, some, drawn.set.count);
}

/* ---- EDF ------------------------------------------------------------------------------------------------- */

static takt_demand_room_t demand_room(uint32_t count) {
    return (takt_demand_room_t){room_of(count, sizeof(takt_demand_line_t)),
                                room_of(count, sizeof(takt_fraction_t)), room_of(count, sizeof(uint64_t))};
}

static void free_demand_room(takt_demand_room_t room) {
    free(room.lines);
    free(room.shares);
    free(room.rests);
}

static void edf_growths(const takt_sporadic_t *tasks, uint32_t count, takt_effort_t effort,
                        takt_growth_t *growths) {
    const takt_edf_growth_memory_t memory = {demand_room(count), room_of(count, sizeof(takt_sporadic_t))};
    takt_edf_growths(tasks, count, memory, effort, growths);
    free_demand_room(memory.room);
    free(memory.tasks);
}

static bool is_edf_met(const takt_sporadic_t *tasks, uint32_t count, uint32_t task, takt_duration_t wcet) {
    static const takt_edf_blocking_t none = {0};
    takt_sporadic_t changed[MOST];
    takt_effort_t effort = MUCH;
    memcpy(changed, tasks, count * sizeof *tasks);
    changed[task].wcet = wcet;
    takt_demand_room_t room = demand_room(count);
    const takt_children_t children = {.tasks = changed, .count = count};
    const takt_verdict_t found = takt_qpa(&children, &none, &room, &effort).verdict;
    free_demand_room(room);
    CHECK(found != TAKT_UNDECIDED);
    return found == TAKT_SCHEDULABLE;
}

static void growths_under_edf_are_the_longest_that_fit(void) {
    drawn_t drawn;
    takt_growth_t growths[MOST], some[MOST];
    draw(&drawn);
    edf_growths(drawn.tasks, drawn.set.count, MUCH, growths);
    for (uint32_t task = 0; task < drawn.set.count; task++) {
        takt_duration_t wcet = longest_of(drawn.tasks[task]);
        while (wcet > 0 && !is_edf_met(drawn.tasks, drawn.set.count, task, wcet)) {
            wcet--;
        }
        CHECK(growths[task].is_decided && growths[task].wcet == wcet);
    }
    edf_growths(drawn.tasks, drawn.set.count, 1u + check_below(40), some);
    check_some(growths, some, drawn.set.count);
}

/* ---- both ------------------------------------------------------------------------------------------------ */

static void multiply(drawn_t *drawn, uint64_t factor) {
    for (uint32_t i = 0; i < drawn->set.count; i++) {
        const takt_sporadic_t task = drawn->tasks[i];
        drawn->blocking[i] *= factor;
        drawn->tasks[i] = (takt_sporadic_t){task.wcet * factor, task.period * factor, task.deadline * factor,
                                            task.jitter * factor};
    }
}

static void check_scaled(const takt_growth_t *small, const takt_growth_t *large, uint32_t count,
                         uint64_t factor) {
    for (uint32_t i = 0; i < count; i++) {
        CHECK(large[i].is_decided || factor > 16);
        CHECK(!large[i].is_decided || large[i].wcet / factor == small[i].wcet);
    }
}

/* Times that are all longer by a factor have growths that are, but for less than the factor. */
static void growths_scale_up(void) {
    const uint64_t factor = UINT64_C(1) << check_below(57);
    takt_growth_t small[2][MOST], large[2][MOST];
    drawn_t drawn;
    draw(&drawn);
    drawn.set.ends = NULL;
    fp_growths(&drawn, 20000, small[0]);
    edf_growths(drawn.tasks, drawn.set.count, 20000, small[1]);
    multiply(&drawn, factor);
    fp_growths(&drawn, 20000, large[0]);
    edf_growths(drawn.tasks, drawn.set.count, 20000, large[1]);
    check_scaled(small[0], large[0], drawn.set.count, factor);
    check_scaled(small[1], large[1], drawn.set.count, factor);
}

int main(void) {
    check_sequences(growths_are_the_longest_that_meet_all_deadlines, 1000);
    check_sequences(little_effort_gives_no_wrong_growth, 1000);
    check_sequences(growths_under_edf_are_the_longest_that_fit, 1000);
    check_sequences(growths_scale_up, 300);
    CHECK(check_run.checks < 50000 || (grown > 500 && shrunk > 100 && lost > 500));
    CHECK(check_run.checks < 50000 || (decided > 500 && undecided > 500));
    return check_report("growths");
}
