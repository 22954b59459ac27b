/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of earliest deadline first: demand, QPA, response times, rate-based execution, admission by rates.
#include "python/analysis/edf_blocking.hpp"

extern "C" {
#include "analysis/baker.h"
#include "analysis/density.h"
#include "analysis/edf_growth.h"
#include "analysis/edf_response_times.h"
#include "analysis/processor_demand.h"
#include "analysis/qpa.h"
#include "analysis/rate_admission.h"
#include "analysis/rate_execution.h"
}

namespace {

// The largest number of tasks that analysis/demand.h admits.
constexpr size_t kTasksMost = size_t(1) << 22;

// Working memory of the demand tests.
struct DemandRoom {
    explicit DemandRoom(size_t count)
        : lines(count), shares(count), rests(count), room{lines.data(), shares.data(), rests.data()} {
        require(count <= kTasksMost, "wcet: too many tasks");
    }
    std::vector<takt_demand_line_t> lines;
    std::vector<takt_fraction_t> shares;
    std::vector<uint64_t> rests;
    takt_demand_room_t room;
};

using DemandTest = takt_demand_t (*)(const takt_sporadic_t *, uint32_t, const takt_edf_blocking_t *,
                                     takt_demand_room_t *, takt_effort_t *);

// The result of a demand test: verdict, interval, demand.
template <DemandTest test>
nb::tuple demand_of(const Column &wcet, const Column &period, const Column &deadline,
                    const MaybeColumn &jitter, const MaybeColumn &regions, const MaybeColumn &from,
                    const MaybeColumn &ticks, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    const Blocking blocking(tasks.size(), regions, from, ticks);
    DemandRoom room(tasks.size());
    takt_demand_t demand{};
    {
        const nb::gil_scoped_release release;
        demand =
            test(tasks.data(), static_cast<uint32_t>(tasks.size()), &blocking.blocking, &room.room, &effort);
    }
    return nb::make_tuple(static_cast<int>(demand.verdict), demand.interval, demand.ticks);
}

nb::object edf_growths(const Column &wcet, const Column &period, const Column &deadline,
                       const MaybeColumn &jitter, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    require_within_periods(tasks);
    std::vector<takt_sporadic_t> changed(tasks.size());
    std::vector<takt_growth_t> growths(tasks.size());
    DemandRoom room(tasks.size());
    {
        const nb::gil_scoped_release release;
        takt_edf_growths(tasks.data(), static_cast<uint32_t>(tasks.size()), {room.room, changed.data()},
                         effort, growths.data());
    }
    return column_of(growths);
}

// One row of three matrices.
void fill_row(std::vector<takt_sporadic_t> &tasks, const uint64_t *wcet, const uint64_t *period,
              const uint64_t *deadline) {
    for (size_t i = 0; i < tasks.size(); i++) {
        tasks[i] = {wcet[i], period[i], deadline[i], 0};
    }
}

std::vector<uint8_t> verdicts_of(const Matrix &wcet, const Matrix &period, const Matrix &deadline,
                                 takt_effort_t effort) {
    const size_t count = wcet.shape(1);
    const takt_edf_blocking_t none{};
    std::vector<takt_sporadic_t> tasks(count);
    std::vector<uint8_t> verdicts(wcet.shape(0));
    DemandRoom room(count);
    for (size_t row = 0; row < wcet.shape(0); row++) {
        takt_effort_t steps = effort;
        fill_row(tasks, wcet.data() + row * count, period.data() + row * count,
                 deadline.data() + row * count);
        verdicts[row] = static_cast<uint8_t>(
            takt_qpa(tasks.data(), static_cast<uint32_t>(count), &none, &room.room, &steps).verdict);
    }
    return verdicts;
}

nb::object edf_verdicts_many(const Matrix &wcet, const Matrix &period, const Matrix &deadline,
                             takt_effort_t effort) {
    require_times(wcet, wcet, "wcet");
    require_times(period, wcet, "period");
    require_times(deadline, wcet, "deadline");
    std::vector<uint8_t> verdicts;
    {
        const nb::gil_scoped_release release;
        verdicts = verdicts_of(wcet, period, deadline, effort);
    }
    return array_of(std::move(verdicts));
}

// Response times as two columns: ticks, and which job.
nb::tuple columns_of(const std::vector<takt_response_t> &responses) {
    std::vector<uint64_t> ticks, jobs;
    for (const takt_response_t &response : responses) {
        ticks.push_back(ticks_of(response));
        jobs.push_back(response.job);
    }
    return nb::make_tuple(array_of(std::move(ticks)), array_of(std::move(jobs)));
}

struct ResponseRoom {
    explicit ResponseRoom(size_t count)
        : lines(count), shares(count), rests(count), room{lines.data(), shares.data(), rests.data()} {
        require(count <= kTasksMost, "wcet: too many tasks");
    }
    std::vector<takt_edf_line_t> lines;
    std::vector<takt_fraction_t> shares;
    std::vector<uint64_t> rests;
    takt_edf_room_t room;
};

// The last regions of tasks, at most the wcets; null if the column is missing.
const uint64_t *lasts_of(const std::vector<takt_sporadic_t> &tasks, const MaybeColumn &last) {
    if (!last) {
        return nullptr;
    }
    const uint64_t *ticks = times_of(*last, tasks.size(), 1, "last");
    for (size_t i = 0; i < tasks.size(); i++) {
        require(ticks[i] <= tasks[i].wcet, "last: at most the wcet is expected");
    }
    return ticks;
}

nb::tuple edf_responses(const Column &wcet, const Column &period, const Column &deadline,
                        const MaybeColumn &jitter, const MaybeColumn &regions, const MaybeColumn &from,
                        const MaybeColumn &ticks, const MaybeColumn &last, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    const Blocking blocking(tasks.size(), regions, from, ticks);
    const uint64_t *lasts = lasts_of(tasks, last);
    ResponseRoom room(tasks.size());
    std::vector<takt_response_t> responses(tasks.size());
    {
        const nb::gil_scoped_release release;
        takt_edf_response_times(tasks.data(), static_cast<uint32_t>(tasks.size()), &blocking.blocking, lasts,
                                responses.data(), &room.room, &effort);
    }
    return columns_of(responses);
}

int edf_density(const Column &wcet, const Column &period, const Column &deadline, const MaybeColumn &jitter,
                takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    ResponseRoom room(tasks.size());
    return static_cast<int>(takt_density(tasks.data(), static_cast<uint32_t>(tasks.size()),
                                         room.shares.data(), room.rests.data(), &effort));
}

int edf_baker(const Column &wcet, const Column &period, const Column &deadline, const Column &blocking,
              const MaybeColumn &jitter, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    const uint64_t *blocked = times_of(blocking, tasks.size(), 0, "blocking");
    ResponseRoom room(tasks.size() + 1);
    return static_cast<int>(takt_baker(tasks.data(), static_cast<uint32_t>(tasks.size()), blocked,
                                       room.shares.data(), room.rests.data(), &effort));
}

nb::tuple rbe_demand(const Column &events, const Column &interval, const Column &deadline, const Column &cost,
                     bool is_preemptive, takt_effort_t effort) {
    const size_t count = events.shape(0);
    const uint64_t *x = times_of(events, count, 1, "events");
    const uint64_t *y = times_of(interval, count, 1, "interval");
    const uint64_t *d = times_of(deadline, count, 1, "deadline");
    const uint64_t *c = times_of(cost, count, 1, "cost");
    std::vector<takt_rate_events_t> rates(count);
    std::vector<takt_sporadic_t> tasks(count);
    std::vector<takt_duration_t> regions(count);
    DemandRoom room(count);
    for (size_t i = 0; i < count; i++) {
        rates[i] = {x[i], y[i], d[i], c[i]};
    }
    const auto number = static_cast<uint32_t>(count);
    takt_demand_t demand{};
    {
        const nb::gil_scoped_release release;
        demand = is_preemptive ? takt_rate_execution(rates.data(), number, tasks.data(), &room.room, &effort)
                               : takt_rate_execution_nonpreemptive(rates.data(), number, tasks.data(),
                                                                   regions.data(), &room.room, &effort);
    }
    return nb::make_tuple(static_cast<int>(demand.verdict), demand.interval, demand.ticks);
}

// Values of a column that may be missing, all `otherwise` then.
std::vector<uint64_t> values_of(const MaybeColumn &column, size_t count, uint64_t least, uint64_t most,
                                uint64_t otherwise, const char *name) {
    std::vector<uint64_t> values(count, otherwise);
    require(!column || column->shape(0) == count,
            std::string(name) + ": as many values as tasks are expected");
    for (size_t i = 0; column && i < count; i++) {
        values[i] = column->data()[i];
        require(values[i] >= least && values[i] <= most, std::string(name) + ": a value is out of range");
    }
    return values;
}

std::vector<takt_rate_request_t> requests_of(const Column &task_class, const Column &wcet,
                                             const Column &window, const MaybeColumn &weight,
                                             const MaybeColumn &longest, const MaybeColumn &excess) {
    constexpr uint64_t longest_time = TAKT_ADMISSION_LONGEST;
    constexpr uint64_t largest_rate = 2 * TAKT_ADMISSION_WHOLE;
    const size_t count = window.shape(0);
    require(count < size_t(1) << 20, "window: too many tasks");
    const auto classes = values_of(task_class, count, 0, TAKT_ADMISSION_NONE, 0, "task_class");
    const auto wcets = values_of(wcet, count, 0, longest_time, 0, "wcet");
    const auto windows = values_of(window, count, 1, longest_time, 1, "window");
    const auto weights = values_of(weight, count, 1, UINT16_MAX, 1, "weight");
    const auto longests = values_of(longest, count, 0, largest_rate, 0, "longest");
    const auto excesses = values_of(excess, count, 0, largest_rate, 0, "excess");
    std::vector<takt_rate_request_t> requests;
    for (size_t i = 0; i < count; i++) {
        const bool is_none = classes[i] == TAKT_ADMISSION_NONE;
        require(is_none || (wcets[i] >= 1 && wcets[i] <= windows[i]), "wcet: 1 up to the window is expected");
        requests.push_back({static_cast<takt_admission_class_t>(classes[i]), wcets[i], windows[i], weights[i],
                            longests[i], excesses[i]});
    }
    return requests;
}

nb::tuple grants_of(const std::vector<takt_rate_grant_t> &grants, const takt_rate_division_t &division) {
    std::vector<uint8_t> is_admitted;
    std::vector<uint64_t> rate, budget, period;
    for (const takt_rate_grant_t &grant : grants) {
        is_admitted.push_back(grant.is_admitted);
        rate.push_back(grant.rate);
        budget.push_back(grant.budget);
        period.push_back(grant.period);
    }
    return nb::make_tuple(
        array_of(std::move(is_admitted)), array_of(std::move(rate)), array_of(std::move(budget)),
        array_of(std::move(period)),
        nb::make_tuple(division.capacity, division.hard, division.soft_asked, division.soft, division.none));
}

nb::tuple rate_admission(const Column &task_class, const Column &wcet, const Column &window,
                         const MaybeColumn &weight, const MaybeColumn &longest, const MaybeColumn &excess,
                         uint64_t beta, uint64_t sigma, uint64_t grid, bool has_formula) {
    const auto requests = requests_of(task_class, wcet, window, weight, longest, excess);
    require(beta <= TAKT_ADMISSION_WHOLE, "beta: a value is out of range");
    require(sigma <= TAKT_ADMISSION_WHOLE, "sigma: a value is out of range");
    require(grid >= 1 && grid <= TAKT_ADMISSION_LONGEST, "grid: a value is out of range");
    const takt_admission_settings_t settings = {beta, sigma, grid, has_formula};
    std::vector<takt_rate_grant_t> grants(requests.size());
    const takt_rate_division_t division = takt_rate_admission(
        requests.data(), static_cast<uint32_t>(requests.size()), &settings, grants.data());
    return grants_of(grants, division);
}

} // namespace

void bind_edf(nb::module_ &m) {
    using namespace nb::literals;
    m.def("edf_demand", &demand_of<takt_qpa>, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "regions"_a = nb::none(), "step_from"_a = nb::none(), "step_ticks"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("edf_first_excess", &demand_of<takt_processor_demand>, "wcet"_a, "period"_a, "deadline"_a,
          "jitter"_a = nb::none(), "regions"_a = nb::none(), "step_from"_a = nb::none(),
          "step_ticks"_a = nb::none(), "effort"_a = kEffort);
    m.def("edf_growths", &edf_growths, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("edf_verdicts_many", &edf_verdicts_many, "wcet"_a, "period"_a, "deadline"_a, "effort"_a = kEffort);
    m.def("edf_responses", &edf_responses, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "regions"_a = nb::none(), "step_from"_a = nb::none(), "step_ticks"_a = nb::none(),
          "last"_a = nb::none(), "effort"_a = kEffort);
    m.def("edf_density", &edf_density, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("edf_baker", &edf_baker, "wcet"_a, "period"_a, "deadline"_a, "blocking"_a, "jitter"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("rbe_demand", &rbe_demand, "events"_a, "interval"_a, "deadline"_a, "cost"_a,
          nb::arg("is_preemptive") = true, "effort"_a = kEffort);
    m.def("rate_admission", &rate_admission, "task_class"_a, "wcet"_a, "window"_a, "weight"_a = nb::none(),
          "longest"_a = nb::none(), "excess"_a = nb::none(), "beta"_a = TAKT_ADMISSION_WHOLE / 10,
          "sigma"_a = 0, "grid"_a = 1, nb::arg("has_formula") = false);
}
