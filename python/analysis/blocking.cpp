/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the blocking that resource protocols cause.
#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/resource_blocking.h"
}

namespace {

// Takes sections and urgencies as columns and keeps what they are made into, with the working memory.
struct Sharing {
    std::vector<takt_section_t> sections;
    std::vector<uint64_t> ceilings, by_task, by_resource;
    takt_sharing_t sharing;
    takt_sharing_memory_t memory;

    Sharing(const Column &task, const Column &resource, const Column &ticks, const Column &late,
            const Column &early, int64_t locking) {
        const size_t count = task.shape(0), tasks = late.shape(0);
        const uint64_t last = tasks == 0 ? 0 : tasks - 1;
        checked({"section_task: sections", 0, tasks == 0 ? 0 : UINT32_MAX}, count);
        const uint64_t *t = checked({"section_task", 0, last}, task, count);
        const uint64_t *r = checked({"section_resource", 0, count == 0 ? 0 : count - 1}, resource, count);
        const uint64_t *length = checked({"section_ticks", 1}, ticks, count);
        for (size_t i = 0; i < count; i++) {
            sections.push_back({static_cast<uint32_t>(t[i]), static_cast<uint32_t>(r[i]), length[i]});
        }
        ceilings.resize(count);
        by_task.resize(tasks);
        by_resource.resize(count);
        sharing = {sections.data(),
                   static_cast<uint32_t>(count),
                   checked({"late"}, late, tasks),
                   checked({"early"}, early, tasks),
                   static_cast<uint32_t>(tasks),
                   static_cast<uint32_t>(count),
                   static_cast<takt_locking_t>(checked({"locking", TAKT_LOCKING_NPCS, TAKT_LOCKING_PIP},
                                                       static_cast<uint64_t>(locking)))};
        memory = {ceilings.data(), by_task.data(), by_resource.data()};
    }
    Sharing(const Sharing &) = delete;
    Sharing &operator=(const Sharing &) = delete;
};

void check_sum(bool fits) {
    if (!fits) {
        throw std::overflow_error("section_ticks: a sum is out of range");
    }
}

Numbers sharing_blocking(const Column &task, const Column &resource, const Column &ticks, const Column &late,
                         const Column &early, int64_t locking, const Column &at) {
    const Sharing given(task, resource, ticks, late, early, locking);
    const uint64_t *places = checked({"at"}, at, at.shape(0));
    std::vector<uint64_t> blocking(at.shape(0));
    for (size_t i = 0; i < blocking.size(); i++) {
        check_sum(takt_sharing_blocking(&given.sharing, places[i], given.memory, &blocking[i]));
    }
    return array_of(std::move(blocking));
}

std::tuple<Numbers, Numbers> sharing_steps(const Column &task, const Column &resource, const Column &ticks,
                                           const Column &late, const Column &early, int64_t locking,
                                           const Optional &regions) {
    const Sharing given(task, resource, ticks, late, early, locking);
    std::vector<takt_blocking_step_t> steps(2 * late.shape(0) + 1);
    uint32_t count = 0;
    const uint64_t *longest = regions ? checked({"regions", 1}, *regions, late.shape(0)) : nullptr;
    check_sum(takt_sharing_steps(&given.sharing, longest, given.memory, steps.data(), &count));
    steps.resize(count);
    return {column_of(steps, [](const takt_blocking_step_t &each) { return each.from; }),
            column_of(steps, [](const takt_blocking_step_t &each) { return each.ticks; })};
}

} // namespace

void bind_blocking(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("NPCS") = static_cast<int>(TAKT_LOCKING_NPCS);
    m.attr("CEILING") = static_cast<int>(TAKT_LOCKING_CEILING);
    m.attr("PIP") = static_cast<int>(TAKT_LOCKING_PIP);
    m.def("sharing_blocking", sharing_blocking, "section_task"_a, "section_resource"_a, "section_ticks"_a,
          "late"_a, "early"_a, "locking"_a, "at"_a,
          "Return the blocking at each of some ranks, or in intervals of some lengths under EDF.\n\nSections "
          "are three columns of one length: which task, which resource (below the number of sections), ticks "
          "from lock to unlock. `late` and `early` have a value for each task: its rank under fixed "
          "priorities in both, equals alike, less is more urgent; under EDF its deadline, and its deadline "
          "less its jitter, 0 at least. Among servers a server is a task, X the ticks of its "
          "section.\n\nRaises OverflowError for a sum that is too long.");
    m.def("sharing_steps", sharing_steps, "section_task"_a, "section_resource"_a, "section_ticks"_a, "late"_a,
          "early"_a, "locking"_a, "regions"_a = nb::none(),
          "Return B(L) as columns step_from and step_ticks; `regions` of tasks, if jobs wait for one and "
          "then for sections.");
}
