/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the searches for priorities, points, regions and thresholds, and of utilization bounds.
#include "python/analysis/tasks.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

extern "C" {
#include "analysis/blocking_tolerance.h"
#include "analysis/final_regions.h"
#include "analysis/overheads.h"
#include "analysis/point_placement.h"
#include "analysis/priority_assignment.h"
#include "analysis/threshold_assignment.h"
#include "analysis/utilization_bounds.h"
}

namespace {

// ---- utilization bounds -------------------------------------------------------------------------------------

int liu_layland(const Tasks &tasks) {
    tasks.accept({});
    return takt_liu_layland_decide(tasks.tasks.data(), tasks.count());
}

int hyperbolic(const Tasks &tasks) {
    tasks.accept({});
    std::vector<uint64_t> words(2 * tasks.tasks.size() + 2);
    const nb::gil_scoped_release released;
    return takt_hyperbolic_decide(tasks.tasks.data(), tasks.count(), words.data());
}

std::tuple<int, uint32_t> harmonic_chains(const Tasks &tasks) {
    tasks.accept({});
    std::vector<takt_chain_link_t> links(tasks.tasks.size());
    uint32_t chains = 0;
    const nb::gil_scoped_release released;
    const int verdict = takt_harmonic_decide(tasks.tasks.data(), tasks.count(), links.data(), &chains);
    return {verdict, chains};
}

// ---- blocking tolerance, longest regions, points -----------------------------------------------------------------

std::tuple<Verdicts, Numbers> blocking_tolerances(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({});
    std::vector<uint8_t> verdicts(tasks.count());
    std::vector<uint64_t> tolerances(tasks.count());
    for (uint32_t i = 0; i < tasks.count(); i++) {
        verdicts[i] = static_cast<uint8_t>(
            takt_blocking_tolerance_find(tasks.tasks.data(), i, &tolerances[i], &effort));
    }
    return {array_of(std::move(verdicts)), array_of(std::move(tolerances))};
}

using FindRegions = takt_verdict_t (*)(const takt_sporadic_t *, uint32_t, takt_duration_t *, takt_effort_t *);

template <FindRegions find>
std::tuple<int, Numbers> regions_of(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({});
    std::vector<uint64_t> regions(tasks.count());
    const int verdict = find(tasks.tasks.data(), tasks.count(), regions.data(), &effort);
    return {verdict, array_of(std::move(regions))};
}

std::tuple<int, uint64_t, std::vector<bool>> place_points(const Column &wcet, const Column &cost,
                                                          uint64_t longest) {
    const size_t count = wcet.shape(0);
    const uint64_t *wcets = checked({"wcet", 1}, wcet, checked({"wcet: blocks", 1, UINT32_MAX - 1}, count));
    const uint64_t *costs = checked({"cost"}, cost, count);
    std::vector<takt_block_t> blocks(count);
    std::vector<takt_placement_t> work(count + 1);
    const std::unique_ptr<bool[]> is_point(new bool[count]);
    uint64_t least = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = {wcets[i], costs[i]};
    }
    const int verdict =
        takt_points_place(blocks.data(), static_cast<uint32_t>(count), checked({"longest", 1}, longest),
                          work.data(), is_point.get(), &least);
    return {verdict, least, std::vector<bool>(is_point.get(), is_point.get() + count)};
}

// ---- priorities, final regions, thresholds ---------------------------------------------------------------------------

// Working memory for sets of one size.
struct Draft {
    explicit Draft(size_t count) : tasks(count), blocking(count), ends(count), memory(count) {}
    takt_draft_t view() { return {tasks.data(), blocking.data(), ends.data(), memory.view()}; }
    std::vector<takt_sporadic_t> tasks;
    std::vector<uint64_t> blocking;
    std::vector<takt_fp_end_t> ends;
    Memory memory;
};

// The initial order, that of the file.
std::vector<uint32_t> order_of(size_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

std::tuple<int, std::vector<uint32_t>> assign_priorities(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kBlocking, kLongest, kLast});
    std::vector<uint32_t> order = order_of(tasks.count());
    Draft draft(tasks.count());
    takt_fp_choice_t choice = {tasks.tasks.data(),     tasks.column(kBlocking),
                               tasks.column(kLongest), tasks.column(kLast),
                               draft.view(),           &effort};
    const int verdict = takt_priorities_assign(tasks.count(), takt_fp_level_test, &choice, order.data());
    return {verdict, order};
}

std::tuple<int, Numbers> final_regions(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({});
    std::vector<uint64_t> regions(tasks.count());
    Draft draft(tasks.count());
    const takt_draft_t view = draft.view();
    const int verdict =
        takt_final_regions_find(tasks.tasks.data(), tasks.count(), &view, regions.data(), &effort);
    return {verdict, array_of(std::move(regions))};
}

std::tuple<int, std::vector<uint32_t>, Numbers> assign_final_regions(const Tasks &tasks,
                                                                     takt_effort_t effort) {
    tasks.accept({});
    std::vector<uint64_t> regions(tasks.count());
    std::vector<uint32_t> order = order_of(tasks.count());
    Draft draft(tasks.count());
    const takt_draft_t view = draft.view();
    const int verdict = takt_final_regions_assign(tasks.tasks.data(), tasks.count(), &view, order.data(),
                                                  regions.data(), &effort);
    return {verdict, order, array_of(std::move(regions))};
}

std::tuple<int, std::vector<uint32_t>> assign_thresholds(const Tasks &tasks, bool is_greatest,
                                                         takt_effort_t effort) {
    tasks.accept({});
    std::vector<uint32_t> over(tasks.count());
    Draft draft(tasks.count());
    const takt_draft_t view = draft.view();
    const takt_verdict_t verdict =
        takt_thresholds_assign(tasks.tasks.data(), tasks.count(), &view, over.data(), &effort);
    if (is_greatest && verdict == TAKT_SCHEDULABLE) {
        takt_thresholds_raise(tasks.count(), &view, over.data(), &effort);
    }
    return {verdict, over};
}

// ---- the kernel's own work ---------------------------------------------------------------------------------------------

// Costs in the order of SPEC.md, 5: context switch, release, scheduling, point, tick, the period of ticks, and a wake-up, 0 if
// it is left out.
using Costs = std::vector<uint64_t>;

takt_overheads_t overheads_of(Costs costs) {
    if (costs.size() < 6 || costs.size() > 7) {
        throw std::invalid_argument("costs: expected 6 or 7 numbers");
    }
    costs.resize(7);
    const uint64_t tick = costs[4];
    for (const size_t place : {0, 1, 2, 3, 4, 6}) {
        checked({"costs"}, costs[place]);
    }
    checked({"costs: tick_period", tick == 0 ? 0u : 1u}, costs[5]);
    return {costs[0], costs[1], costs[2], costs[3], tick, costs[5], costs[6]};
}

// Tasks on a kernel.
takt_overhead_set_t on_kernel(const Tasks &tasks, const Costs &costs) {
    return {tasks.tasks.data(),    tasks.count(),        tasks.column(kLongest), tasks.column(kLast),
            tasks.column(kPoints), tasks.above_places(), overheads_of(costs)};
}

std::tuple<Numbers, Numbers> overhead_responses(const Tasks &tasks, const Costs &costs,
                                                takt_effort_t effort) {
    tasks.accept({kLongest, kLast, kPoints, kAbove});
    const takt_overhead_set_t set = on_kernel(tasks, costs);
    const size_t most = 2 * tasks.tasks.size() + 1;
    Draft draft(most);
    std::vector<uint32_t> places(most);
    std::vector<takt_response_t> responses(most);
    const takt_draft_t view = draft.view();
    takt_children_t expanded = {};
    if (!takt_overheads_expand(&set, &view, places.data(), &expanded)) {
        return {array_of(std::vector<uint64_t>(tasks.count(), kUnknown)),
                array_of(std::vector<uint64_t>(tasks.count(), 0))};
    }
    takt_fp_responses(&expanded, view.memory, &effort, responses.data());
    responses.resize(expanded.count);
    responses.erase(responses.begin(), responses.end() - tasks.count());
    return columns_of(responses);
}

int overhead_edf_verdict(const Tasks &tasks, const Costs &costs, takt_effort_t effort) {
    tasks.accept({kLongest, kPoints});
    const takt_overhead_set_t set = on_kernel(tasks, costs);
    Memory memory(tasks.tasks.size());
    return takt_overheads_edf_decide(&set, memory.fractions.data(), memory.next.data(), &effort);
}

} // namespace

void bind_assignment(nb::module_ &m) {
    using namespace nb::literals;
    m.def("liu_layland", liu_layland, "tasks"_a, "Return the verdict of the bound of Liu and Layland 1973.");
    m.def("hyperbolic", hyperbolic, "tasks"_a, "Return the verdict of the hyperbolic bound.");
    m.def("harmonic_chains", harmonic_chains, "tasks"_a,
          "Return the verdict, and the least number of harmonic chains.");
    m.def("blocking_tolerances", blocking_tolerances, "tasks"_a, "effort"_a = kEffort,
          "Return the verdict and the blocking tolerance of each task; most urgent first, D <= T.");
    m.def(
        "fp_regions", regions_of<takt_fp_regions_find>, "tasks"_a, "effort"_a = kEffort,
        "Return the verdict and the longest non-preemptive region of each task; most urgent first, D <= T.");
    m.def("edf_regions", regions_of<takt_edf_regions_find>, "tasks"_a, "effort"_a = kEffort,
          "Return as fp_regions under EDF. Precondition: the set is schedulable under preemptive EDF.");
    m.def("place_points", place_points, "wcet"_a, "cost"_a, "longest"_a,
          "Return the verdict, the least cost, and whether a point is after each block; regions are at most "
          "`longest`.");
    m.def("assign_priorities", assign_priorities, "tasks"_a, "effort"_a = kEffort,
          "Return the verdict, and an order, most urgent first.");
    m.def("final_regions", final_regions, "tasks"_a, "effort"_a = kEffort,
          "Return the verdict and the smallest final region of each task; most urgent first.");
    m.def("assign_final_regions", assign_final_regions, "tasks"_a, "effort"_a = kEffort,
          "Return the verdict, an order, most urgent first, and the final region of each task in the order "
          "of the columns.");
    m.def("assign_thresholds", assign_thresholds, "tasks"_a, "is_greatest"_a = nb::bool_(false),
          "effort"_a = kEffort,
          "Return the verdict, and for each task how many of the most urgent tasks may preempt its started "
          "job.");
    m.def("overhead_responses", overhead_responses, "tasks"_a, "costs"_a, "effort"_a = kEffort,
          "Return bounds of the responses on a kernel, most urgent first, and which job has each.\n\nCosts: "
          "context switch, release, scheduling, point, tick, the period of ticks, and a wake-up, 0 if it is "
          "left "
          "out.");
    m.def("overhead_edf_verdict", overhead_edf_verdict, "tasks"_a, "costs"_a, "effort"_a = kEffort,
          "Return the verdict of a sufficient test of EDF on a kernel; costs as in overhead_responses.");
}
