/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding of response times under fixed priorities, of limited preemption, of control-flow graphs.
#include "python/analysis/tasks.hpp"

#include <memory>

extern "C" {
#include "analysis/control_flow.h"
#include "analysis/fifo_responses.h"
}

namespace {

// ---- one set -------------------------------------------------------------------------------------------

std::tuple<Numbers, Numbers> responses_of(const takt_children_t &set, Memory memory, takt_effort_t effort) {
    std::vector<takt_response_t> responses(set.count);
    {
        const nb::gil_scoped_release released;
        takt_fp_responses(&set, memory.view(), &effort, responses.data());
    }
    return columns_of(responses);
}

// The children of a dispatcher under fixed priorities, and nothing else.
takt_children_t set_of(const Tasks &tasks) {
    tasks.accept({kBlocking, kLast, kAbove, kThreshold, kKind, kInside, kInsideWcet, kInsidePeriod,
                  kInsideJitter, kHeadGap, kHeadDelay, kHeadTicks},
                 true);
    return tasks.under_priorities();
}

std::tuple<Numbers, Numbers> fp_responses(const Tasks &tasks, takt_effort_t effort) {
    return responses_of(set_of(tasks), Memory(tasks.count(), tasks.inside_count()), effort);
}

// Of tasks without an equal the bound does not hold.
std::tuple<Numbers, Numbers> fifo_responses(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kBlocking, kLast, kAbove});
    const takt_children_t set = tasks.under_priorities();
    std::vector<takt_response_t> responses(set.count, {0, 0, false, true});
    Memory memory(tasks.count());
    {
        const nb::gil_scoped_release released;
        for (uint32_t task = 0; task < set.count; task++) {
            const bool has_equals = set.above != nullptr && set.above[task] != task;
            if (has_equals) {
                responses[task] = takt_fifo_response(&set, task, memory.view(), &effort);
            }
        }
    }
    return columns_of(responses);
}

int fp_verdict(const Tasks &tasks, takt_effort_t effort) {
    const takt_children_t set = set_of(tasks);
    Memory memory(tasks.count(), tasks.inside_count());
    const nb::gil_scoped_release released;
    return takt_fp_is_schedulable(&set, memory.view(), &effort);
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

Numbers fp_growths(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kBlocking, kLast, kAbove, kWanted});
    tasks.require_within_periods();
    const takt_children_t set = tasks.under_priorities();
    GrowthMemory memory(set.count);
    const std::unique_ptr<bool[]> is_wanted(new bool[set.count]);
    const uint64_t *wanted = tasks.column(kWanted);
    for (size_t i = 0; i < set.count; i++) {
        is_wanted[i] = wanted == nullptr || wanted[i] != 0;
    }
    std::vector<takt_growth_t> growths(set.count);
    {
        const nb::gil_scoped_release released;
        takt_fp_growths(&set, is_wanted.get(), memory.view(), effort, growths.data());
    }
    return column_of(growths);
}

Numbers fp_blocking(const Column &longest, const Optional &above, uint64_t head_start) {
    const uint64_t *regions = checked({"longest", 1}, longest, longest.shape(0));
    nb::dict more;
    more["above"] = above ? nb::cast(*above) : nb::none();
    const Tasks tasks(longest, longest, {}, {}, {}, nb::borrow<nb::kwargs>(more));
    std::vector<uint64_t> blocking(tasks.count());
    takt_fp_blocking(regions, tasks.above_places(), tasks.count(), checked({"head_start", 0, 1}, head_start),
                     blocking.data());
    return array_of(std::move(blocking));
}

Numbers fpts_blocking(const Tasks &tasks) {
    tasks.accept({kThreshold});
    const uint64_t *blocking = tasks.under_priorities().blocking;
    return array_of(blocking == nullptr ? std::vector<uint64_t>(tasks.count())
                                        : std::vector<uint64_t>(blocking, blocking + tasks.count()));
}

// ---- control flow --------------------------------------------------------------------------------------

// The graphs of tasks: `task` has the task of each node, and ascends from 0 without a gap.
struct Graphs {
    Graphs(const Column &node_wcet, const Column &task_column, const Column &from, const Column &to)
        : wcets(checked({"node_wcet", 1}, node_wcet, node_wcet.shape(0))) {
        const size_t nodes = node_wcet.shape(0);
        const uint64_t least = nodes == 0 ? 1 : 0; // without nodes no place is in range
        const uint64_t last = nodes == 0 ? 0 : nodes - 1;
        const uint64_t *task = checked({"task", least, last}, task_column, nodes);
        begin_tasks(task, nodes);
        add_edges(checked({"source", least, last}, from, from.shape(0)),
                  checked({"target", least, last}, to, from.shape(0)), from.shape(0), task);
        graphs = {wcets, first.data(), static_cast<uint32_t>(first.size() - 1), edges.data(),
                  static_cast<uint32_t>(edges.size())};
    }
    const uint64_t *wcets;
    std::vector<uint32_t> first;
    std::vector<takt_edge_t> edges;
    takt_graphs_t graphs = {};

   private:
    void begin_tasks(const uint64_t *task, size_t nodes) {
        for (size_t node = 0; node < nodes; node++) {
            if (task[node] == first.size()) {
                first.push_back(static_cast<uint32_t>(node));
            } else if (node == 0 || task[node] != task[node - 1]) {
                refuse("task", "places that ascend from 0 without a gap are expected");
            }
        }
        first.push_back(static_cast<uint32_t>(nodes));
    }
    void add_edges(const uint64_t *from, const uint64_t *to, size_t count, const uint64_t *task) {
        for (size_t edge = 0; edge < count; edge++) {
            if (task[from[edge]] != task[to[edge]]) {
                refuse("target", "a node of the same task is expected");
            }
            edges.push_back({static_cast<uint32_t>(from[edge]), static_cast<uint32_t>(to[edge])});
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
        if (status != TAKT_GRAPHS_MEASURED) {
            refuse(status == TAKT_GRAPHS_CYCLIC ? "target" : "node_wcet",
                   status == TAKT_GRAPHS_CYCLIC ? "an edge closes a cycle"
                                                : "a way is too long, or the effort too small");
        }
    }
    std::vector<takt_duration_t> wcets, longest;
    std::vector<takt_fp_end_t> ends;
    std::vector<uint32_t> end_first;
};

std::tuple<Numbers, Numbers> graph_lengths(const Column &node_wcet, const Column &task, const Column &from,
                                           const Column &to, takt_effort_t effort) {
    const Flow flow(Graphs(node_wcet, task, from, to), effort);
    return {array_of(flow.wcets), array_of(flow.longest)};
}

std::tuple<Numbers, Numbers> graph_responses(const Column &period, const Column &node_wcet,
                                             const Column &task, const Column &from, const Column &to,
                                             const Optional &jitter, takt_effort_t effort) {
    const Flow flow(Graphs(node_wcet, task, from, to), effort);
    const size_t count = flow.wcets.size();
    const uint64_t *periods = checked({"period", 1}, period, count);
    const uint64_t *jitters = jitter ? checked({"jitter"}, *jitter, count) : nullptr;
    std::vector<takt_sporadic_t> tasks(count);
    std::vector<takt_duration_t> blocking(count);
    for (size_t i = 0; i < count; i++) {
        tasks[i] = {flow.wcets[i], periods[i], periods[i], jitters != nullptr ? jitters[i] : 0};
    }
    takt_fp_blocking(flow.longest.data(), nullptr, static_cast<uint32_t>(count), 1, blocking.data());
    takt_children_t set = {};
    set.tasks = tasks.data();
    set.count = static_cast<uint32_t>(count);
    set.blocking = blocking.data();
    set.ends = flow.ends.data();
    set.end_first = flow.end_first.data();
    return responses_of(set, Memory(count), effort);
}

// ---- many sets -----------------------------------------------------------------------------------------

// Calls `answer(set, memory, row)` for each row, one after the other in the same memory.
template <typename Answer>
void for_each_set(const Matrix &wcet, const Matrix &period, const Matrix &deadline, Answer answer) {
    const size_t count = wcet.shape(1);
    std::vector<takt_sporadic_t> tasks(count);
    Memory memory(count);
    for (size_t row = 0; row < wcet.shape(0); row++) {
        for (size_t i = 0; i < count; i++) {
            const size_t at = row * count + i;
            tasks[i] = {wcet.data()[at], period.data()[at], deadline.data()[at], 0};
        }
        takt_children_t set = {};
        set.tasks = tasks.data();
        set.count = static_cast<uint32_t>(count);
        answer(set, memory.view(), row);
    }
}

Array<uint64_t, 2> fp_responses_many(const Matrix &wcet, const Matrix &period, takt_effort_t effort) {
    checked({"wcet", 1}, wcet, wcet);
    checked({"period", 1}, period, wcet);
    const size_t count = wcet.shape(1);
    std::vector<uint64_t> ticks(wcet.shape(0) * count);
    std::vector<takt_response_t> responses(count);
    {
        const nb::gil_scoped_release released;
        for_each_set(
            wcet, period, period, [&](const takt_children_t &set, takt_fp_memory_t memory, size_t row) {
                takt_effort_t granted = effort;
                takt_fp_responses(&set, memory, &granted, responses.data());
                std::transform(responses.begin(), responses.end(), ticks.begin() + row * count, ticks_of);
            });
    }
    return matrix_of(std::move(ticks), count);
}

Verdicts fp_verdicts_many(const Matrix &wcet, const Matrix &period, const Matrix &deadline,
                          takt_effort_t effort) {
    checked({"wcet", 1}, wcet, wcet);
    checked({"period", 1}, period, wcet);
    checked({"deadline", 1}, deadline, wcet);
    std::vector<uint8_t> verdicts(wcet.shape(0));
    {
        const nb::gil_scoped_release released;
        for_each_set(wcet, period, deadline,
                     [&](const takt_children_t &set, takt_fp_memory_t memory, size_t row) {
                         takt_effort_t granted = effort;
                         verdicts[row] = static_cast<uint8_t>(takt_fp_is_schedulable(&set, memory, &granted));
                     });
    }
    return array_of(std::move(verdicts));
}

} // namespace

void bind_fixed_priority(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("UNBOUNDED") = kUnbounded;
    m.attr("UNKNOWN") = kUnknown;
    m.def("fp_responses", fp_responses, "tasks"_a, "effort"_a = kEffort,
          "Return worst-case responses of tasks and servers, and which job of an active period has each, "
          "from 0.\n\nNot for BANDWIDTH.");
    m.def(
        "fifo_responses", fifo_responses, "tasks"_a, "effort"_a = kEffort,
        "Return worst-case responses among equals in FIFO order, and when the job of each is released in its "
        "busy interval.\n\nUNBOUNDED for tasks without an equal, and for those that may wait behind a job "
        "of their own.");
    m.def("fp_verdict", fp_verdict, "tasks"_a, "effort"_a = kEffort,
          "Return the verdict that all responses are within the deadlines; stops at the first one that is "
          "not.");
    m.def("fp_growths", fp_growths, "tasks"_a, "effort"_a = kEffort,
          "Return the longest wcet of each task with which it and all wanted tasks meet their deadlines; 0: "
          "none.\n\nNo wcet exceeds its period. Without meaning for tasks with a region. `effort` is for "
          "each task.");
    m.def("fp_blocking", fp_blocking, "longest"_a, "above"_a = nb::none(), "head_start"_a = 1,
          "Return the blocking by the longest regions of less urgent tasks: exact, or with head_start 0 a "
          "tick more.");
    m.def("fpts_blocking", fpts_blocking, "tasks"_a,
          "Return the blocking by less urgent tasks that have started and whose threshold bars the task.");
    m.def("graph_lengths", graph_lengths, "node_wcet"_a, "task"_a, "source"_a, "target"_a,
          "effort"_a = kEffort,
          "Return the longest path and the longest node of each task; edges connect nodes, `task` has the "
          "task of each node.\n\nRaises ValueError for a graph with a cycle, among others.");
    m.def("graph_responses", graph_responses, "period"_a, "node_wcet"_a, "task"_a, "source"_a, "target"_a,
          "jitter"_a = nb::none(), "effort"_a = kEffort,
          "Return as fp_responses, for tasks whose non-preemptive nodes form graphs, including blocking by "
          "less urgent tasks.");
    m.def("fp_responses_many", fp_responses_many, "wcet"_a, "period"_a, "effort"_a = kEffort,
          "Return the responses under full preemption of many sets, one in each row; `effort` is for each "
          "set.");
    m.def(
        "fp_verdicts_many", fp_verdicts_many, "wcet"_a, "period"_a, "deadline"_a, "effort"_a = kEffort,
        "Return the verdicts under full preemption of many sets, one in each row; `effort` is for each set.");
}
