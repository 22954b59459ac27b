/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the supply of servers, of tests inside and among them, and of budget selection.
#include "python/analysis/edf_blocking.hpp"

extern "C" {
#include "analysis/bandwidth.h"
#include "analysis/interface_selection.h"
#include "analysis/server_edf.h"
#include "analysis/server_fixed_priority.h"
}

namespace {

using Supply = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>;

takt_supply_t supply_of(const Supply &words) {
    const auto [period, budget, gap, loss] = words;
    require(period >= 1 && period <= TAKT_ANALYSIS_TIME_MAX, "supply: the period is out of range");
    require(budget >= 1 && budget <= period, "supply: the budget is not in 1 .. period");
    require(gap < 2 * period, "supply: the gap is not below two periods");
    require(loss <= TAKT_ANALYSIS_TIME_MAX, "supply: the loss is out of range");
    return {period, budget, gap, loss};
}

// The demand of the tasks of servers: `count` tasks of each child, one child after the other.
struct Insides {
    std::vector<takt_sporadic_t> tasks;
    std::vector<takt_inside_t> insides;

    Insides(size_t children, const MaybeColumn &count, const MaybeColumn &wcet, const MaybeColumn &period,
            const MaybeColumn &jitter) {
        if (!count) {
            return;
        }
        require(wcet && period, "inside: wcets and periods are expected");
        tasks = tasks_of(*wcet, *period, *period, jitter);
        const uint64_t *counts = times_of(*count, children, 0, "inside");
        size_t first = 0;
        for (size_t i = 0; i < children; i++) {
            require(counts[i] <= tasks.size() - first, "inside: a count is out of range");
            insides.push_back({tasks.data() + first, static_cast<uint32_t>(counts[i])});
            first += counts[i];
        }
    }
    Insides(const Insides &) = delete;
    Insides &operator=(const Insides &) = delete;
    const takt_inside_t *c() const { return insides.empty() ? nullptr : insides.data(); }
};

// Ways in which a supply may begin.
struct Heads {
    std::vector<takt_supply_head_t> heads;

    Heads(const MaybeColumn &gap, const MaybeColumn &delay, const MaybeColumn &ticks) {
        require(gap.has_value() == delay.has_value() && gap.has_value() == ticks.has_value(),
                "head: gaps, delays and ticks belong together");
        for (size_t i = 0; gap && i < gap->shape(0); i++) {
            const size_t count = gap->shape(0);
            heads.push_back({times_of(*gap, count, 0, "head_gap")[i],
                             times_of(*delay, count, 0, "head_delay")[i],
                             times_of(*ticks, count, 0, "head_ticks")[i]});
            require(heads[i].delay + heads[i].ticks <= heads[i].gap, "head: the gap ends before its ticks");
        }
    }
};

// Takes the columns of a dispatcher's children and keeps what they are made into.
struct Children {
    std::vector<takt_sporadic_t> tasks;
    std::vector<takt_child_kind_t> kinds;
    takt_children_t children;

    Children(const Column &kind, const Column &wcet, const Column &period, const Column &deadline,
             const MaybeColumn &jitter, const takt_supply_t &supply)
        : tasks(tasks_of(wcet, period, deadline, jitter)) {
        for (const uint64_t *at = times_of(kind, tasks.size(), 0, "kind"); kinds.size() < tasks.size();
             at++) {
            require(*at <= TAKT_CHILD_KERNEL, "kind: a value is out of range");
            kinds.push_back(static_cast<takt_child_kind_t>(*at));
        }
        for (size_t i = 0; i < tasks.size(); i++) {
            const takt_sporadic_t &child = tasks[i];
            require(kinds[i] == TAKT_CHILD_TASK || kinds[i] == TAKT_CHILD_KERNEL ||
                        (child.wcet <= child.period && child.jitter == 0 && child.deadline == child.period),
                    "kind: a server has Q <= P, its period as deadline, and no jitter");
        }
        children = {
            tasks.data(), kinds.data(), static_cast<uint32_t>(tasks.size()), supply, nullptr, nullptr, 0};
    }
    Children(const Children &) = delete;
    Children &operator=(const Children &) = delete;
};

// Checks the columns that the responses of children depend on besides, and keeps the narrow one.
struct Terms {
    std::vector<uint32_t> places;
    takt_fp_terms_t terms{nullptr, nullptr, nullptr};

    Terms(const Children &children, const MaybeColumn &blocking, const MaybeColumn &last,
          const MaybeColumn &above) {
        const size_t count = children.tasks.size();
        terms.blocking = blocking ? times_of(*blocking, count, 0, "blocking") : nullptr;
        terms.last = last ? times_of(*last, count, 1, "last") : nullptr;
        for (size_t i = 0; i < count; i++) {
            require(!last || terms.last[i] <= children.tasks[i].wcet, "last: a value is above the wcet");
            require(children.kinds[i] != TAKT_CHILD_BANDWIDTH,
                    "kind: bandwidth servers stand under EDF only");
        }
        places = above_of(above, count);
        terms.above = above ? places.data() : nullptr;
    }
    Terms(const Terms &) = delete;
    Terms &operator=(const Terms &) = delete;
};

// Working memory for so many children.
struct Memory {
    std::vector<takt_sporadic_t> seen;
    std::vector<takt_inside_t> insides;
    std::vector<takt_fraction_t> fractions;
    std::vector<uint64_t> rest;
    std::vector<takt_response_t> responses;

    explicit Memory(size_t count, size_t inside = 0)
        : seen(count),
          insides(count),
          fractions(count + inside + 2),
          rest(count + inside + 2),
          responses(count) {}
    takt_children_memory_t c() { return {seen.data(), fractions.data(), rest.data(), insides.data()}; }
};

uint64_t supply_bound(const Supply &words, uint64_t t) {
    const takt_supply_t supply = supply_of(words);
    require(t < TAKT_ANALYSIS_LIMIT, "t: the value is out of range");
    return takt_supply_bound(&supply, t);
}

std::optional<uint64_t> supply_time(const Supply &words, uint64_t demand) {
    const takt_supply_t supply = supply_of(words);
    uint64_t t = 0;
    require(demand < TAKT_ANALYSIS_LIMIT, "demand: the value is out of range");
    return takt_supply_time(&supply, demand, &t) ? std::optional<uint64_t>(t) : std::nullopt;
}

Supply make_supply(uint64_t period, uint64_t budget, uint64_t response, bool is_polling, uint64_t loss) {
    require(1 <= budget && budget <= response && response <= period && period <= TAKT_ANALYSIS_TIME_MAX,
            "supply: 1 <= budget <= response <= period is expected");
    const takt_supply_t supply = is_polling ? takt_supply_polling(period, budget, response)
                                            : takt_supply_periodic(period, budget, response);
    return {supply.period, supply.budget, supply.gap, loss};
}

void require_server(uint64_t period, uint64_t budget) {
    require(1 <= budget && budget <= period && period <= TAKT_ANALYSIS_TIME_MAX,
            "server: 1 <= budget <= period is expected");
}

Supply sporadic_supply(uint64_t period, uint64_t budget, uint64_t response, uint64_t returns) {
    require(1 <= budget && budget <= response && response <= period && period <= TAKT_ANALYSIS_TIME_MAX / 2,
            "supply: 1 <= budget <= response <= period is expected, and twice the period is a time");
    const takt_supply_t supply = takt_supply_sporadic(period, budget, response, returns);
    return {supply.period, supply.budget, supply.gap, supply.loss};
}

std::optional<uint64_t> sporadic_returns(const Column &wcet, const Column &period, const MaybeColumn &jitter,
                                         uint64_t server_period, uint64_t budget, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, period, jitter);
    require_server(server_period, budget);
    const uint64_t returns = takt_sporadic_returns(tasks.data(), static_cast<uint32_t>(tasks.size()),
                                                   server_period, budget, &effort);
    return returns <= TAKT_SPORADIC_RETURNS ? std::optional<uint64_t>(returns) : std::nullopt;
}

nb::tuple children_responses(const Column &kind, const Column &wcet, const Column &period,
                             const Column &deadline, const MaybeColumn &jitter, const MaybeColumn &blocking,
                             const MaybeColumn &last, const MaybeColumn &above, const Supply &supply,
                             const MaybeColumn &inside, const MaybeColumn &inside_wcet,
                             const MaybeColumn &inside_period, const MaybeColumn &inside_jitter,
                             const MaybeColumn &head_gap, const MaybeColumn &head_delay,
                             const MaybeColumn &head_ticks, takt_effort_t effort) {
    Children given(kind, wcet, period, deadline, jitter, supply_of(supply));
    const Terms terms(given, blocking, last, above);
    const Insides insides(given.tasks.size(), inside, inside_wcet, inside_period, inside_jitter);
    Memory memory(given.tasks.size(), insides.tasks.size());
    const Heads heads(head_gap, head_delay, head_ticks);
    given.children.insides = insides.c();
    given.children.heads = heads.heads.data();
    given.children.head_count = static_cast<uint32_t>(heads.heads.size());
    {
        const nb::gil_scoped_release unlocked;
        takt_children_responses(&given.children, terms.terms, memory.c(), &effort, memory.responses.data());
    }
    std::vector<uint64_t> ticks, jobs;
    for (const takt_response_t &response : memory.responses) {
        ticks.push_back(ticks_of(response));
        jobs.push_back(response.job);
    }
    return nb::make_tuple(array_of(std::move(ticks)), array_of(std::move(jobs)));
}

nb::tuple children_demand(const Column &kind, const Column &wcet, const Column &period,
                          const Column &deadline, const MaybeColumn &jitter, const MaybeColumn &regions,
                          const MaybeColumn &from, const MaybeColumn &ticks, const Supply &supply,
                          takt_effort_t effort) {
    const Children given(kind, wcet, period, deadline, jitter, supply_of(supply));
    const Blocking blocking(given.tasks.size(), regions, from, ticks);
    Memory memory(given.tasks.size());
    takt_children_demand_t found;
    {
        const nb::gil_scoped_release unlocked;
        found = takt_children_demand(&given.children, &blocking.blocking, memory.fractions.data(),
                                     memory.rest.data(), &effort);
    }
    return nb::make_tuple(static_cast<int>(found.verdict), found.interval, found.demand, found.supply);
}

std::optional<uint64_t> children_demand_in(uint64_t interval, const Column &kind, const Column &wcet,
                                           const Column &period, const Column &deadline,
                                           const MaybeColumn &jitter) {
    const Children given(kind, wcet, period, deadline, jitter, takt_supply_full());
    uint64_t ticks = 0;
    require(interval <= TAKT_ANALYSIS_TIME_MAX, "interval: the value is out of range");
    return takt_children_demand_in(&given.children, interval, &ticks) ? std::optional<uint64_t>(ticks)
                                                                      : std::nullopt;
}

takt_interface_t interface_of(uint64_t period, bool is_polling, uint64_t loss) {
    require(period >= 1 && period <= TAKT_ANALYSIS_TIME_MAX && loss <= TAKT_ANALYSIS_TIME_MAX,
            "server: a value is out of range");
    return {period, loss, is_polling};
}

nb::tuple least_budget_fixed_priority(uint64_t server_period, bool is_polling, uint64_t loss,
                                      const Column &kind, const Column &wcet, const Column &period,
                                      const Column &deadline, const MaybeColumn &jitter,
                                      const MaybeColumn &blocking, const MaybeColumn &last,
                                      const MaybeColumn &above, takt_effort_t effort) {
    const takt_interface_t server = interface_of(server_period, is_polling, loss);
    const Children given(kind, wcet, period, deadline, jitter, takt_supply_full());
    const Terms terms(given, blocking, last, above);
    Memory memory(given.tasks.size());
    takt_budget_t found;
    {
        const nb::gil_scoped_release unlocked;
        found = takt_least_budget_fixed_priority(&server, &given.children, terms.terms, memory.c(), &effort,
                                                 memory.responses.data());
    }
    return nb::make_tuple(static_cast<int>(found.verdict), found.budget);
}

nb::tuple least_budget_edf(uint64_t server_period, bool is_polling, uint64_t loss, const Column &kind,
                           const Column &wcet, const Column &period, const Column &deadline,
                           const MaybeColumn &jitter, const MaybeColumn &regions, const MaybeColumn &from,
                           const MaybeColumn &ticks, takt_effort_t effort) {
    const takt_interface_t server = interface_of(server_period, is_polling, loss);
    const Children given(kind, wcet, period, deadline, jitter, takt_supply_full());
    const Blocking blocking(given.tasks.size(), regions, from, ticks);
    Memory memory(given.tasks.size());
    takt_budget_t found;
    {
        const nb::gil_scoped_release unlocked;
        found = takt_least_budget_edf(&server, &given.children, &blocking.blocking, memory.fractions.data(),
                                      memory.rest.data(), &effort);
    }
    return nb::make_tuple(static_cast<int>(found.verdict), found.budget);
}

uint64_t cbs_response(uint64_t wcet, uint64_t period, uint64_t jitter, uint64_t server_period,
                      uint64_t budget, takt_effort_t effort) {
    require(wcet >= 1 && wcet <= TAKT_ANALYSIS_TIME_MAX && period >= 1 && period <= TAKT_ANALYSIS_TIME_MAX &&
                jitter <= TAKT_ANALYSIS_TIME_MAX,
            "task: a value is out of range");
    require_server(server_period, budget);
    const takt_sporadic_t task = {wcet, period, period, jitter};
    return ticks_of(takt_cbs_response(&task, server_period, budget, &effort));
}

template <takt_response_t (*find)(const takt_sporadic_t *, uint32_t, takt_duration_t, takt_duration_t,
                                  takt_effort_t *)>
uint64_t busy_period(const Column &wcet, const Column &period, const MaybeColumn &jitter,
                     uint64_t server_period, uint64_t budget, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, period, jitter);
    require_server(server_period, budget);
    takt_response_t found;
    {
        const nb::gil_scoped_release unlocked;
        found = find(tasks.data(), static_cast<uint32_t>(tasks.size()), server_period, budget, &effort);
    }
    return ticks_of(found);
}

} // namespace

void bind_servers(nb::module_ &m) {
    using namespace nb::literals;
    const Supply full{1, 1, 0, 0};
    m.attr("TASK") = static_cast<int>(TAKT_CHILD_TASK);
    m.attr("PERIODIC") = static_cast<int>(TAKT_CHILD_PERIODIC);
    m.attr("DEFERRABLE") = static_cast<int>(TAKT_CHILD_DEFERRABLE);
    m.attr("SPORADIC") = static_cast<int>(TAKT_CHILD_SPORADIC);
    m.attr("BANDWIDTH") = static_cast<int>(TAKT_CHILD_BANDWIDTH);
    m.attr("KERNEL") = static_cast<int>(TAKT_CHILD_KERNEL);
    m.def("make_supply", make_supply, "period"_a, "budget"_a, "response"_a, "is_polling"_a = nb::bool_(false),
          "loss"_a = 0);
    m.def("sporadic_supply", sporadic_supply, "period"_a, "budget"_a, "response"_a, "returns"_a = UINT64_MAX);
    m.def("sporadic_returns", sporadic_returns, "wcet"_a, "period"_a, "jitter"_a = nb::none(),
          "server_period"_a, "budget"_a, "effort"_a = kEffort);
    m.def("supply_bound", supply_bound, "supply"_a, "t"_a);
    m.def("supply_time", supply_time, "supply"_a, "demand"_a);
    m.def("children_responses", children_responses, "kind"_a, "wcet"_a, "period"_a, "deadline"_a,
          "jitter"_a = nb::none(), "blocking"_a = nb::none(), "last"_a = nb::none(), "above"_a = nb::none(),
          "supply"_a = full, "inside"_a = nb::none(), "inside_wcet"_a = nb::none(),
          "inside_period"_a = nb::none(), "inside_jitter"_a = nb::none(), "head_gap"_a = nb::none(),
          "head_delay"_a = nb::none(), "head_ticks"_a = nb::none(), "effort"_a = kEffort);
    m.def("children_demand", children_demand, "kind"_a, "wcet"_a, "period"_a, "deadline"_a,
          "jitter"_a = nb::none(), "regions"_a = nb::none(), "step_from"_a = nb::none(),
          "step_ticks"_a = nb::none(), "supply"_a = full, "effort"_a = kEffort);
    m.def("children_demand_in", children_demand_in, "interval"_a, "kind"_a, "wcet"_a, "period"_a,
          "deadline"_a, "jitter"_a = nb::none());
    m.def("least_budget_fixed_priority", least_budget_fixed_priority, "server_period"_a, "is_polling"_a,
          "loss"_a, "kind"_a, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "blocking"_a = nb::none(), "last"_a = nb::none(), "above"_a = nb::none(), "effort"_a = kEffort);
    m.def("least_budget_edf", least_budget_edf, "server_period"_a, "is_polling"_a, "loss"_a, "kind"_a,
          "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(), "regions"_a = nb::none(),
          "step_from"_a = nb::none(), "step_ticks"_a = nb::none(), "effort"_a = kEffort);
    m.def("cbs_response", cbs_response, "wcet"_a, "period"_a, "jitter"_a, "server_period"_a, "budget"_a,
          "effort"_a = kEffort);
    m.def("cbs_busy_period", busy_period<takt_cbs_busy_period>, "wcet"_a, "period"_a, "jitter"_a = nb::none(),
          "server_period"_a, "budget"_a, "effort"_a = kEffort);
    m.def("total_bandwidth_busy_period", busy_period<takt_total_bandwidth_busy_period>, "wcet"_a, "period"_a,
          "jitter"_a = nb::none(), "server_period"_a, "budget"_a, "effort"_a = kEffort);
}
