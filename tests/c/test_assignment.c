/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What is chosen so that a set fits, on random sets up to the limits of time, in memory of exactly the length that is asked
 * for: what is chosen passes the test, and costs only lengthen responses. */
#include "analysis/blocking_tolerance.h"
#include "analysis/final_regions.h"
#include "analysis/overheads.h"
#include "analysis/point_placement.h"
#include "analysis/priority_assignment.h"
#include "analysis/threshold_assignment.h"
#include "analysis/utilization_bounds.h"
#include "tests/c/check.h"

#define MOST 8u

static uint32_t seen[8]; /* how often each choice succeeded */

/* Memory of exactly that many values. */
static void *values(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    CHECK(memory != NULL);
    return memory;
}

static takt_draft_t draft_of(uint32_t count) {
    return (takt_draft_t){values(count, sizeof(takt_sporadic_t)),
                          values(count, sizeof(takt_duration_t)),
                          values(count, sizeof(takt_fp_end_t)),
                          {values(count, sizeof(takt_fraction_t)), values(count, sizeof(uint64_t)),
                           values(count, sizeof(uint64_t)), NULL}};
}

static void free_draft(takt_draft_t draft) {
    free(draft.tasks);
    free(draft.blocking);
    free(draft.ends);
    free(draft.memory.fractions);
    free(draft.memory.next);
    free(draft.memory.later);
}

/* Tasks by ascending deadlines, of which some are at the limits of time. */
static takt_sporadic_t *random_tasks(uint32_t count) {
    takt_sporadic_t *tasks = values(count, sizeof *tasks);
    const uint64_t scale = check_below(4) == 0 ? TAKT_ANALYSIS_TIME_MAX / 50u : 1;
    uint64_t deadline = 3;
    for (uint32_t i = 0; i < count; i++) {
        deadline += check_below(5);
        const uint64_t wcet = 1u + check_below(deadline * 2u / (count + 1u) + 1u);
        const uint64_t jitter = check_below(4) == 0 ? 1 : 0;
        tasks[i] = (takt_sporadic_t){wcet * scale, deadline * scale, deadline * scale, jitter};
    }
    return tasks;
}

static takt_verdict_t verdict_with(const takt_sporadic_t *tasks, uint32_t count,
                                   const takt_duration_t *blocking, const takt_fp_end_t *ends) {
    const takt_draft_t draft = draft_of(count);
    const takt_children_t set = {.tasks = tasks, .count = count, .blocking = blocking, .ends = ends};
    takt_effort_t effort = 1000000;
    const takt_verdict_t verdict = takt_fp_is_schedulable(&set, draft.memory, &effort);
    free_draft(draft);
    return verdict;
}

static void what_a_bound_admits_is_schedulable(const takt_sporadic_t *tasks, uint32_t count) {
    uint64_t *words = values(2u * count + 2u, sizeof *words);
    takt_chain_link_t *links = values(count, sizeof *links);
    uint32_t chains = 0;
    const takt_verdict_t layland = takt_liu_layland_decide(tasks, count);
    const takt_verdict_t hyperbolic = takt_hyperbolic_decide(tasks, count, words);
    const takt_verdict_t harmonic = takt_harmonic_decide(tasks, count, links, &chains);
    const bool is_admitted = hyperbolic == TAKT_SCHEDULABLE || harmonic == TAKT_SCHEDULABLE;
    CHECK(layland != TAKT_SCHEDULABLE || hyperbolic == TAKT_SCHEDULABLE);
    CHECK(chains <= count);
    CHECK(!is_admitted || verdict_with(tasks, count, NULL, NULL) == TAKT_SCHEDULABLE);
    seen[0] += is_admitted;
    free(words);
    free(links);
}

static void regions_leave_the_set_schedulable(const takt_sporadic_t *tasks, uint32_t count) {
    takt_duration_t *regions = values(count, sizeof *regions);
    takt_duration_t *blocking = values(count, sizeof *blocking);
    takt_effort_t effort = 1000000;
    if (takt_fp_regions_find(tasks, count, regions, &effort) == TAKT_SCHEDULABLE) {
        takt_fp_blocking(regions, NULL, count, 1, blocking);
        CHECK(verdict_with(tasks, count, blocking, NULL) == TAKT_SCHEDULABLE);
        seen[1]++;
    }
    seen[2] += takt_edf_regions_find(tasks, count, regions, &effort) == TAKT_SCHEDULABLE;
    free(regions);
    free(blocking);
}

static void what_is_chosen_passes(const takt_sporadic_t *tasks, uint32_t count) {
    const takt_draft_t draft = draft_of(count);
    takt_duration_t *regions = values(count, sizeof *regions);
    uint32_t *over = values(count, sizeof *over);
    takt_effort_t effort = 1000000;
    if (takt_final_regions_find(tasks, count, &draft, regions, &effort) == TAKT_SCHEDULABLE) {
        takt_fp_blocking(regions, NULL, count, 1, draft.blocking);
        for (uint32_t i = 0; i < count; i++) {
            draft.ends[i] = (takt_fp_end_t){tasks[i].wcet, regions[i], 0};
        }
        CHECK(verdict_with(tasks, count, draft.blocking, draft.ends) == TAKT_SCHEDULABLE);
        seen[3]++;
    }
    if (takt_thresholds_assign(tasks, count, &draft, over, &effort) == TAKT_SCHEDULABLE) {
        takt_thresholds_raise(count, &draft, over, &effort);
        seen[4]++;
    }
    free_draft(draft);
    free(regions);
    free(over);
}

static bool is_permutation(const uint32_t *order, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found |= 1u << order[i];
    }
    return found == (1u << count) - 1u;
}

static void an_order_has_each_task_once(const takt_sporadic_t *tasks, uint32_t count) {
    const takt_draft_t draft = draft_of(count);
    takt_effort_t effort = 1000000;
    takt_fp_choice_t choice = {tasks, NULL, NULL, NULL, draft, &effort};
    takt_duration_t *regions = values(count, sizeof *regions);
    uint32_t *order = values(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = count - 1u - i;
    }
    seen[5] += takt_priorities_assign(count, takt_fp_level_test, &choice, order) == TAKT_SCHEDULABLE;
    CHECK(is_permutation(order, count));
    seen[6] += takt_final_regions_assign(tasks, count, &draft, order, regions, &effort) == TAKT_SCHEDULABLE;
    CHECK(is_permutation(order, count));
    free_draft(draft);
    free(regions);
    free(order);
}

static void costs_only_lengthen(const takt_sporadic_t *tasks, uint32_t count) {
    const takt_draft_t draft = draft_of(2u * count + 1u);
    uint32_t *above = values(2u * count + 1u, sizeof *above);
    takt_response_t *plain = values(count, sizeof *plain);
    takt_response_t *costly = values(2u * count + 1u, sizeof *costly);
    takt_overhead_set_t set = {.tasks = tasks, .count = count};
    const takt_children_t without = {.tasks = tasks, .count = count};
    takt_children_t with;
    takt_effort_t effort = 1000000;
    set.costs = (takt_overheads_t){check_below(3), check_below(3), check_below(3), 0, check_below(2), 20,
                                   check_below(3)};
    takt_fp_responses(&without, draft.memory, &effort, plain);
    if (takt_overheads_expand(&set, &draft, above, &with)) {
        takt_fp_responses(&with, draft.memory, &effort, costly);
        for (uint32_t i = 0; i < count; i++) {
            const takt_response_t response = costly[with.count - count + i];
            CHECK(!response.is_bounded || (plain[i].is_bounded && response.ticks >= plain[i].ticks));
            seen[7] += response.is_bounded;
        }
    }
    CHECK(takt_overheads_edf_decide(&set, draft.memory.fractions, draft.memory.next, &effort) <=
          TAKT_UNDECIDED);
    free_draft(draft);
    free(above);
    free(plain);
    free(costly);
}

static void points_leave_no_longer_region(uint32_t count) {
    takt_block_t *blocks = values(count, sizeof *blocks);
    takt_placement_t *work = values(count + 1u, sizeof *work);
    bool *is_point = values(count, sizeof *is_point);
    const takt_duration_t longest = 5u + check_below(10);
    uint64_t cost = 0;
    uint64_t region = 0;
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = (takt_block_t){1u + check_below(5), check_below(5)};
    }
    const takt_verdict_t verdict = takt_points_place(blocks, count, longest, work, is_point, &cost);
    for (uint32_t i = 0; i < count && verdict == TAKT_SCHEDULABLE; i++) {
        region += blocks[i].wcet;
        CHECK(region <= longest);
        cost -= is_point[i] ? blocks[i].cost : 0;
        region = is_point[i] ? blocks[i].cost : region;
    }
    CHECK(cost == 0);
    free(blocks);
    free(work);
    free(is_point);
}

static void a_random_set(void) {
    const uint32_t count = 1u + (uint32_t)check_below(MOST);
    takt_sporadic_t *tasks = random_tasks(count);
    what_a_bound_admits_is_schedulable(tasks, count);
    regions_leave_the_set_schedulable(tasks, count);
    what_is_chosen_passes(tasks, count);
    an_order_has_each_task_once(tasks, count);
    costs_only_lengthen(tasks, count);
    points_leave_no_longer_region(1u + (uint32_t)check_below(30));
    free(tasks);
}

int main(void) {
    CHECK(takt_liu_layland_decide(NULL, 0) == TAKT_SCHEDULABLE); /* no division by the number of tasks */
    check_sequences(a_random_set, 2000);
    for (uint32_t i = 0; i < 8u; i++) {
        CHECK(seen[i] > 0 || check_run.checks < 20000u);
    }
    return check_report("test_assignment");
}
