/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of earliest deadline first: demand, QPA, response times, rate-based execution, admission by rates.
#include "python/analysis/tasks.hpp"

extern "C" {
#include "analysis/density.h"
#include "analysis/edf_growth.h"
#include "analysis/edf_response_times.h"
#include "analysis/qpa.h"
#include "analysis/rate_admission.h"
}

namespace {

std::tuple<int, uint64_t, uint64_t, uint64_t> edf_demand(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kKind, kRegions, kStepFrom, kStepTicks}, true);
    const takt_children_t children = tasks.under_edf();
    const takt_edf_blocking_t blocking = tasks.edf_blocking();
    DemandRoom room(tasks.count());
    takt_demand_t demand{};
    {
        const nb::gil_scoped_release release;
        demand = takt_qpa(&children, &blocking, &room.view, &effort);
    }
    return {static_cast<int>(demand.verdict), demand.interval, demand.ticks, demand.supply};
}

Numbers edf_growths(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({});
    tasks.require_within_periods();
    std::vector<takt_sporadic_t> changed(tasks.count());
    std::vector<takt_growth_t> growths(tasks.count());
    DemandRoom room(tasks.count());
    {
        const nb::gil_scoped_release release;
        takt_edf_growths(tasks.tasks.data(), tasks.count(), {room.view, changed.data()}, effort,
                         growths.data());
    }
    return column_of(growths);
}

Verdicts edf_verdicts_many(const Matrix &wcet, const Matrix &period, const Matrix &deadline,
                           takt_effort_t effort) {
    const size_t count = wcet.shape(1);
    const uint64_t *c = checked({"wcet", 1}, wcet, wcet);
    const uint64_t *t = checked({"period", 1}, period, wcet);
    const uint64_t *d = checked({"deadline", 1}, deadline, wcet);
    checked({"wcet: tasks", 0, kTasksMost}, count);
    const takt_edf_blocking_t none{};
    std::vector<takt_sporadic_t> tasks(count);
    std::vector<uint8_t> verdicts(wcet.shape(0));
    DemandRoom room(count);
    {
        const nb::gil_scoped_release release;
        for (size_t row = 0; row < wcet.shape(0); row++) {
            takt_effort_t steps = effort;
            for (size_t i = 0; i < count; i++) {
                tasks[i] = {c[row * count + i], t[row * count + i], d[row * count + i], 0};
            }
            takt_children_t children = {};
            children.tasks = tasks.data();
            children.count = static_cast<uint32_t>(count);
            verdicts[row] = static_cast<uint8_t>(takt_qpa(&children, &none, &room.view, &steps).verdict);
        }
    }
    return array_of(std::move(verdicts));
}

std::tuple<Numbers, Numbers> edf_responses(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kRegions, kStepFrom, kStepTicks, kLast, kRank});
    const takt_edf_blocking_t blocking = tasks.edf_blocking();
    Room<takt_edf_line_t, takt_edf_room_t> room(tasks.count());
    std::vector<takt_response_t> responses(tasks.count());
    {
        const nb::gil_scoped_release release;
        takt_edf_response_times(tasks.tasks.data(), tasks.count(), &blocking, tasks.column(kLast),
                                tasks.column(kRank), responses.data(), &room.view, &effort);
    }
    return columns_of(responses);
}

int edf_density(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({});
    Memory memory(tasks.count());
    return static_cast<int>(takt_density(tasks.tasks.data(), tasks.count(), memory.fractions.data(),
                                         memory.next.data(), &effort));
}

// Values of a column that may be missing, all `otherwise` then.
std::vector<uint64_t> values_of(const Range &range, const Optional &column, size_t count,
                                uint64_t otherwise) {
    if (!column) {
        return std::vector<uint64_t>(count, otherwise);
    }
    const uint64_t *values = checked(range, *column, count);
    return {values, values + count};
}

std::vector<takt_rate_request_t> requests_of(const Column &task_class, const Column &wcet,
                                             const Column &window, const Optional &weight,
                                             const Optional &longest, const Optional &excess) {
    constexpr uint64_t largest_rate = 2 * TAKT_ADMISSION_WHOLE;
    const size_t count = checked({"window: tasks", 0, (1u << 20) - 1}, window.shape(0));
    const uint64_t *classes = checked({"task_class", 0, TAKT_ADMISSION_NONE}, task_class, count);
    const uint64_t *windows = checked({"window", 1, TAKT_ADMISSION_LONGEST}, window, count);
    const uint64_t *wcets = checked({"wcet", 0, TAKT_ADMISSION_LONGEST}, wcet, count);
    const auto weights = values_of({"weight", 1, UINT16_MAX}, weight, count, 1);
    const auto longests = values_of({"longest", 0, largest_rate}, longest, count, 0);
    const auto excesses = values_of({"excess", 0, largest_rate}, excess, count, 0);
    std::vector<takt_rate_request_t> requests;
    for (size_t i = 0; i < count; i++) {
        if (classes[i] != TAKT_ADMISSION_NONE && (wcets[i] < 1 || wcets[i] > windows[i])) {
            refuse("wcet", "1 up to the window is expected");
        }
        requests.push_back({static_cast<takt_admission_class_t>(classes[i]), wcets[i], windows[i], weights[i],
                            longests[i], excesses[i]});
    }
    return requests;
}

// Capacity, hard, what soft tasks ask for, soft, none.
using Division = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;

std::tuple<Verdicts, Numbers, Numbers, Numbers, Division> rate_admission(
    const Column &task_class, const Column &wcet, const Column &window, const Optional &weight,
    const Optional &longest, const Optional &excess, uint64_t beta, uint64_t sigma, uint64_t grid,
    bool has_formula) {
    using Grant = takt_rate_grant_t;
    const auto requests = requests_of(task_class, wcet, window, weight, longest, excess);
    const takt_admission_settings_t settings = {
        checked({"beta", 0, TAKT_ADMISSION_WHOLE}, beta), checked({"sigma", 0, TAKT_ADMISSION_WHOLE}, sigma),
        checked({"grid", 1, TAKT_ADMISSION_LONGEST}, grid), has_formula};
    std::vector<Grant> grants(requests.size());
    const takt_rate_division_t division = takt_rate_admission(
        requests.data(), static_cast<uint32_t>(requests.size()), &settings, grants.data());
    return {column_of(grants, [](const Grant &each) { return static_cast<uint8_t>(each.is_admitted); }),
            column_of(grants, [](const Grant &each) { return each.rate; }),
            column_of(grants, [](const Grant &each) { return each.budget; }),
            column_of(grants, [](const Grant &each) { return each.period; }),
            Division{division.capacity, division.hard, division.soft_asked, division.soft, division.none}};
}

} // namespace

void bind_edf(nb::module_ &m) {
    using namespace nb::literals;
    m.def("edf_demand", edf_demand, "tasks"_a, "effort"_a = kEffort,
          "Return the verdict of quick processor-demand analysis; if unschedulable also an interval, the "
          "demand and the supply in it.\n\nDemand 0: the shares are more than that of the supply.");
    m.def("edf_growths", edf_growths, "tasks"_a, "effort"_a = kEffort,
          "Return the longest wcet of each task with which all meet their deadlines; 0: none. Precondition: "
          "C <= T of all tasks.");
    m.def("edf_verdicts_many", edf_verdicts_many, "wcet"_a, "period"_a, "deadline"_a, "effort"_a = kEffort,
          "Return the verdict on each row, a task set, under preemptive EDF; `effort` is for each row.");
    m.def("edf_responses", edf_responses, "tasks"_a, "effort"_a = kEffort,
          "Return worst-case responses, and which job has each; at equal deadlines all others go first, or "
          "the smaller rank.");
    m.def(
        "edf_density", edf_density, "tasks"_a, "effort"_a = kEffort,
        "Return the verdict of the density test: schedulable if the sum of C / min(D - J, T) is at most 1.");
    m.def("rate_admission", rate_admission, "task_class"_a, "wcet"_a, "window"_a, "weight"_a = nb::none(),
          "longest"_a = nb::none(), "excess"_a = nb::none(), "beta"_a = TAKT_ADMISSION_WHOLE / 10,
          "sigma"_a = 0, "grid"_a = 1, "has_formula"_a = nb::bool_(false),
          "Return the grants of the rate-based scheduler if the tasks ask in their order, while all are "
          "present.\n\nRates are in units of 1 / 18,018,000. Classes are 0 hard, 1 soft, 2 none. The window "
          "of a hard task is its relative deadline, of others the period; `wcet` (not of best-effort tasks) "
          "is at most that. `longest` and `excess` are what sharing takes.\n\nReturns whether admitted, "
          "rate, budget, period; and capacity, hard, what soft tasks ask for, soft, none. All zero but "
          "admitted: suspended.");
}
