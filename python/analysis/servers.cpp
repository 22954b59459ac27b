/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of the supply of servers, of tests inside and among them, and of budget selection.
#include "python/analysis/tasks.hpp"

extern "C" {
#include "analysis/bandwidth.h"
#include "analysis/interface_selection.h"
#include "analysis/server_resources.h"
}

namespace {

// ---- supplies --------------------------------------------------------------------------------------------

Supply words_of(const takt_supply_t &supply) {
    return {supply.period, supply.budget, supply.gap, supply.loss};
}

takt_supply_t plain_supply(uint64_t period, uint64_t budget, uint64_t response, bool is_polling) {
    check_ascent("supply", "1 <= budget <= response <= period", {1, budget, response, period});
    return is_polling ? takt_supply_polling(period, budget, response)
                      : takt_supply_periodic(period, budget, response);
}

Supply make_supply(uint64_t period, uint64_t budget, uint64_t response, bool is_polling, uint64_t loss) {
    takt_supply_t supply = plain_supply(period, budget, response, is_polling);
    supply.loss = checked({"loss"}, loss);
    return words_of(supply);
}

Supply sporadic_supply(uint64_t period, uint64_t budget, uint64_t response, uint64_t returns) {
    check_ascent("supply", "1 <= budget <= response <= period", {1, budget, response, period});
    checked({"supply: period", 1, TAKT_ANALYSIS_TIME_MAX / 2}, period);
    return words_of(takt_supply_sporadic(period, budget, response, returns));
}

Supply sirap_supply(uint64_t period, uint64_t budget, uint64_t response, uint64_t holding, bool is_polling) {
    check_ascent("supply", "1 <= holding <= budget", {1, holding, budget});
    return words_of(
        takt_supply_sirap(plain_supply(period, budget, response, is_polling), holding, is_polling));
}

Supply payback_supply(uint64_t period, uint64_t budget, uint64_t response, uint64_t holding,
                      bool is_polling) {
    check_ascent("supply", "1 <= holding <= budget", {1, holding, budget});
    return words_of(takt_supply_paying_back(plain_supply(period, budget, response, is_polling), holding));
}

uint64_t supply_bound(const Supply &words, uint64_t t) {
    const takt_supply_t supply = supply_of(words);
    return takt_supply_bound(&supply, checked({"t", 0, TAKT_ANALYSIS_LIMIT - 1}, t));
}

std::optional<uint64_t> supply_time(const Supply &words, uint64_t demand) {
    const takt_supply_t supply = supply_of(words);
    uint64_t t = 0;
    const bool fits = takt_supply_time(&supply, checked({"demand", 0, TAKT_ANALYSIS_LIMIT - 1}, demand), &t);
    return fits ? std::optional<uint64_t>(t) : std::nullopt;
}

// ---- tests -----------------------------------------------------------------------------------------------

void check_server(uint64_t period, uint64_t budget) {
    check_ascent("server", "1 <= budget <= period", {1, budget, period});
}

std::optional<uint64_t> sporadic_returns(const Tasks &tasks, uint64_t period, uint64_t budget, bool is_strict,
                                         takt_effort_t effort) {
    tasks.accept({kKind});
    check_server(period, budget);
    const uint64_t returns =
        takt_sporadic_returns(tasks.tasks.data(), tasks.count(), period, budget, is_strict, &effort);
    return returns <= TAKT_SPORADIC_RETURNS ? std::optional<uint64_t>(returns) : std::nullopt;
}

takt_interface_t interface_of(uint64_t period, bool is_polling, uint64_t loss) {
    return {checked({"server: period", 1}, period), checked({"server: loss"}, loss), is_polling};
}

std::tuple<int, uint64_t> least_budget_fixed_priority(uint64_t server_period, bool is_polling, uint64_t loss,
                                                      const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kKind, kBlocking, kLast, kAbove});
    const takt_interface_t server = interface_of(server_period, is_polling, loss);
    const takt_children_t children = tasks.under_priorities();
    Memory memory(tasks.count());
    takt_budget_t found;
    {
        const nb::gil_scoped_release released;
        found = takt_least_budget_fixed_priority(&server, &children, memory.view(), &effort);
    }
    return {static_cast<int>(found.verdict), found.budget};
}

std::tuple<int, uint64_t> least_budget_edf(uint64_t server_period, bool is_polling, uint64_t loss,
                                           const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kKind, kRegions, kStepFrom, kStepTicks});
    const takt_interface_t server = interface_of(server_period, is_polling, loss);
    const takt_children_t children = tasks.under_edf();
    const takt_edf_blocking_t blocking = tasks.edf_blocking();
    DemandRoom room(tasks.count());
    takt_budget_t found;
    {
        const nb::gil_scoped_release released;
        found = takt_least_budget_edf(&server, &children, &blocking, &room.view, &effort);
    }
    return {static_cast<int>(found.verdict), found.budget};
}

uint64_t cbs_response(uint64_t wcet, uint64_t period, uint64_t jitter, uint64_t server_period,
                      uint64_t budget, takt_effort_t effort) {
    check_server(server_period, budget);
    const uint64_t separation = checked({"task: period", 1}, period);
    const takt_sporadic_t task = {checked({"task: wcet", 1}, wcet), separation, separation,
                                  checked({"task: jitter"}, jitter)};
    return ticks_of(takt_cbs_response(&task, server_period, budget, &effort));
}

template <takt_response_t (*find)(const takt_sporadic_t *, uint32_t, takt_duration_t, takt_duration_t,
                                  takt_effort_t *)>
uint64_t busy_period(const Tasks &tasks, uint64_t server_period, uint64_t budget, takt_effort_t effort) {
    tasks.accept({});
    check_server(server_period, budget);
    takt_response_t found;
    {
        const nb::gil_scoped_release released;
        found = find(tasks.tasks.data(), tasks.count(), server_period, budget, &effort);
    }
    return ticks_of(found);
}

void bind_supplies(nb::module_ &m) {
    using namespace nb::literals;
    m.def("make_supply", make_supply, "period"_a, "budget"_a, "response"_a, "is_polling"_a = nb::bool_(false),
          "loss"_a = 0,
          "Return the supply of a server that has received its budget at most `response` ticks after a "
          "replenishment.\n\nA supply is period, budget, gap and loss as in analysis/supply.h; (1, 1, 0, 0) "
          "is the processor itself.");
    m.def("sporadic_supply", sporadic_supply, "period"_a, "budget"_a, "response"_a, "returns"_a = UINT64_MAX,
          "Return the supply of a sporadic server, which merges some returns if more than MAX_RETURNS can be "
          "pending.");
    m.def("sirap_supply", sirap_supply, "period"_a, "budget"_a, "response"_a, "holding"_a, "is_polling"_a,
          "Return the supply under sirap; `holding` is the longest holding time of its tasks, in ticks.");
    m.def("payback_supply", payback_supply, "period"_a, "budget"_a, "response"_a, "holding"_a, "is_polling"_a,
          "Return the supply under hsrp-payback; `holding` as in sirap_supply.");
    m.def("supply_bound", supply_bound, "supply"_a, "t"_a, "Return sbf(t).");
    m.def("supply_time", supply_time, "supply"_a, "demand"_a,
          "Return the least t with sbf(t) >= demand; None if it does not fit.");
}

} // namespace

void bind_servers(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("TASK") = static_cast<int>(TAKT_CHILD_TASK);
    m.attr("PERIODIC") = static_cast<int>(TAKT_CHILD_PERIODIC);
    m.attr("DEFERRABLE") = static_cast<int>(TAKT_CHILD_DEFERRABLE);
    m.attr("SPORADIC") = static_cast<int>(TAKT_CHILD_SPORADIC);
    m.attr("SEPARATED") = static_cast<int>(TAKT_CHILD_SEPARATED);
    m.attr("BANDWIDTH") = static_cast<int>(TAKT_CHILD_BANDWIDTH);
    m.attr("KERNEL") = static_cast<int>(TAKT_CHILD_KERNEL);
    m.attr("MAX_RETURNS") = static_cast<int>(TAKT_SPORADIC_RETURNS);
    bind_supplies(m);
    m.def("sporadic_returns", sporadic_returns, "tasks"_a, "server_period"_a, "budget"_a,
          "is_strict"_a = nb::bool_(false), "effort"_a = kEffort,
          "Return a bound of the pending returns of a sporadic server with these tasks; None if above "
          "MAX_RETURNS.");
    m.def("least_budget_fixed_priority", least_budget_fixed_priority, "server_period"_a, "is_polling"_a,
          "loss"_a, "tasks"_a, "effort"_a = kEffort,
          "Return a verdict, and the least budget with which a server of this period schedules its children; "
          "0: none.");
    m.def("least_budget_edf", least_budget_edf, "server_period"_a, "is_polling"_a, "loss"_a, "tasks"_a,
          "effort"_a = kEffort, "Return as least_budget_fixed_priority under EDF.");
    m.def(
        "cbs_response", cbs_response, "wcet"_a, "period"_a, "jitter"_a, "server_period"_a, "budget"_a,
        "effort"_a = kEffort,
        "Return the longest response of the one task of a cbs or hard-cbs server that meets its deadlines.");
    m.def("cbs_busy_period", busy_period<takt_cbs_busy_period>, "tasks"_a, "server_period"_a, "budget"_a,
          "effort"_a = kEffort,
          "Return a bound of the time from release to finish of the jobs of any task in such a server, under "
          "any local policy.");
    m.def("total_bandwidth_busy_period", busy_period<takt_total_bandwidth_busy_period>, "tasks"_a,
          "server_period"_a, "budget"_a, "effort"_a = kEffort,
          "Return as cbs_busy_period for a tbs or cus server with the share budget / server_period.");
}
