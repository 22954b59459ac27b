/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Supplies, children of dispatchers, bandwidth and blocking at the limits of what 64 bits hold, and with little effort. */
#include "analysis/bandwidth.h"
#include "analysis/interface_selection.h"
#include "analysis/resource_blocking.h"
#include "analysis/server_resources.h"
#include "tests/c/check.h"

#define MOST TAKT_ANALYSIS_TIME_MAX
#define MANY 8u

typedef struct memory {
    takt_sporadic_t seen[MANY];
    takt_fraction_t fractions[MANY + 2u];
    uint64_t rest[MANY + 2u];
    uint64_t later[MANY];
    takt_demand_line_t lines[MANY];
} memory_t;

static takt_fp_memory_t view_of(memory_t *memory) {
    return (takt_fp_memory_t){memory->fractions, memory->rest, memory->later, memory->seen};
}

static takt_response_t response_of(takt_sporadic_t child, takt_child_kind_t kind, takt_supply_t supply,
                                   takt_effort_t effort) {
    memory_t memory;
    takt_response_t response;
    const takt_children_t children = {.tasks = &child, .count = 1, .kinds = &kind, .supply = &supply};
    takt_fp_responses(&children, view_of(&memory), &effort, &response);
    CHECK(response.is_bounded ? response.is_decided : response.ticks == 0 && response.job == 0);
    return response;
}

static takt_demand_t test_demand(const takt_children_t *children, const takt_edf_blocking_t *blocking,
                                 takt_effort_t effort) {
    memory_t memory;
    takt_demand_room_t room = {memory.lines, memory.fractions, memory.rest};
    return takt_qpa(children, blocking, &room, &effort);
}

static takt_demand_t demand_of(takt_sporadic_t child, takt_child_kind_t kind, takt_supply_t supply,
                               takt_effort_t effort) {
    const takt_children_t children = {.tasks = &child, .count = 1, .kinds = &kind, .supply = &supply};
    const takt_edf_blocking_t none = {NULL, 0, NULL};
    return test_demand(&children, &none, effort);
}

static void the_inverse_says_what_does_not_fit(void) {
    uint64_t t = 0;
    const takt_supply_t slow = takt_supply_periodic(MOST, 1, MOST);
    CHECK(takt_supply_time(&slow, 1, &t) && t == 2u * MOST - 1u);
    CHECK(!takt_supply_time(&slow, 2, &t));
    const takt_supply_t late = takt_supply_paying_back(takt_supply_full(), MOST);
    CHECK(takt_supply_time(&late, MOST, &t) && t == 2u * MOST);
    CHECK(!takt_supply_time(&late, MOST + 2u, &t));
    CHECK(takt_supply_bound(&late, 2u * MOST) == MOST);
}

static void huge_children_are_decided_or_said_to_be_undecided(void) {
    const takt_sporadic_t huge = {MOST, MOST, MOST, 0};
    const takt_sporadic_t half = {MOST / 2u, MOST, MOST, 0};
    CHECK(response_of(huge, TAKT_CHILD_TASK, takt_supply_full(), 100).ticks == MOST);
    CHECK(!response_of(huge, TAKT_CHILD_TASK, takt_supply_periodic(MOST, MOST - 1u, MOST), 100).is_bounded);
    const takt_response_t far = response_of(half, TAKT_CHILD_TASK, takt_supply_periodic(2, 1, 2), 100);
    CHECK(far.is_decided ? far.ticks > MOST / 2u : !far.is_bounded);
    CHECK(demand_of(half, TAKT_CHILD_DEFERRABLE, takt_supply_full(), 100).verdict == TAKT_SCHEDULABLE);
    CHECK(demand_of(half, TAKT_CHILD_SPORADIC, takt_supply_full(), 100).verdict == TAKT_SCHEDULABLE);
    CHECK(demand_of(half, TAKT_CHILD_BANDWIDTH, takt_supply_full(), 100).verdict == TAKT_SCHEDULABLE);
}

static void without_effort_nothing_is_known(void) {
    const takt_sporadic_t child = {1, 2, 1, 0};
    CHECK(!response_of(child, TAKT_CHILD_TASK, takt_supply_full(), 1).is_decided);
    CHECK(demand_of(child, TAKT_CHILD_TASK, takt_supply_full(), 0).verdict == TAKT_UNDECIDED);
    takt_effort_t effort = 0;
    CHECK(!takt_cbs_response(&child, 2, 1, &effort).is_decided);
    CHECK(!takt_cbs_busy_period(&child, 1, 2, 1, &effort).is_decided);
    CHECK(!takt_total_bandwidth_busy_period(&child, 1, 2, 1, &effort).is_decided);
}

static void bandwidth_of_huge_servers(void) {
    const takt_sporadic_t task = {MOST, MOST, MOST, 0};
    takt_effort_t effort = 100;
    CHECK(takt_cbs_response(&task, MOST, MOST, &effort).ticks == MOST);
    CHECK(takt_total_bandwidth_busy_period(&task, 1, MOST, MOST, &effort).ticks == MOST);
    const takt_response_t over = takt_cbs_response(&task, MOST, MOST - 1u, &effort);
    CHECK(over.is_decided && !over.is_bounded);
    CHECK(!takt_total_bandwidth_busy_period(&task, 1, MOST, 1, &effort).is_decided);
}

static void shares_tell_where_nobody_asks_for_more_than_his(void) {
    const uint64_t p = MOST - 1u;
    const takt_sporadic_t servers[] = {{p - 1u, p, p, 0}, {1, MOST, MOST, 0}, {1, p, p, 0}};
    const takt_child_kind_t kinds[] = {TAKT_CHILD_BANDWIDTH, TAKT_CHILD_PERIODIC, TAKT_CHILD_TASK};
    const takt_edf_blocking_t none = {NULL, 0, NULL};
    takt_children_t children = {.tasks = servers, .count = 2, .kinds = kinds};
    CHECK(test_demand(&children, &none, 1000).verdict == TAKT_SCHEDULABLE);
    children.count = 3;
    CHECK(test_demand(&children, &none, 1000).verdict == TAKT_UNSCHEDULABLE);
}

static void the_kernel_works_whatever_is_due(void) {
    const takt_sporadic_t children[] = {{2, 10, 10, 3}, {5, 50, 10, 0}};
    const takt_child_kind_t kinds[] = {TAKT_CHILD_KERNEL, TAKT_CHILD_TASK};
    const takt_edf_blocking_t none = {NULL, 0, NULL};
    takt_children_t both = {.tasks = children, .count = 2, .kinds = kinds};
    CHECK(test_demand(&both, &none, 1000).verdict == TAKT_SCHEDULABLE);
    const takt_sporadic_t longer[] = {{2, 10, 10, 3}, {7, 50, 10, 0}};
    both.tasks = longer;
    CHECK(test_demand(&both, &none, 1000).interval == 10);
}

/* From 44 ticks on the job itself is due; in 26 only the other one is, which its region delays. */
static void a_region_counts_below_the_earliest_deadline_of_its_job(void) {
    const takt_sporadic_t tasks[] = {{19, 66, 49, 5}, {9, 38, 45, 20}};
    const takt_duration_t regions[] = {19, 9};
    const takt_edf_blocking_t blocking = {NULL, 0, regions};
    const takt_children_t both = {.tasks = tasks, .count = 2};
    const takt_demand_t found = test_demand(&both, &blocking, 1000);
    CHECK(found.verdict == TAKT_UNSCHEDULABLE && found.interval == 26 && found.ticks == 27);
}

static void sums_of_sections_are_noticed(void) {
    const takt_section_t sections[] = {{1, 0, MOST}, {2, 1, MOST}, {3, 2, MOST},
                                       {0, 0, 1},    {0, 1, 1},    {0, 2, 1}};
    const uint64_t ranks[] = {0, 1, 2, 3};
    uint64_t ceilings[3] = {0}, by_task[4] = {0}, by_resource[3] = {0};
    takt_sharing_t sharing = {sections, 6, ranks, ranks, 4, 3, TAKT_LOCKING_PIP};
    const takt_sharing_memory_t memory = {ceilings, by_task, by_resource};
    takt_duration_t blocking = 0;
    CHECK(!takt_sharing_blocking(&sharing, 0, memory, &blocking));
    sharing.locking = TAKT_LOCKING_NPCS;
    CHECK(takt_sharing_blocking(&sharing, 0, memory, &blocking) && blocking == MOST - 1u);
    sharing.count = 3;
    sharing.locking = TAKT_LOCKING_CEILING;
    CHECK(takt_sharing_blocking(&sharing, 0, memory, &blocking) && blocking == 0);
}

static void the_largest_period_is_bisected(void) {
    memory_t memory;
    takt_effort_t effort = 100000;
    const takt_sporadic_t task = {1, MOST, MOST, 0};
    const takt_children_t children = {.tasks = &task, .count = 1};
    const takt_interface_t server = {MOST, 0, false};
    const takt_budget_t found =
        takt_least_budget_fixed_priority(&server, &children, view_of(&memory), &effort);
    CHECK(found.verdict == TAKT_SCHEDULABLE && found.budget == MOST / 2u + 1u);
}

static uint64_t seen[3];

/* Random numbers of any size: nothing overflows (the sanitizers say so), and what is decided fits. */
static void random_children_are_decided_within_the_limits(void) {
    const uint64_t size = UINT64_C(1) << check_below(63);
    const uint64_t period = 1u + check_below(size < MOST ? size : MOST);
    const uint64_t budget = 1u + check_below(period);
    const uint64_t response = budget + check_below(period - budget + 1u);
    const takt_child_kind_t kind = (takt_child_kind_t)check_below(TAKT_CHILD_KERNEL + 1u);
    const uint64_t separation = 1u + check_below(MOST);
    const uint64_t wcet = 1u + check_below(separation);
    const bool is_task = kind == TAKT_CHILD_TASK || kind == TAKT_CHILD_KERNEL;
    const takt_sporadic_t child = {wcet, separation, is_task ? 1u + check_below(MOST) : separation,
                                   is_task ? check_below(MOST) : 0};
    const takt_supply_t supply =
        check_below(2) == 0 ? takt_supply_full() : takt_supply_periodic(period, budget, response);
    const takt_demand_t demand = demand_of(child, kind, supply, 1000);
    CHECK(demand.ticks == 0 || demand.ticks > demand.supply);
    seen[demand.verdict]++;
    if (kind != TAKT_CHILD_BANDWIDTH) {
        const takt_response_t found = response_of(child, kind, supply, 1000);
        CHECK(!found.is_bounded || found.ticks < TAKT_ANALYSIS_LIMIT);
    }
}

int main(void) {
    the_inverse_says_what_does_not_fit();
    huge_children_are_decided_or_said_to_be_undecided();
    without_effort_nothing_is_known();
    bandwidth_of_huge_servers();
    shares_tell_where_nobody_asks_for_more_than_his();
    the_kernel_works_whatever_is_due();
    a_region_counts_below_the_earliest_deadline_of_its_job();
    sums_of_sections_are_noticed();
    the_largest_period_is_bisected();
    check_sequences(random_children_are_decided_within_the_limits, 20000);
    CHECK(check_run.checks < 20000 || (seen[0] > 0 && seen[1] > 0 && seen[2] > 0));
    return check_report("server analysis");
}
