// Binding: the simulator and replay as a Python module, takt._core.
//
// Thin on purpose: descriptions come in as columns, results go out as columns in the Arrow C data
// interface, and nothing here decides anything about scheduling. Everything that reaches C is checked
// first (class Spec), because replay builds systems from files that people may have damaged. The
// interpreter's lock is released while C runs.
//
// Invariant: a finished Spec can be built by takt_system_create without breaking one of its conditions.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

extern "C" {
#define _Static_assert static_assert
#include "policy/table.h"
#include "sim/replay.h"
#include "sim/sim.h"
}

namespace nb = nanobind;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace files are little endian");

namespace {

// ---- columns in -------------------------------------------------------------------------------

using Column = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Records = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr uint64_t kTimeLimit = UINT64_C(1) << 62; // the sum of two times is below 2^63
constexpr uint32_t kLevelLimit = (UINT32_C(1) << 20) - 1;

void require(bool condition, const std::string &message) {
    if (!condition) {
        throw std::invalid_argument(message);
    }
}

const takt_policy_t *find_policy(const std::string &name) {
    for (size_t i = 0; i < takt_policy_count; i++) {
        if (name == takt_policies[i]->name) {
            return takt_policies[i];
        }
    }
    throw std::invalid_argument("unknown policy " + name);
}

const takt_server_kind_t *find_server_kind(const std::string &name) {
    for (size_t i = 0; i < takt_server_kind_count; i++) {
        if (name == takt_server_kinds[i]->name) {
            return takt_server_kinds[i];
        }
    }
    throw std::invalid_argument("unknown kind of server " + name);
}

uint64_t time_in(uint64_t least, uint64_t value, const char *what) {
    require(value >= least && value < kTimeLimit,
            std::string(what) + " " + std::to_string(value) + " out of range");
    return value;
}

uint32_t level_in(uint64_t least, uint64_t value, uint64_t most) {
    require(value >= least && value <= most, "level " + std::to_string(value) + " out of range");
    return static_cast<uint32_t>(value);
}

uint32_t rows_in(uint64_t value, uint32_t most) {
    require(value <= most, "number of timer rows " + std::to_string(value) + " out of range");
    return static_cast<uint32_t>(value);
}

// Homes come as 0 for the root and i + 1 for server i, which are their entity numbers.
int32_t server_in(uint64_t home, size_t servers) {
    require(home <= servers, "home " + std::to_string(home) + " is no server");
    return static_cast<int32_t>(home) - 1;
}

// ---- the description of a system ----------------------------------------------------------------

class Spec {
   public:
    Spec(const std::string &policy, uint64_t levels, uint64_t order_rows, uint64_t time_rows) {
        spec_.policy = find_policy(policy);
        spec_.levels = level_in(1, levels, kLevelLimit);
        spec_.order_rows = rows_in(order_rows, 7);
        spec_.time_rows = rows_in(time_rows, 16);
    }

    void add_servers(const std::vector<std::string> &kinds, const std::vector<std::string> &policies,
                     const Column &period, const Column &budget, const Column &offset, const Column &level,
                     const Column &home, const Column &levels, const Column &order_rows,
                     const Column &time_rows) {
        const size_t count = kinds.size();
        require(servers_.empty() && tasks_.empty(), "servers are added once, before the tasks");
        require_length(count, {policies.size(), period.size(), budget.size(), offset.size(), level.size(),
                               home.size(), levels.size(), order_rows.size(), time_rows.size()});
        for (size_t i = 0; i < count; i++) {
            takt_server_spec_t server = {};
            server.kind = find_server_kind(kinds[i]);
            server.policy = find_policy(policies[i]);
            server.period = time_in(1, period(i), "period");
            server.capacity = time_in(1, budget(i), "budget");
            require(server.capacity <= server.period, "budget above period");
            server.offset = time_in(0, offset(i), "offset");
            server.parent = server_in(home(i), count);
            server.levels = level_in(1, levels(i), kLevelLimit);
            server.order_rows = rows_in(order_rows(i), 7);
            server.time_rows = rows_in(time_rows(i), 16);
            server.level = level_in(1, level(i), home(i) == 0 ? spec_.levels : levels(home(i) - 1));
            servers_.push_back(server);
        }
        require_tree();
        require_room();
    }

    void add_tasks(const Column &period, const Column &deadline, const Column &offset, const Column &demand,
                   const Column &level, const Column &home, const Column &is_limited,
                   const Column &preemption_level, const Column &task_class) {
        const size_t count = period.size();
        require(tasks_.empty(), "tasks are added once");
        require_length(count, {deadline.size(), offset.size(), demand.size(), level.size(), home.size(),
                               is_limited.size(), preemption_level.size(), task_class.size()});
        tasks_.reserve(count);
        for (size_t i = 0; i < count; i++) {
            takt_task_spec_t task = {};
            task.period = time_in(1, period(i), "period");
            task.relative_deadline = time_in(1, deadline(i), "deadline");
            task.offset = time_in(0, offset(i), "offset");
            task.demand = time_in(1, demand(i), "demand");
            task.server = server_in(home(i), servers_.size());
            task.level = level_in(1, level(i), levels_at(task.server));
            task.is_limited = is_limited(i) != 0;
            task.preemption_level = level_in(0, preemption_level(i), levels_at(task.server));
            require(task_class(i) <= TAKT_CLASS_NONE, "class is out of range");
            task.task_class = static_cast<takt_task_class_t>(task_class(i));
            tasks_.push_back(task);
        }
        require_room();
    }

    void add_threads(const Column &level) {
        require(threads_.empty(), "threads are added once");
        for (size_t i = 0; i < level.size(); i++) {
            threads_.push_back({level_in(1, level(i), spec_.levels)});
        }
        require_room();
    }

    // The C description; it points into this object.
    takt_system_spec_t c_spec() const {
        takt_system_spec_t spec = spec_;
        spec.servers = servers_.data();
        spec.server_count = static_cast<uint32_t>(servers_.size());
        spec.tasks = tasks_.data();
        spec.task_count = static_cast<uint32_t>(tasks_.size());
        spec.threads = threads_.data();
        spec.thread_count = static_cast<uint32_t>(threads_.size());
        return spec;
    }

   private:
    static void require_length(size_t count, std::initializer_list<size_t> sizes) {
        for (size_t size : sizes) {
            require(size == count, "columns of different length");
        }
    }

    uint32_t levels_at(int32_t server) const {
        return server == TAKT_ROOT ? spec_.levels : servers_[static_cast<size_t>(server)].levels;
    }

    size_t entities() const { return 1 + servers_.size() + tasks_.size() + threads_.size(); }

    // Timers with `order_rows` rows of order digits serve the numbers below 2^(4 order_rows - 1); 0 is "as many
    // as needed".
    void require_rows(uint32_t order_rows) const {
        require(order_rows == 0 || entities() <= (UINT64_C(1) << (4 * order_rows - 1)), "too few timer rows");
    }

    void require_room() const {
        require(entities() <= TAKT_ENTITY_LIMIT, "too many entities");
        require_rows(spec_.order_rows);
        for (const takt_server_spec_t &server : servers_) {
            require_rows(server.order_rows);
        }
    }

    // Every chain of parents ends at the root. A server is visited once: `known` marks what is settled.
    void require_tree() const {
        std::vector<size_t> seen_by(servers_.size(), 0);
        for (size_t start = 0; start < servers_.size(); start++) {
            int32_t at = static_cast<int32_t>(start);
            while (at != TAKT_ROOT && seen_by[static_cast<size_t>(at)] == 0) {
                seen_by[static_cast<size_t>(at)] = start + 1;
                at = servers_[static_cast<size_t>(at)].parent;
                require(at == TAKT_ROOT || seen_by[static_cast<size_t>(at)] != start + 1,
                        "the parents of a server form a ring");
            }
        }
    }

    takt_system_spec_t spec_ = {};
    std::vector<takt_server_spec_t> servers_;
    std::vector<takt_task_spec_t> tasks_;
    std::vector<takt_thread_spec_t> threads_;
};

// ---- columns out: the Arrow C data interface ------------------------------------------------------

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

template <typename Value>
constexpr const char *kArrowFormat = nullptr;
template <>
constexpr const char *kArrowFormat<uint8_t> = "C";
template <>
constexpr const char *kArrowFormat<uint32_t> = "I";
template <>
constexpr const char *kArrowFormat<uint64_t> = "L";

// What an exported array keeps alive.
struct ArrowOwner {
    std::shared_ptr<const void> values;
    const void *buffers[2];
};

template <typename Record>
void release_capsule(PyObject *capsule) {
    auto *record = static_cast<Record *>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    if (record->release != nullptr) {
        record->release(record);
    }
    delete record;
}

void release_schema(ArrowSchema *schema) { schema->release = nullptr; }

void release_array(ArrowArray *array) {
    delete static_cast<ArrowOwner *>(array->private_data);
    array->release = nullptr;
}

// A finished column of numbers, shared with whoever imports it.
class Result {
   public:
    template <typename Value>
    explicit Result(std::vector<Value> &&values) : length_(static_cast<int64_t>(values.size())) {
        auto owner = std::make_shared<const std::vector<Value>>(std::move(values));
        data_ = owner->data();
        owner_ = std::move(owner);
        format_ = kArrowFormat<Value>;
    }

    nb::tuple arrow_c_array(nb::handle) const {
        auto *schema = new ArrowSchema{format_, "", nullptr, 0, 0, nullptr, nullptr, release_schema, nullptr};
        auto *owner = new ArrowOwner{owner_, {nullptr, data_}};
        auto *array =
            new ArrowArray{length_, 0, 0, 2, 0, owner->buffers, nullptr, nullptr, release_array, owner};
        return nb::make_tuple(nb::steal(PyCapsule_New(schema, "arrow_schema", release_capsule<ArrowSchema>)),
                              nb::steal(PyCapsule_New(array, "arrow_array", release_capsule<ArrowArray>)));
    }

   private:
    std::shared_ptr<const void> owner_;
    const void *data_;
    const char *format_;
    int64_t length_;
};

// ---- simulation -----------------------------------------------------------------------------------

struct Segments {
    std::vector<uint64_t> start, end;
    std::vector<uint32_t> cpu, task, job;
};

struct Jobs {
    std::vector<uint32_t> task, job;
    std::vector<uint64_t> release, finish;
    std::vector<uint8_t> missed;
};

struct Budgets {
    std::vector<uint64_t> tick, budget;
    std::vector<uint32_t> server;
    std::vector<uint8_t> is_charged;
};

// What the sinks of one run fill.
struct Recorder {
    Segments segments;
    Jobs jobs;
    Budgets budgets;
    bool out_of_memory = false;
};

// No exception may cross the C frames of the simulator.
template <typename Append>
void append_to(void *context, Append append) {
    auto *recorder = static_cast<Recorder *>(context);
    try {
        append(*recorder);
    } catch (const std::bad_alloc &) {
        recorder->out_of_memory = true;
    }
}

void note_segment(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                  uint32_t job) {
    append_to(context, [=](Recorder &to) {
        to.segments.start.push_back(start);
        to.segments.end.push_back(end);
        to.segments.cpu.push_back(cpu);
        to.segments.task.push_back(task);
        to.segments.job.push_back(job);
    });
}

void note_job(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
              bool missed) {
    append_to(context, [=](Recorder &to) {
        to.jobs.task.push_back(task);
        to.jobs.job.push_back(job);
        to.jobs.release.push_back(release);
        to.jobs.finish.push_back(finish);
        to.jobs.missed.push_back(missed ? 1 : 0);
    });
}

void note_budget(void *context, takt_instant_t now, uint32_t server, takt_duration_t budget,
                 bool is_charged) {
    append_to(context, [=](Recorder &to) {
        to.budgets.tick.push_back(now);
        to.budgets.server.push_back(server);
        to.budgets.budget.push_back(budget);
        to.budgets.is_charged.push_back(is_charged ? 1 : 0);
    });
}

// Appends records to a file whose header is already written.
struct TraceFile {
    takt_trace_t trace; // first member: the callback gets a pointer to it
    FILE *file;
    bool failed;
};

void write_record(takt_trace_t *trace, const takt_record_t *record) {
    auto *to = reinterpret_cast<TraceFile *>(trace);
    if (fwrite(record, sizeof *record, 1, to->file) != 1) {
        to->failed = true;
    }
}

[[noreturn]] void throw_os_error(const std::string &path) {
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
    throw nb::python_error();
}

// A built simulation; destroyed with its scope.
class Simulation {
   public:
    explicit Simulation(const Spec &spec) {
        const takt_system_spec_t c_spec = spec.c_spec();
        if (!takt_sim_create(&sim_, &c_spec)) {
            throw std::bad_alloc();
        }
    }
    ~Simulation() { takt_sim_destroy(&sim_); }
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;

    takt_sim_t *get() { return &sim_; }

   private:
    takt_sim_t sim_ = {};
};

void run(Simulation &simulation, uint64_t horizon, const takt_sim_sinks_t &sinks,
         const std::optional<std::string> &trace_path) {
    TraceFile to = {{write_record}, nullptr, false};
    if (trace_path && (to.file = fopen(trace_path->c_str(), "ab")) == nullptr) {
        throw_os_error(*trace_path);
    }
    {
        nb::gil_scoped_release unlocked;
        takt_sim_run(simulation.get(), horizon, &sinks, to.file != nullptr ? &to.trace : nullptr);
    }
    if (to.file != nullptr && ((fclose(to.file) != 0) | to.failed)) {
        throw_os_error(*trace_path);
    }
}

// One member of every task's statistics as a column.
Result statistic(const takt_sim_t &sim, uint64_t takt_sim_statistics_t::*member) {
    std::vector<uint64_t> values(sim.system.task_count);
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = sim.statistics[i].*member;
    }
    return Result(std::move(values));
}

nb::dict statistics_columns(const takt_sim_t &sim) {
    nb::dict columns;
    columns["released"] = statistic(sim, &takt_sim_statistics_t::released);
    columns["finished"] = statistic(sim, &takt_sim_statistics_t::finished);
    columns["missed"] = statistic(sim, &takt_sim_statistics_t::missed);
    columns["preemptions"] = statistic(sim, &takt_sim_statistics_t::preemptions);
    columns["response_min"] = statistic(sim, &takt_sim_statistics_t::response_min);
    columns["response_max"] = statistic(sim, &takt_sim_statistics_t::response_max);
    columns["response_sum"] = statistic(sim, &takt_sim_statistics_t::response_sum);
    columns["busy"] = statistic(sim, &takt_sim_statistics_t::busy);
    return columns;
}

nb::dict segment_columns(Segments &&segments) {
    nb::dict columns;
    columns["start"] = Result(std::move(segments.start));
    columns["end"] = Result(std::move(segments.end));
    columns["cpu"] = Result(std::move(segments.cpu));
    columns["task"] = Result(std::move(segments.task));
    columns["job"] = Result(std::move(segments.job));
    return columns;
}

nb::dict job_columns(Jobs &&jobs) {
    nb::dict columns;
    columns["task"] = Result(std::move(jobs.task));
    columns["job"] = Result(std::move(jobs.job));
    columns["release"] = Result(std::move(jobs.release));
    columns["finish"] = Result(std::move(jobs.finish));
    columns["missed"] = Result(std::move(jobs.missed));
    return columns;
}

nb::dict budget_columns(Budgets &&budgets) {
    nb::dict columns;
    columns["tick"] = Result(std::move(budgets.tick));
    columns["server"] = Result(std::move(budgets.server));
    columns["budget"] = Result(std::move(budgets.budget));
    columns["is_charged"] = Result(std::move(budgets.is_charged));
    return columns;
}

nb::dict simulate(const Spec &spec, uint64_t horizon, bool segments, bool jobs, bool budgets,
                  const std::optional<std::string> &trace_path) {
    require(horizon < kTimeLimit, "horizon out of range");
    Simulation simulation(spec);
    Recorder recorder;
    takt_sim_sinks_t sinks = {};
    sinks.context = &recorder;
    sinks.segment = segments ? note_segment : nullptr;
    sinks.job = jobs ? note_job : nullptr;
    sinks.budget = budgets ? note_budget : nullptr;
    run(simulation, horizon, sinks, trace_path);
    if (recorder.out_of_memory) {
        throw std::bad_alloc();
    }
    nb::dict outcome;
    outcome["decisions"] = simulation.get()->decisions;
    outcome["statistics"] = statistics_columns(*simulation.get());
    outcome["segments"] = segment_columns(std::move(recorder.segments));
    outcome["jobs"] = job_columns(std::move(recorder.jobs));
    outcome["budgets"] = budget_columns(std::move(recorder.budgets));
    return outcome;
}

// ---- replay ---------------------------------------------------------------------------------------

// now, value, entity, sequence, kind, cpu, job
using RecordTuple = std::tuple<uint64_t, uint64_t, uint32_t, uint32_t, uint8_t, uint8_t, uint32_t>;

RecordTuple as_tuple(const takt_record_t &record) {
    return {record.now, record.value, record.entity, record.sequence, record.kind, record.cpu, record.job};
}

const char *verdict_name(takt_replay_verdict_t verdict) {
    switch (verdict) {
    case TAKT_REPLAY_IDENTICAL:
        return "identical";
    case TAKT_REPLAY_DIFFERENT:
        return "different";
    default:
        return "invalid";
    }
}

// A built system; destroyed with its scope.
class System {
   public:
    explicit System(const Spec &spec) {
        const takt_system_spec_t c_spec = spec.c_spec();
        if (!takt_system_create(&system_, &c_spec)) {
            throw std::bad_alloc();
        }
    }
    ~System() { takt_system_destroy(&system_); }
    System(const System &) = delete;
    System &operator=(const System &) = delete;

    takt_system_t *get() { return &system_; }

   private:
    takt_system_t system_ = {};
};

// verdict, decisions, record, recorded, replayed
std::tuple<std::string, uint64_t, uint64_t, RecordTuple, RecordTuple> replay(const Spec &spec,
                                                                             const Records &records) {
    require(records.size() % sizeof(takt_record_t) == 0, "an incomplete record");
    require(reinterpret_cast<uintptr_t>(records.data()) % alignof(takt_record_t) == 0,
            "records are not aligned");
    System system(spec);
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result = takt_replay(system.get(), reinterpret_cast<const takt_record_t *>(records.data()),
                             records.size() / sizeof(takt_record_t));
    }
    return {verdict_name(result.verdict), result.decisions, result.record, as_tuple(result.recorded),
            as_tuple(result.replayed)};
}

// ---- tables ---------------------------------------------------------------------------------------

std::vector<std::tuple<std::string, std::string, std::string, bool>> policies() {
    std::vector<std::tuple<std::string, std::string, std::string, bool>> rows;
    for (size_t i = 0; i < takt_policy_count; i++) {
        const takt_policy_t *policy = takt_policies[i];
        rows.emplace_back(policy->name, policy->summary, policy->tie, policy->order == TAKT_ORDER_LEVELS);
    }
    return rows;
}

std::vector<std::tuple<std::string, std::string>> server_kinds() {
    std::vector<std::tuple<std::string, std::string>> rows;
    for (size_t i = 0; i < takt_server_kind_count; i++) {
        rows.emplace_back(takt_server_kinds[i]->name, takt_server_kinds[i]->summary);
    }
    return rows;
}

} // namespace

NB_MODULE(_core, m) {
    m.doc() = "Takt's simulator and replay.";
    m.attr("NEVER") = TAKT_NEVER;
    m.attr("NOBODY") = TAKT_NOBODY;
    m.attr("ENTITY_LIMIT") = TAKT_ENTITY_LIMIT;
    m.attr("TIME_LIMIT") = kTimeLimit;
    m.attr("TRACE_VERSION") = static_cast<int>(TAKT_TRACE_VERSION);
    m.attr("RECORD_COMPLETE") = static_cast<int>(TAKT_RECORD_COMPLETE);
    m.attr("RECORD_DECISION") = static_cast<int>(TAKT_RECORD_DECISION);
    m.def("level_from_priority", &takt_level_from_priority, nb::arg("priority"), nb::arg("levels"));
    m.def("policies", &policies);
    m.def("server_kinds", &server_kinds);

    nb::class_<Result>(m, "Column")
        .def("__arrow_c_array__", &Result::arrow_c_array, nb::arg("requested_schema") = nb::none());

    nb::class_<Spec>(m, "Spec")
        .def(nb::init<const std::string &, uint64_t, uint64_t, uint64_t>(), nb::arg("policy"),
             nb::arg("levels"), nb::arg("order_rows") = 0, nb::arg("time_rows") = 0)
        .def("add_servers", &Spec::add_servers, nb::kw_only(), nb::arg("kinds"), nb::arg("policies"),
             nb::arg("period"), nb::arg("budget"), nb::arg("offset"), nb::arg("level"), nb::arg("home"),
             nb::arg("levels"), nb::arg("order_rows"), nb::arg("time_rows"))
        .def("add_tasks", &Spec::add_tasks, nb::kw_only(), nb::arg("period"), nb::arg("deadline"),
             nb::arg("offset"), nb::arg("demand"), nb::arg("level"), nb::arg("home"), nb::arg("is_limited"),
             nb::arg("preemption_level"), nb::arg("task_class"))
        .def("add_threads", &Spec::add_threads, nb::arg("level"));

    m.def("simulate", &simulate, nb::arg("spec"), nb::arg("horizon"), nb::kw_only(), nb::arg("segments"),
          nb::arg("jobs"), nb::arg("budgets"), nb::arg("trace_path") = nb::none());
    m.def("replay", &replay, nb::arg("spec"), nb::arg("records"));
}
