/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of response times under fixed priorities, of limited preemption, of control-flow graphs.
#include "python/analysis/module.hpp"

#include <memory>

extern "C" {
#include "analysis/control_flow.h"
#include "analysis/preemption_thresholds.h"
#include "analysis/response_times.h"
}

// Working memory for sets of one size.
struct Memory {
    explicit Memory(size_t count) : fractions(count), next(count), later(count) {}
    takt_fp_memory_t view() { return {fractions.data(), next.data(), later.data()}; }
    std::vector<takt_fraction_t> fractions;
    std::vector<uint64_t> next, later;
};

// A set that owns the data of its columns.
struct Set {
    Set(const Column &wcet, const Column &period, const Column &deadline, const Optional &jitter,
        const Optional &blocking, const Optional &last, const Optional &above_column)
        : tasks(tasks_of(wcet, period, deadline, jitter)), above(above_of(above_column, tasks.size())) {
        const uint64_t *regions = optional_times(last, tasks.size(), 1, "last");
        for (size_t i = 0; last && i < tasks.size(); i++) {
            require(regions[i] <= tasks[i].wcet, "last: at most the wcet is expected");
            ends.push_back({tasks[i].wcet, regions[i], 0});
        }
        set = {tasks.data(),
               static_cast<uint32_t>(tasks.size()),
               optional_times(blocking, tasks.size(), 0, "blocking"),
               last ? ends.data() : nullptr,
               nullptr,
               above_column ? above.data() : nullptr};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<uint32_t> above;
    std::vector<takt_fp_end_t> ends;
    takt_fp_set_t set = {};
};

// ---- one set -------------------------------------------------------------------------------------------

using Responses = std::tuple<nb::object, nb::object>;

static Responses columns_of(const std::vector<takt_response_t> &responses) {
    std::vector<uint64_t> ticks, jobs;
    for (const takt_response_t &response : responses) {
        ticks.push_back(ticks_of(response));
        jobs.push_back(response.job);
    }
    return {array_of(std::move(ticks)), array_of(std::move(jobs))};
}

static Responses responses_of(const takt_fp_set_t &set, takt_effort_t effort) {
    Memory memory(set.count);
    std::vector<takt_response_t> responses(set.count);
    {
        const nb::gil_scoped_release released;
        takt_fp_responses(&set, memory.view(), &effort, responses.data());
    }
    return columns_of(responses);
}

static int verdict_of(const takt_fp_set_t &set, takt_effort_t effort) {
    Memory memory(set.count);
    const nb::gil_scoped_release released;
    return takt_fp_is_schedulable(&set, memory.view(), &effort);
}

static Responses fp_responses(const Column &wcet, const Column &period, const Optional &jitter,
                              const Optional &blocking, const Optional &last, const Optional &above,
                              takt_effort_t effort) {
    return responses_of(Set(wcet, period, period, jitter, blocking, last, above).set, effort);
}

static int fp_verdict(const Column &wcet, const Column &period, const Column &deadline,
                      const Optional &jitter, const Optional &blocking, const Optional &last,
                      const Optional &above, takt_effort_t effort) {
    return verdict_of(Set(wcet, period, deadline, jitter, blocking, last, above).set, effort);
}

// Working memory of a search for the longest wcets.
struct GrowthMemory {
    explicit GrowthMemory(size_t count)
        : memory(count),
          tasks(count),
          ends(count),
          responses(count),
          witnesses(count * TAKT_FP_WITNESSES),
          order(count) {}
    takt_fp_growth_memory_t view() {
        return {memory.view(), tasks.data(), ends.data(), responses.data(), witnesses.data(), order.data()};
    }
    Memory memory;
    std::vector<takt_sporadic_t> tasks;
    std::vector<takt_fp_end_t> ends;
    std::vector<takt_response_t> responses;
    std::vector<takt_fp_witness_t> witnesses;
    std::vector<uint32_t> order;
};

static nb::object fp_growths(const Column &wcet, const Column &period, const Column &deadline,
                             const Column &wanted, const Optional &jitter, const Optional &blocking,
                             const Optional &last, const Optional &above, takt_effort_t effort) {
    const Set all(wcet, period, deadline, jitter, blocking, last, above);
    const uint64_t *asked = times_of(wanted, all.set.count, 0, "wanted");
    require_within_periods(all.tasks);
    GrowthMemory memory(all.set.count);
    const std::unique_ptr<bool[]> is_wanted(new bool[all.set.count]);
    std::transform(asked, asked + all.set.count, is_wanted.get(), [](uint64_t flag) { return flag != 0; });
    std::vector<takt_growth_t> growths(all.set.count);
    {
        const nb::gil_scoped_release released;
        takt_fp_growths(&all.set, is_wanted.get(), memory.view(), effort, growths.data());
    }
    return column_of(growths);
}

static nb::object fp_blocking(const Column &longest, const Optional &above, uint64_t head_start) {
    const size_t count = longest.shape(0);
    const uint64_t *regions = times_of(longest, count, 1, "longest");
    const std::vector<uint32_t> places = above_of(above, count);
    std::vector<uint64_t> blocking(count);
    require(head_start <= 1, "head_start: 0 or 1 is expected");
    takt_fp_blocking(regions, above ? places.data() : nullptr, static_cast<uint32_t>(count), head_start,
                     blocking.data());
    return array_of(std::move(blocking));
}

// ---- thresholds ----------------------------------------------------------------------------------------

static std::vector<uint32_t> thresholds_of(const Column &column, size_t count) {
    const uint64_t *places = times_of(column, count, 0, "threshold");
    for (size_t i = 0; i < count; i++) {
        require(places[i] <= i, "threshold: places up to the task's own are expected");
    }
    return {places, places + count};
}

// A set under preemption thresholds, with all that its columns point to.
struct ThresholdSet {
    ThresholdSet(const Column &wcet, const Column &period, const Column &deadline, const Column &threshold,
                 const Optional &jitter)
        : tasks(tasks_of(wcet, period, deadline, jitter)), blocking(tasks.size()), ends(tasks.size()) {
        const auto count = static_cast<uint32_t>(tasks.size());
        takt_fpts_prepare(tasks.data(), thresholds_of(threshold, count).data(), count, blocking.data(),
                          ends.data());
        set = {tasks.data(), count, blocking.data(), ends.data(), nullptr, nullptr};
    }
    std::vector<takt_sporadic_t> tasks;
    std::vector<takt_duration_t> blocking;
    std::vector<takt_fp_end_t> ends;
    takt_fp_set_t set = {};
};

static Responses fpts_responses(const Column &wcet, const Column &period, const Column &threshold,
                                const Optional &jitter, takt_effort_t effort) {
    return responses_of(ThresholdSet(wcet, period, period, threshold, jitter).set, effort);
}

static int fpts_verdict(const Column &wcet, const Column &period, const Column &deadline,
                        const Column &threshold, const Optional &jitter, takt_effort_t effort) {
    return verdict_of(ThresholdSet(wcet, period, deadline, threshold, jitter).set, effort);
}

static nb::object fpts_blocking(const Column &wcet, const Column &threshold) {
    return array_of(ThresholdSet(wcet, wcet, wcet, threshold, {}).blocking);
}

// ---- control flow --------------------------------------------------------------------------------------

static std::vector<uint32_t> places_of(const Column &column, uint64_t behind, const char *name) {
    const uint64_t *places = times_of(column, column.shape(0), 0, name);
    for (size_t i = 0; i < column.shape(0); i++) {
        require(places[i] < behind, std::string(name) + ": a place is out of range");
    }
    return {places, places + column.shape(0)};
}

// The graphs of tasks: `task` has the task of each node, and ascends from 0 without a gap.
struct Graphs {
    Graphs(const Column &node_wcet, const Column &task_column, const Column &from, const Column &to)
        : wcets(times_of(node_wcet, node_wcet.shape(0), 1, "node_wcet")) {
        const size_t nodes = node_wcet.shape(0);
        require(task_column.shape(0) == nodes && from.shape(0) == to.shape(0),
                "one task for each node, and two ends for each edge are expected");
        const std::vector<uint32_t> task = places_of(task_column, nodes, "task");
        begin_tasks(task);
        add_edges(places_of(from, nodes, "source"), places_of(to, nodes, "target"), task);
        graphs = {wcets, first.data(), static_cast<uint32_t>(first.size() - 1), edges.data(),
                  static_cast<uint32_t>(edges.size())};
    }
    const uint64_t *wcets;
    std::vector<uint32_t> first;
    std::vector<takt_edge_t> edges;
    takt_graphs_t graphs = {};

   private:
    void begin_tasks(const std::vector<uint32_t> &task) {
        for (size_t node = 0; node < task.size(); node++) {
            const bool is_next = task[node] == first.size();
            require(is_next || (node > 0 && task[node] == task[node - 1]),
                    "task: places that ascend from 0 without a gap are expected");
            if (is_next) {
                first.push_back(static_cast<uint32_t>(node));
            }
        }
        first.push_back(static_cast<uint32_t>(task.size()));
    }
    void add_edges(const std::vector<uint32_t> &from, const std::vector<uint32_t> &to,
                   const std::vector<uint32_t> &task) {
        for (size_t edge = 0; edge < from.size(); edge++) {
            require(task[from[edge]] == task[to[edge]], "target: a node of the same task is expected");
            edges.push_back({from[edge], to[edge]});
        }
    }
};

// What response times depend on.
struct Flow {
    Flow(const Graphs &graphs, takt_effort_t &effort)
        : wcets(graphs.graphs.count),
          longest(graphs.graphs.count),
          ends(graphs.first.back()),
          end_first(graphs.first.size()) {
        std::vector<takt_duration_t> paths(ends.size());
        const takt_flow_t flow = {wcets.data(), longest.data(), ends.data(), end_first.data()};
        const takt_graphs_status_t status = takt_graphs_measure(&graphs.graphs, paths.data(), &effort, &flow);
        require(status != TAKT_GRAPHS_CYCLIC, "target: an edge closes a cycle");
        require(status == TAKT_GRAPHS_MEASURED, "node_wcet: a way is too long, or the effort too small");
    }
    std::vector<takt_duration_t> wcets, longest;
    std::vector<takt_fp_end_t> ends;
    std::vector<uint32_t> end_first;
};

static Responses graph_lengths(const Column &node_wcet, const Column &task, const Column &from,
                               const Column &to, takt_effort_t effort) {
    const Flow flow(Graphs(node_wcet, task, from, to), effort);
    return {array_of(flow.wcets), array_of(flow.longest)};
}

static Responses graph_responses(const Column &period, const Column &node_wcet, const Column &task,
                                 const Column &from, const Column &to, const Optional &jitter,
                                 takt_effort_t effort) {
    const Flow flow(Graphs(node_wcet, task, from, to), effort);
    const size_t count = flow.wcets.size();
    std::vector<takt_sporadic_t> tasks = tasks_of(period, period, period, jitter);
    std::vector<takt_duration_t> blocking(count);
    require(tasks.size() == count, "period: as many values as tasks are expected");
    for (size_t i = 0; i < count; i++) {
        tasks[i].wcet = flow.wcets[i];
    }
    takt_fp_blocking(flow.longest.data(), nullptr, static_cast<uint32_t>(count), 1, blocking.data());
    return responses_of({tasks.data(), static_cast<uint32_t>(count), blocking.data(), flow.ends.data(),
                         flow.end_first.data(), nullptr},
                        effort);
}

// ---- many sets -----------------------------------------------------------------------------------------

// Calls `answer(set, memory, row)` for each row, one after the other in the same memory.
template <typename Answer>
static void for_each_set(const Matrix &wcet, const Matrix &period, const Matrix &deadline, Answer answer) {
    const size_t count = wcet.shape(1);
    std::vector<takt_sporadic_t> tasks(count);
    Memory memory(count);
    for (size_t row = 0; row < wcet.shape(0); row++) {
        for (size_t i = 0; i < count; i++) {
            const size_t at = row * count + i;
            tasks[i] = {wcet.data()[at], period.data()[at], deadline.data()[at], 0};
        }
        const takt_fp_set_t set = {tasks.data(), static_cast<uint32_t>(count), nullptr, nullptr, nullptr,
                                   nullptr};
        answer(set, memory.view(), row);
    }
}

static nb::object fp_responses_many(const Matrix &wcet, const Matrix &period, takt_effort_t effort) {
    require_times(wcet, wcet, "wcet");
    require_times(period, wcet, "period");
    const size_t count = wcet.shape(1);
    std::vector<uint64_t> ticks(wcet.shape(0) * count);
    std::vector<takt_response_t> responses(count);
    {
        const nb::gil_scoped_release released;
        for_each_set(
            wcet, period, period, [&](const takt_fp_set_t &set, takt_fp_memory_t memory, size_t row) {
                takt_effort_t granted = effort;
                takt_fp_responses(&set, memory, &granted, responses.data());
                std::transform(responses.begin(), responses.end(), ticks.begin() + row * count, ticks_of);
            });
    }
    return matrix_of(std::move(ticks), count);
}

static nb::object fp_verdicts_many(const Matrix &wcet, const Matrix &period, const Matrix &deadline,
                                   takt_effort_t effort) {
    require_times(wcet, wcet, "wcet");
    require_times(period, wcet, "period");
    require_times(deadline, wcet, "deadline");
    std::vector<uint8_t> verdicts(wcet.shape(0));
    {
        const nb::gil_scoped_release released;
        for_each_set(wcet, period, deadline,
                     [&](const takt_fp_set_t &set, takt_fp_memory_t memory, size_t row) {
                         takt_effort_t granted = effort;
                         verdicts[row] = static_cast<uint8_t>(takt_fp_is_schedulable(&set, memory, &granted));
                     });
    }
    return array_of(std::move(verdicts));
}

static void bind_responses(nb::module_ &m) {
    m.def("fp_responses", fp_responses, nb::arg("wcet"), nb::arg("period"), nb::arg("jitter") = nb::none(),
          nb::arg("blocking") = nb::none(), nb::arg("last") = nb::none(), nb::arg("above") = nb::none(),
          nb::arg("effort") = kEffort);
    m.def("fp_verdict", fp_verdict, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none(), nb::arg("blocking") = nb::none(), nb::arg("last") = nb::none(),
          nb::arg("above") = nb::none(), nb::arg("effort") = kEffort);
    m.def("fp_growths", fp_growths, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("wanted"), nb::arg("jitter") = nb::none(), nb::arg("blocking") = nb::none(),
          nb::arg("last") = nb::none(), nb::arg("above") = nb::none(), nb::arg("effort") = kEffort);
    m.def("fp_blocking", fp_blocking, nb::arg("longest"), nb::arg("above") = nb::none(),
          nb::arg("head_start") = 1);
}

static void bind_limited(nb::module_ &m) {
    m.def("fpts_responses", fpts_responses, nb::arg("wcet"), nb::arg("period"), nb::arg("threshold"),
          nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("fpts_verdict", fpts_verdict, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("threshold"), nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
    m.def("fpts_blocking", fpts_blocking, nb::arg("wcet"), nb::arg("threshold"));
    m.def("graph_lengths", graph_lengths, nb::arg("node_wcet"), nb::arg("task"), nb::arg("source"),
          nb::arg("target"), nb::arg("effort") = kEffort);
    m.def("graph_responses", graph_responses, nb::arg("period"), nb::arg("node_wcet"), nb::arg("task"),
          nb::arg("source"), nb::arg("target"), nb::arg("jitter") = nb::none(), nb::arg("effort") = kEffort);
}

static void bind_batches(nb::module_ &m) {
    m.def("fp_responses_many", fp_responses_many, nb::arg("wcet"), nb::arg("period"),
          nb::arg("effort") = kEffort);
    m.def("fp_verdicts_many", fp_verdicts_many, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("effort") = kEffort);
}

void bind_fixed_priority(nb::module_ &m) {
    m.attr("UNBOUNDED") = kUnbounded;
    m.attr("UNKNOWN") = kUnknown;
    bind_responses(m);
    bind_limited(m);
    bind_batches(m);
}
