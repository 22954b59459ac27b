/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of response times where scheduling takes time and releases are detected late.
#include "python/analysis/tasks.hpp"

extern "C" {
#include "analysis/architectures.h"
}

namespace {

// Context switch, interval, latency.
using Times = std::tuple<uint64_t, uint64_t, uint64_t>;

takt_scheduler_t scheduler_of(int64_t model, const Times &times) {
    const auto [context_switch, interval, latency] = times;
    const bool has_ticks = checked({"model", TAKT_SCHEDULER_REARMED, TAKT_SCHEDULER_HARDWARE},
                                   static_cast<uint64_t>(model)) <= TAKT_SCHEDULER_FIXED;
    return {static_cast<takt_scheduler_model_t>(model), checked({"times: context_switch"}, context_switch),
            checked({"times: interval", has_ticks ? 1u : 0u}, interval),
            checked({"times: latency"}, latency)};
}

// Working memory for sets of one size.
struct Room {
    explicit Room(size_t count)
        : tasks(count), blocking(count), ends(count), memory(count), above(count), responses(count) {}
    takt_scheduled_room_t view() {
        return {{tasks.data(), blocking.data(), ends.data(), memory.view()}, above.data(), responses.data()};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<takt_duration_t> blocking;
    std::vector<takt_fp_end_t> ends;
    Memory memory;
    std::vector<uint32_t> above;
    std::vector<takt_response_t> responses;
};

Numbers scheduled_fp_responses(const Tasks &tasks, int64_t model, const Times &times, takt_effort_t effort) {
    tasks.accept({kAbove});
    const takt_scheduled_set_t set = {tasks.tasks.data(), tasks.count(), tasks.above_places(),
                                      scheduler_of(model, times)};
    Room room(tasks.tasks.size() + 1);
    std::vector<takt_response_t> responses(tasks.count());
    {
        const nb::gil_scoped_release released;
        const takt_scheduled_room_t view = room.view();
        takt_scheduled_fp_responses(&set, &view, &effort, responses.data());
    }
    return column_of(responses, ticks_of);
}

Numbers scheduled_edf_responses(const Tasks &tasks, int64_t model, const Times &times, takt_effort_t effort) {
    tasks.accept({});
    for (const takt_sporadic_t &task : tasks.tasks) {
        checked({"jitter", 0, task.deadline - 1}, task.jitter);
    }
    const takt_scheduled_set_t set = {tasks.tasks.data(), tasks.count(), nullptr, scheduler_of(model, times)};
    Memory memory(tasks.tasks.size());
    std::vector<takt_response_t> responses(tasks.count());
    {
        const nb::gil_scoped_release released;
        takt_scheduled_edf_responses(&set, memory.fractions.data(), memory.next.data(), &effort,
                                     responses.data());
    }
    return column_of(responses, ticks_of);
}

} // namespace

void bind_architectures(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("REARMED") = static_cast<int>(TAKT_SCHEDULER_REARMED);
    m.attr("FIXED") = static_cast<int>(TAKT_SCHEDULER_FIXED);
    m.attr("COPROCESSOR") = static_cast<int>(TAKT_SCHEDULER_COPROCESSOR);
    m.attr("HARDWARE") = static_cast<int>(TAKT_SCHEDULER_HARDWARE);
    m.def(
        "scheduled_fp_responses", scheduled_fp_responses, "tasks"_a, "model"_a, "times"_a,
        "effort"_a = kEffort,
        "Return bounds of the responses under fixed priorities and a scheduler that takes time, most urgent "
        "first.\n\nTimes: context switch, interval and latency; a model reads only those that it has.");
    m.def("scheduled_edf_responses", scheduled_edf_responses, "tasks"_a, "model"_a, "times"_a,
          "effort"_a = kEffort,
          "Return as scheduled_fp_responses under EDF; each jitter is less than the deadline.");
}
