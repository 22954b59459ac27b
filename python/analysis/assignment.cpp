/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the searches for priorities, points, regions and thresholds, and of utilization bounds.
#include "python/analysis/module.hpp"

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

template <typename T>
uint32_t count_of(const std::vector<T> &values) {
    return static_cast<uint32_t>(values.size());
}

// ---- utilization bounds -------------------------------------------------------------------------------------

int liu_layland(const Column &wcet, const Column &period, const Column &deadline, const Optional &jitter) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    const nb::gil_scoped_release released;
    return takt_liu_layland_decide(tasks.data(), count_of(tasks));
}

int hyperbolic(const Column &wcet, const Column &period, const Column &deadline, const Optional &jitter) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint64_t> words(2 * tasks.size() + 2);
    const nb::gil_scoped_release released;
    return takt_hyperbolic_decide(tasks.data(), count_of(tasks), words.data());
}

std::tuple<int, uint32_t> harmonic_chains(const Column &wcet, const Column &period, const Column &deadline,
                                          const Optional &jitter) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<takt_chain_link_t> links(tasks.size());
    uint32_t chains = 0;
    const nb::gil_scoped_release released;
    const int verdict = takt_harmonic_decide(tasks.data(), count_of(tasks), links.data(), &chains);
    return {verdict, chains};
}

void bind_utilization_bounds(nb::module_ &m) {
    m.def("liu_layland", liu_layland, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none());
    m.def("hyperbolic", hyperbolic, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none());
    m.def("harmonic_chains", harmonic_chains, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none());
}

// ---- blocking tolerance, longest regions, points -----------------------------------------------------------------

std::tuple<nb::object, nb::object> blocking_tolerances(const Column &wcet, const Column &period,
                                                       const Column &deadline, const Optional &jitter,
                                                       takt_effort_t effort) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint8_t> verdicts(tasks.size());
    std::vector<uint64_t> tolerances(tasks.size());
    for (uint32_t i = 0; i < count_of(tasks); i++) {
        verdicts[i] =
            static_cast<uint8_t>(takt_blocking_tolerance_find(tasks.data(), i, &tolerances[i], &effort));
    }
    return {array_of(std::move(verdicts)), array_of(std::move(tolerances))};
}

using FindRegions = takt_verdict_t (*)(const takt_sporadic_t *, uint32_t, takt_duration_t *, takt_effort_t *);

template <FindRegions find>
std::tuple<int, nb::object> regions_of(const Column &wcet, const Column &period, const Column &deadline,
                                       const Optional &jitter, takt_effort_t effort) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint64_t> regions(tasks.size());
    const int verdict = find(tasks.data(), count_of(tasks), regions.data(), &effort);
    return {verdict, array_of(std::move(regions))};
}

std::tuple<int, uint64_t, std::vector<bool>> place_points(const Column &wcet, const Column &cost,
                                                          uint64_t longest) {
    const size_t count = wcet.shape(0);
    const uint64_t *c = times_of(wcet, count, 1, "wcet");
    const uint64_t *costs = times_of(cost, count, 0, "cost");
    require(count >= 1, "wcet: at least one block is expected");
    require(longest >= 1 && longest <= TAKT_ANALYSIS_TIME_MAX, "longest: a value is out of range");
    std::vector<takt_block_t> blocks(count);
    std::vector<takt_placement_t> work(count + 1);
    const std::unique_ptr<bool[]> is_point(new bool[count]);
    uint64_t least = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = {c[i], costs[i]};
    }
    const int verdict =
        takt_points_place(blocks.data(), count_of(blocks), longest, work.data(), is_point.get(), &least);
    return {verdict, least, std::vector<bool>(is_point.get(), is_point.get() + count)};
}

void bind_placement(nb::module_ &m) {
    m.def("blocking_tolerances", blocking_tolerances, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("fp_regions", regions_of<takt_fp_regions_find>, nb::arg("wcet"), nb::arg("period"),
          nb::arg("deadline"), nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("edf_regions", regions_of<takt_edf_regions_find>, nb::arg("wcet"), nb::arg("period"),
          nb::arg("deadline"), nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("place_points", place_points, nb::arg("wcet"), nb::arg("cost"), nb::arg("longest"));
}

// ---- priorities, final regions, thresholds ---------------------------------------------------------------------------

// Working memory for sets of one size.
struct Draft {
    explicit Draft(size_t count)
        : tasks(count), blocking(count), next(count), later(count), ends(count), fractions(count) {}
    takt_draft_t view() {
        return {tasks.data(), blocking.data(), ends.data(), {fractions.data(), next.data(), later.data()}};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<uint64_t> blocking, next, later;
    std::vector<takt_fp_end_t> ends;
    std::vector<takt_fraction_t> fractions;
};

// The initial order, that of the file.
std::vector<uint32_t> order_of(size_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

// Regions of `least` .. wcet.
const uint64_t *regions_within(const Optional &column, const std::vector<takt_sporadic_t> &tasks,
                               uint64_t least, const char *name) {
    const uint64_t *regions = optional_times(column, tasks.size(), least, name);
    for (size_t i = 0; column && i < tasks.size(); i++) {
        require(regions[i] <= tasks[i].wcet, std::string(name) + ": at most the wcet is expected");
    }
    return regions;
}

std::tuple<int, std::vector<uint32_t>> assign_priorities(const Column &wcet, const Column &period,
                                                         const Column &deadline, const Optional &jitter,
                                                         const Optional &blocking, const Optional &longest,
                                                         const Optional &last, takt_effort_t effort) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint32_t> order = order_of(tasks.size());
    Draft draft(tasks.size());
    takt_fp_choice_t choice = {tasks.data(),
                               optional_times(blocking, tasks.size(), 0, "blocking"),
                               regions_within(longest, tasks, 1, "longest"),
                               regions_within(last, tasks, 1, "last"),
                               draft.view(),
                               &effort};
    const int verdict = takt_priorities_assign(count_of(tasks), takt_fp_level_test, &choice, order.data());
    return {verdict, order};
}

std::tuple<int, nb::object> final_regions(const Column &wcet, const Column &period, const Column &deadline,
                                          const Optional &jitter, takt_effort_t effort) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint64_t> regions(tasks.size());
    Draft draft(tasks.size());
    const takt_draft_t view = draft.view();
    const int verdict =
        takt_final_regions_find(tasks.data(), count_of(tasks), &view, regions.data(), &effort);
    return {verdict, array_of(std::move(regions))};
}

std::tuple<int, std::vector<uint32_t>, nb::object> assign_final_regions(const Column &wcet,
                                                                        const Column &period,
                                                                        const Column &deadline,
                                                                        const Optional &jitter,
                                                                        takt_effort_t effort) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint64_t> regions(tasks.size());
    std::vector<uint32_t> order = order_of(tasks.size());
    Draft draft(tasks.size());
    const takt_draft_t view = draft.view();
    const int verdict = takt_final_regions_assign(tasks.data(), count_of(tasks), &view, order.data(),
                                                  regions.data(), &effort);
    return {verdict, order, array_of(std::move(regions))};
}

std::tuple<int, std::vector<uint32_t>> assign_thresholds(const Column &wcet, const Column &period,
                                                         const Column &deadline, const Optional &jitter,
                                                         bool is_greatest, takt_effort_t effort) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint32_t> over(tasks.size());
    Draft draft(tasks.size());
    const takt_draft_t view = draft.view();
    const takt_verdict_t verdict =
        takt_thresholds_assign(tasks.data(), count_of(tasks), &view, over.data(), &effort);
    if (is_greatest && verdict == TAKT_SCHEDULABLE) {
        takt_thresholds_raise(count_of(tasks), &view, over.data(), &effort);
    }
    return {verdict, over};
}

void bind_choices(nb::module_ &m) {
    m.def("assign_priorities", assign_priorities, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none(), nb::arg("blocking") = nb::none(), nb::arg("longest") = nb::none(),
          nb::arg("last") = nb::none(), nb::arg("effort") = kEffort);
    m.def("final_regions", final_regions, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("assign_final_regions", assign_final_regions, nb::arg("wcet"), nb::arg("period"),
          nb::arg("deadline"), nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("assign_thresholds", assign_thresholds, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none(), nb::arg("is_greatest") = false, nb::arg("effort") = kEffort);
}

// ---- the kernel's own work ---------------------------------------------------------------------------------------------

// Costs in the order of SPEC.md, 5: context switch, release, scheduling, point, tick, and the period of ticks.
using Costs = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;

takt_overheads_t overheads_of(const Costs &costs) {
    const auto [context_switch, release, scheduling, point, tick, tick_period] = costs;
    for (const uint64_t cost : {context_switch, release, scheduling, point, tick, tick_period}) {
        require(cost <= TAKT_ANALYSIS_TIME_MAX, "costs: a value is out of range");
    }
    require(tick == 0 || tick_period >= 1, "costs: ticks need a period");
    return {context_switch, release, scheduling, point, tick, tick_period};
}

// Tasks on a kernel with all that their columns point to.
struct OnKernel {
    OnKernel(const Column &wcet, const Column &period, const Column &deadline, const Costs &costs,
             const Optional &jitter, const Optional &longest, const Optional &last, const Optional &points,
             const Optional &above_column)
        : tasks(tasks_of(wcet, period, deadline, jitter)), above(above_of(above_column, tasks.size())) {
        set = {tasks.data(),
               count_of(tasks),
               regions_within(longest, tasks, 0, "longest"),
               regions_within(last, tasks, 1, "last"),
               optional_times(points, tasks.size(), 0, "points"),
               above_column ? above.data() : nullptr,
               overheads_of(costs)};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<uint32_t> above;
    takt_overhead_set_t set = {};
};

nb::object overhead_responses(const Column &wcet, const Column &period, const Costs &costs,
                              const Optional &jitter, const Optional &longest, const Optional &last,
                              const Optional &points, const Optional &above, takt_effort_t effort) {
    const OnKernel tasks(wcet, period, period, costs, jitter, longest, last, points, above);
    const size_t most = 2 * tasks.tasks.size() + 1;
    Draft draft(most);
    std::vector<uint32_t> places(most);
    std::vector<takt_response_t> responses(most);
    std::vector<uint64_t> ticks(tasks.tasks.size(), kUnknown);
    const takt_draft_t view = draft.view();
    takt_fp_set_t expanded = {};
    if (takt_overheads_expand(&tasks.set, &view, places.data(), &expanded)) {
        takt_fp_responses(&expanded, view.memory, &effort, responses.data());
        const auto last_response = responses.begin() + expanded.count;
        std::transform(last_response - static_cast<std::ptrdiff_t>(ticks.size()), last_response,
                       ticks.begin(), ticks_of);
    }
    return array_of(std::move(ticks));
}

int overhead_edf_verdict(const Column &wcet, const Column &period, const Column &deadline, const Costs &costs,
                         const Optional &jitter, const Optional &longest, const Optional &points,
                         takt_effort_t effort) {
    const OnKernel tasks(wcet, period, deadline, costs, jitter, longest, {}, points, {});
    std::vector<takt_fraction_t> fractions(tasks.tasks.size() + 1);
    std::vector<uint64_t> rest(tasks.tasks.size() + 1);
    return takt_overheads_edf_decide(&tasks.set, fractions.data(), rest.data(), &effort);
}

void bind_overheads(nb::module_ &m) {
    m.def("overhead_responses", overhead_responses, nb::arg("wcet"), nb::arg("period"), nb::arg("costs"),
          nb::arg("jitter") = nb::none(), nb::arg("longest") = nb::none(), nb::arg("last") = nb::none(),
          nb::arg("points") = nb::none(), nb::arg("above") = nb::none(), nb::arg("effort") = kEffort);
    m.def("overhead_edf_verdict", overhead_edf_verdict, nb::arg("wcet"), nb::arg("period"),
          nb::arg("deadline"), nb::arg("costs"), nb::arg("jitter") = nb::none(),
          nb::arg("longest") = nb::none(), nb::arg("points") = nb::none(), nb::arg("effort") = kEffort);
}

} // namespace

void bind_assignment(nb::module_ &m) {
    bind_utilization_bounds(m);
    bind_placement(m);
    bind_choices(m);
    bind_overheads(m);
}
