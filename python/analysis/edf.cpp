// Binding of earliest deadline first: demand, QPA, response times, rate-based execution, admission by rates.
#include "python/analysis/edf_blocking.hpp"

extern "C" {
#include "analysis/baker.h"
#include "analysis/density.h"
#include "analysis/edf_response_times.h"
#include "analysis/processor_demand.h"
#include "analysis/qpa.h"
}

namespace {

// So many tasks the sums of analysis/demand.h hold.
constexpr size_t kTasksMost = size_t(1) << 22;

// Working memory of the tests by demand.
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

// A test by demand: verdict, interval, demand.
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
        : shares(count), rests(count), regions(count), room{shares.data(), rests.data(), regions.data()} {
        require(count <= kTasksMost, "wcet: too many tasks");
    }
    std::vector<takt_fraction_t> shares;
    std::vector<uint64_t> rests;
    std::vector<takt_duration_t> regions;
    takt_edf_room_t room;
};

nb::tuple edf_responses(const Column &wcet, const Column &period, const Column &deadline,
                        const MaybeColumn &jitter, const MaybeColumn &regions, const MaybeColumn &from,
                        const MaybeColumn &ticks, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    const Blocking blocking(tasks.size(), regions, from, ticks);
    ResponseRoom room(tasks.size());
    std::vector<takt_response_t> responses(tasks.size());
    {
        const nb::gil_scoped_release release;
        takt_edf_response_times(tasks.data(), static_cast<uint32_t>(tasks.size()), &blocking.blocking,
                                responses.data(), &room.room, &effort);
    }
    return columns_of(responses);
}

nb::tuple edf_nonpreemptive_responses(const Column &wcet, const Column &period, const Column &deadline,
                                      const MaybeColumn &jitter, takt_effort_t effort) {
    const std::vector<takt_sporadic_t> tasks = tasks_of(wcet, period, deadline, jitter);
    ResponseRoom room(tasks.size());
    std::vector<takt_response_t> responses(tasks.size());
    {
        const nb::gil_scoped_release release;
        takt_edf_nonpreemptive_response_times(tasks.data(), static_cast<uint32_t>(tasks.size()),
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

} // namespace

void bind_edf(nb::module_ &m) {
    using namespace nb::literals;
    m.def("edf_demand", &demand_of<takt_qpa>, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "regions"_a = nb::none(), "step_from"_a = nb::none(), "step_ticks"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("edf_first_excess", &demand_of<takt_processor_demand>, "wcet"_a, "period"_a, "deadline"_a,
          "jitter"_a = nb::none(), "regions"_a = nb::none(), "step_from"_a = nb::none(),
          "step_ticks"_a = nb::none(), "effort"_a = kEffort);
    m.def("edf_verdicts_many", &edf_verdicts_many, "wcet"_a, "period"_a, "deadline"_a, "effort"_a = kEffort);
    m.def("edf_responses", &edf_responses, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "regions"_a = nb::none(), "step_from"_a = nb::none(), "step_ticks"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("edf_nonpreemptive_responses", &edf_nonpreemptive_responses, "wcet"_a, "period"_a, "deadline"_a,
          "jitter"_a = nb::none(), "effort"_a = kEffort);
    m.def("edf_density", &edf_density, "wcet"_a, "period"_a, "deadline"_a, "jitter"_a = nb::none(),
          "effort"_a = kEffort);
    m.def("edf_baker", &edf_baker, "wcet"_a, "period"_a, "deadline"_a, "blocking"_a, "jitter"_a = nb::none(),
          "effort"_a = kEffort);
}
