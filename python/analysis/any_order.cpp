/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the bound under any work-conserving order: the longest busy period.
#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/busy_period.h"
}

namespace {

// The value of an unbounded result.
constexpr uint64_t kForGood = UINT64_MAX;

void check_presence(uint64_t from, uint64_t until) {
    require(from < until && from <= TAKT_ANALYSIS_TIME_MAX,
            "start: instants before the one in until are expected");
    require(until <= TAKT_ANALYSIS_TIME_MAX || until == kForGood, "until: a value is out of range");
}

// Gives each source with a list its part of `arrivals`.
void add_lists(std::vector<takt_source_t> &sources, const Column &listed, const Column &arrivals) {
    const uint64_t *counts = times_of(listed, sources.size(), 0, "listed");
    const uint64_t *instants = times_of(arrivals, arrivals.shape(0), 0, "arrivals");
    const uint64_t *end = instants + arrivals.shape(0);
    for (size_t i = 0; i < sources.size(); i++) {
        require(counts[i] <= static_cast<uint64_t>(end - instants) && counts[i] <= UINT32_MAX,
                "listed: as many arrivals altogether as in arrivals are expected");
        require(std::is_sorted(instants, instants + counts[i]),
                "arrivals: instants that ascend are expected");
        require(counts[i] == 0 || sources[i].until == TAKT_ANALYSIS_LIMIT,
                "until: no end of a source with a list is expected");
        sources[i].arrivals = counts[i] == 0 ? nullptr : instants;
        sources[i].arrival_count = static_cast<uint32_t>(counts[i]);
        instants += counts[i];
    }
    require(instants == end, "listed: as many arrivals altogether as in arrivals are expected");
}

std::vector<takt_source_t> sources_of(const std::vector<takt_sporadic_t> &tasks, const Column &start,
                                      const Column &until) {
    require(start.shape(0) == tasks.size() && until.shape(0) == tasks.size(),
            "start: as many values as tasks are expected");
    std::vector<takt_source_t> sources(tasks.size());
    for (size_t i = 0; i < sources.size(); i++) {
        const uint64_t from = start.data()[i];
        const uint64_t last = until.data()[i];
        check_presence(from, last);
        sources[i] = {tasks[i], nullptr, 0, from, last == kForGood ? TAKT_ANALYSIS_LIMIT : last};
    }
    return sources;
}

nb::object busy_periods(const Column &wcet, const Column &period, const Column &jitter, const Column &start,
                        const Column &until, const Column &listed, const Column &arrivals,
                        takt_effort_t effort) {
    std::vector<takt_source_t> sources = sources_of(tasks_of(wcet, period, period, jitter), start, until);
    add_lists(sources, listed, arrivals);
    std::vector<takt_response_t> longest(sources.size());
    std::vector<takt_fraction_t> shares(sources.size());
    std::vector<uint64_t> rests(sources.size());
    takt_busy_room_t room{shares.data(), rests.data()};
    {
        const nb::gil_scoped_release release;
        takt_busy_periods(sources.data(), static_cast<uint32_t>(sources.size()), longest.data(), &room,
                          &effort);
    }
    std::vector<uint64_t> ticks;
    for (const takt_response_t &each : longest) {
        ticks.push_back(ticks_of(each));
    }
    return array_of(std::move(ticks));
}

} // namespace

void bind_any_order(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("FOR_GOOD") = kForGood;
    m.def("busy_periods", &busy_periods, "wcet"_a, "period"_a, "jitter"_a, "start"_a, "until"_a, "listed"_a,
          "arrivals"_a, "effort"_a = kEffort);
}
