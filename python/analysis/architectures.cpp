/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of response times where scheduling takes time and releases are detected late.
#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/architectures.h"
}

namespace {

// Context switch, interval, latency.
using Times = std::tuple<uint64_t, uint64_t, uint64_t>;

takt_scheduler_t scheduler_of(int model, const Times &times) {
    const auto [context_switch, interval, latency] = times;
    require(model >= TAKT_SCHEDULER_REARMED && model <= TAKT_SCHEDULER_HARDWARE,
            "model: one of the module's is expected");
    for (const uint64_t time : {context_switch, interval, latency}) {
        require(time <= TAKT_ANALYSIS_TIME_MAX, "times: a value is out of range");
    }
    require(interval >= 1 || model > TAKT_SCHEDULER_FIXED, "times: ticks need an interval");
    return {static_cast<takt_scheduler_model_t>(model), context_switch, interval, latency};
}

// Tasks under a scheduler with all that their columns point to.
struct Scheduled {
    Scheduled(const Column &wcet, const Column &period, const Column &deadline, int model, const Times &times,
              const Optional &jitter, const Optional &above_column)
        : tasks(tasks_of(wcet, period, deadline, jitter)), above(above_of(above_column, tasks.size())) {
        set = {tasks.data(), static_cast<uint32_t>(tasks.size()), above_column ? above.data() : nullptr,
               scheduler_of(model, times)};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<uint32_t> above;
    takt_scheduled_set_t set = {};
};

// Working memory for sets of one size.
struct Room {
    explicit Room(size_t count)
        : tasks(count + 1),
          blocking(count + 1),
          ends(count + 1),
          fractions(count + 1),
          next(count + 1),
          later(count + 1),
          above(count + 1),
          responses(count + 1) {}
    takt_scheduled_room_t view() {
        return {{tasks.data(), blocking.data(), ends.data(), {fractions.data(), next.data(), later.data()}},
                above.data(),
                responses.data()};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<takt_duration_t> blocking;
    std::vector<takt_fp_end_t> ends;
    std::vector<takt_fraction_t> fractions;
    std::vector<uint64_t> next, later;
    std::vector<uint32_t> above;
    std::vector<takt_response_t> responses;
};

nb::object ticks_of_all(const std::vector<takt_response_t> &responses) {
    std::vector<uint64_t> ticks(responses.size());
    std::transform(responses.begin(), responses.end(), ticks.begin(), ticks_of);
    return array_of(std::move(ticks));
}

nb::object scheduled_fp_responses(const Column &wcet, const Column &period, int model, const Times &times,
                                  const Optional &jitter, const Optional &above, takt_effort_t effort) {
    const Scheduled tasks(wcet, period, period, model, times, jitter, above);
    Room room(tasks.tasks.size());
    std::vector<takt_response_t> responses(tasks.tasks.size());
    {
        const nb::gil_scoped_release released;
        const takt_scheduled_room_t view = room.view();
        takt_scheduled_fp_responses(&tasks.set, &view, &effort, responses.data());
    }
    return ticks_of_all(responses);
}

nb::object scheduled_edf_responses(const Column &wcet, const Column &period, const Column &deadline,
                                   int model, const Times &times, const Optional &jitter,
                                   takt_effort_t effort) {
    const Scheduled tasks(wcet, period, deadline, model, times, jitter, {});
    for (const takt_sporadic_t &task : tasks.tasks) {
        require(task.jitter < task.deadline, "jitter: less than the deadline is expected");
    }
    Room room(tasks.tasks.size());
    std::vector<takt_response_t> responses(tasks.tasks.size());
    {
        const nb::gil_scoped_release released;
        takt_scheduled_edf_responses(&tasks.set, room.fractions.data(), room.next.data(), &effort,
                                     responses.data());
    }
    return ticks_of_all(responses);
}

} // namespace

void bind_architectures(nb::module_ &m) {
    m.attr("REARMED") = static_cast<int>(TAKT_SCHEDULER_REARMED);
    m.attr("FIXED") = static_cast<int>(TAKT_SCHEDULER_FIXED);
    m.attr("COPROCESSOR") = static_cast<int>(TAKT_SCHEDULER_COPROCESSOR);
    m.attr("HARDWARE") = static_cast<int>(TAKT_SCHEDULER_HARDWARE);
    m.def("scheduled_fp_responses", scheduled_fp_responses, nb::arg("wcet"), nb::arg("period"),
          nb::arg("model"), nb::arg("times"), nb::arg("jitter") = nb::none(), nb::arg("above") = nb::none(),
          nb::arg("effort") = kEffort);
    m.def("scheduled_edf_responses", scheduled_edf_responses, nb::arg("wcet"), nb::arg("period"),
          nb::arg("deadline"), nb::arg("model"), nb::arg("times"), nb::arg("jitter") = nb::none(),
          nb::arg("effort") = kEffort);
}
