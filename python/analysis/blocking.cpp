/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the blocking that resource protocols cause.
#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/resource_blocking.h"
#include "analysis/server_resources.h"
}

namespace {

// Takes sections and urgencies as columns and keeps what they are made into, with the working memory.
struct Sharing {
    std::vector<takt_section_t> sections;
    std::vector<uint64_t> ceilings, by_task, by_resource;
    takt_sharing_t sharing;
    takt_sharing_memory_t memory;

    Sharing(const Column &task, const Column &resource, const Column &ticks, const Column &late,
            const Column &early, int locking) {
        const size_t count = task.shape(0), tasks = late.shape(0);
        const uint64_t *t = times_of(task, count, 0, "section_task");
        const uint64_t *r = times_of(resource, count, 0, "section_resource");
        const uint64_t *length = times_of(ticks, count, 1, "section_ticks");
        require(TAKT_LOCKING_NPCS <= locking && locking <= TAKT_LOCKING_MIXED,
                "locking: the value is out of range");
        for (size_t i = 0; i < count; i++) {
            require(t[i] < tasks, "section_task: a value is no place of a task");
            require(r[i] < count, "section_resource: numbers below that of sections are expected");
            sections.push_back({static_cast<uint32_t>(t[i]), static_cast<uint32_t>(r[i]), length[i]});
        }
        ceilings.resize(count);
        by_task.resize(tasks);
        by_resource.resize(count);
        sharing = {sections.data(),
                   static_cast<uint32_t>(count),
                   times_of(late, tasks, 0, "late"),
                   times_of(early, tasks, 0, "early"),
                   static_cast<uint32_t>(tasks),
                   static_cast<uint32_t>(count),
                   static_cast<takt_locking_t>(locking)};
        memory = {ceilings.data(), by_task.data(), by_resource.data()};
    }
    Sharing(const Sharing &) = delete;
    Sharing &operator=(const Sharing &) = delete;
};

nb::object sharing_blocking(const Column &task, const Column &resource, const Column &ticks,
                            const Column &late, const Column &early, int locking, const Column &at) {
    const Sharing given(task, resource, ticks, late, early, locking);
    const uint64_t *places = times_of(at, at.shape(0), 0, "at");
    std::vector<uint64_t> blocking(at.shape(0));
    for (size_t i = 0; i < blocking.size(); i++) {
        require(takt_sharing_blocking(&given.sharing, places[i], given.memory, &blocking[i]),
                "section_ticks: a sum is out of range");
    }
    return array_of(std::move(blocking));
}

nb::tuple sharing_steps(const Column &task, const Column &resource, const Column &ticks, const Column &late,
                        const Column &early, int locking, const Optional &regions) {
    const Sharing given(task, resource, ticks, late, early, locking);
    std::vector<takt_blocking_step_t> steps(2 * late.shape(0) + 1);
    std::vector<uint64_t> from, blocked;
    uint32_t count = 0;
    const uint64_t *longest = regions ? times_of(*regions, late.shape(0), 1, "regions") : nullptr;
    require(takt_sharing_steps(&given.sharing, longest, given.memory, steps.data(), &count),
            "section_ticks: a sum is out of range");
    for (uint32_t i = 0; i < count; i++) {
        from.push_back(steps[i].from);
        blocked.push_back(steps[i].ticks);
    }
    return nb::make_tuple(array_of(std::move(from)), array_of(std::move(blocked)));
}

using Supply = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>;

// Of servers that share: 1 <= X <= Q <= R <= P is expected.
void require_holding(uint64_t period, uint64_t budget, uint64_t response, uint64_t holding) {
    require(1 <= holding && holding <= budget && budget <= response && response <= period &&
                period <= TAKT_ANALYSIS_TIME_MAX,
            "supply: 1 <= holding <= budget <= response <= period is expected");
}

takt_supply_t plain_supply(uint64_t period, uint64_t budget, uint64_t response, bool is_polling) {
    return is_polling ? takt_supply_polling(period, budget, response)
                      : takt_supply_periodic(period, budget, response);
}

Supply sirap_supply(uint64_t period, uint64_t budget, uint64_t response, uint64_t holding, bool is_polling) {
    require_holding(period, budget, response, holding);
    const takt_supply_t plain = plain_supply(period, budget, response, is_polling);
    const takt_supply_t supply = takt_supply_sirap(plain, holding, is_polling);
    return {supply.period, supply.budget, supply.gap, supply.loss};
}

Supply payback_supply(uint64_t period, uint64_t budget, uint64_t response, uint64_t holding,
                      bool is_polling) {
    require_holding(period, budget, response, holding);
    const takt_supply_t plain = plain_supply(period, budget, response, is_polling);
    const takt_supply_t supply = takt_supply_paying_back(plain, holding);
    return {supply.period, supply.budget, supply.gap, supply.loss};
}

} // namespace

void bind_blocking(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("NPCS") = static_cast<int>(TAKT_LOCKING_NPCS);
    m.attr("CEILING") = static_cast<int>(TAKT_LOCKING_CEILING);
    m.attr("PIP") = static_cast<int>(TAKT_LOCKING_PIP);
    m.attr("MIXED") = static_cast<int>(TAKT_LOCKING_MIXED);
    m.def("sharing_blocking", sharing_blocking, "section_task"_a, "section_resource"_a, "section_ticks"_a,
          "late"_a, "early"_a, "locking"_a, "at"_a);
    m.def("sirap_supply", sirap_supply, "period"_a, "budget"_a, "response"_a, "holding"_a, "is_polling"_a);
    m.def("payback_supply", payback_supply, "period"_a, "budget"_a, "response"_a, "holding"_a,
          "is_polling"_a);
    m.def("sharing_steps", sharing_steps, "section_task"_a, "section_resource"_a, "section_ticks"_a, "late"_a,
          "early"_a, "locking"_a, "regions"_a = nb::none());
}
