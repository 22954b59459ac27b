/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding: the simulator and replay as a Python module, takt._core.
//
// Thin on purpose: a description comes in as an image (system/image.h), results go out as columns in the Arrow C data
// interface, and no scheduling decision is made here. C checks an image first (system/check.h), because replay
// builds systems from files that may be damaged. The interpreter's lock is released while C runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/names.h"

extern "C" {
#include "policy/table.h"
#include "sim/architecture.h"
#include "sim/arrivals.h"
#include "sim/global.h"
#include "sim/replay.h"
#include "sim/retell.h"
#include "sim/sim.h"
#include "system/check.h"
}

namespace nb = nanobind;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace files are little endian");

namespace {

// ---- columns in -------------------------------------------------------------------------------

using Column = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Records = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// ---- policies written in Python ------------------------------------------------------------------

// A policy whose release calls an object's release(entity, number, release, deadline) -> key. The first
// exception ends the run and is raised in the caller of that run; until then keys are the least urgent ones.
struct PythonPolicy {
    takt_policy_t policy; // first member: core hands a pointer to it
    nb::object object;
    std::exception_ptr *failure; // of the current run
};

template <typename Call>
void call_python(const PythonPolicy &policy, Call call) {
    if (policy.failure == nullptr || *policy.failure != nullptr) {
        return;
    }
    nb::gil_scoped_acquire locked;
    try {
        call();
    } catch (...) {
        *policy.failure = std::current_exception();
    }
}

void release_by_python(takt_entity_t *entity, const takt_job_t *job) {
    const auto *policy = reinterpret_cast<const PythonPolicy *>(entity->home->policy);
    entity->key = TAKT_KEY_LEAST_URGENT;
    entity->tie = takt_tie_by_class_and_id(entity, job);
    call_python(*policy, [&] {
        const auto key = nb::cast<uint64_t>(policy->object.attr("release")(
            takt_entity_number(entity), job->number, job->release, job->deadline));
        if (key < 1 || key > TAKT_KEY_LEAST_URGENT) {
            throw std::invalid_argument("the key " + std::to_string(key) + " is not in 1 .. 2^63 - 1");
        }
        entity->key = key;
    });
}

takt_policy_t make_python_policy() {
    takt_policy_t policy = {};
    policy.version = TAKT_POLICY_VERSION;
    policy.size = sizeof(takt_policy_t);
    policy.order = TAKT_ORDER_KEYS;
    policy.name = "python";
    policy.summary = "a policy written in Python";
    policy.tie = TAKT_TIE_BY_CLASS_AND_ID;
    policy.release = release_by_python;
    return policy;
}

// ---- programs ------------------------------------------------------------------------------------

// One field of an image, as in fields.def.
struct FieldText {
    const char *key, *kind, *unit, *least, *most, *initial, *meaning;
};

#define TAKT_FIELD_TEXT(record, type, member, key, kind, unit, least, most, initial, meaning) \
    {#key, #kind, unit, #least, #most, #initial, meaning},
#define TAKT_TABLE_TEXTS(place, record, list, least, most, meaning) \
    const FieldText texts_of_##place[] = {TAKT_##list##_FIELDS(TAKT_FIELD_TEXT, record)};
#define TAKT_TABLE_TEXT(place, record, list, least, most, meaning) {#place, meaning, texts_of_##place},

TAKT_TABLES(TAKT_TABLE_TEXTS)

const struct {
    const char *name, *meaning;
    const FieldText *fields;
} table_texts[] = {TAKT_TABLES(TAKT_TABLE_TEXT)};

using FieldRow =
    std::tuple<std::string, std::string, std::string, uint64_t, uint64_t, std::string, std::string>;

// For each table its name, its meaning, and its fields: key, kind, unit, least, most, initial value, meaning.
std::vector<std::tuple<std::string, std::string, std::vector<FieldRow>>> fields() {
    std::vector<std::tuple<std::string, std::string, std::vector<FieldRow>>> tables;
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        std::vector<FieldRow> rows;
        for (uint32_t i = 0; i < takt_layouts[table].field_count; i++) {
            const FieldText &text = table_texts[table].fields[i];
            const takt_field_t &field = takt_layouts[table].fields[i];
            rows.emplace_back(text.key, text.kind, text.unit, field.least, field.most, text.initial,
                              text.meaning);
        }
        tables.emplace_back(table_texts[table].name, table_texts[table].meaning, rows);
    }
    return tables;
}

// A program read from an image; what C points to does not move.
class Program {
   public:
    Program(const nb::bytes &image, const nb::sequence &policies) : words_(image.size() / sizeof(uint64_t)) {
        memcpy(words_.data(), image.c_str(), words_.size() * sizeof(uint64_t));
        for (const nb::handle policy : policies) {
            python_policies_.push_back({make_python_policy(), nb::borrow(policy), nullptr});
            policies_.push_back(&python_policies_.back().policy);
        }
        read();
        takt_place_t place = {};
        const takt_relation_t broken = takt_check(&program_, &place);
        if (broken != TAKT_RELATIONS) {
            throw std::invalid_argument(takt_relation_message(broken));
        }
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    const takt_program_t *operator->() const { return &program_; }
    const takt_system_spec_t &spec() const { return program_.spec; }
    bool has_several_cpus() const { return program_.spec.cpu_count > 0; }

    takt_sim_options_t options() const {
        return {program_.seed, program_.costs != nullptr ? *program_.costs : takt_sim_costs_t{}};
    }

    // Receives exceptions of policies written in Python; NULL: they are not called.
    void let_policies_fail_to(std::exception_ptr *failure) {
        for (PythonPolicy &policy : python_policies_) {
            policy.failure = failure;
        }
    }

    // The policies to notify of completions: for each task that of its parent, or NULL. Empty if there is none.
    std::vector<PythonPolicy *> listeners() {
        std::vector<PythonPolicy *> listeners;
        for (uint32_t i = 0; !python_policies_.empty() && i < spec().task_count; i++) {
            listeners.push_back(python_policy_at(spec().tasks[i].server));
        }
        return listeners;
    }

   private:
    void read() {
        takt_image_t image = {
            words_.data(), words_.size(), policies_.data(), static_cast<uint32_t>(policies_.size()), {}};
        uint64_t bytes = 0;
        takt_image_status_t status = takt_image_size(&image, &bytes);
        if (status == TAKT_IMAGE_OK) {
            memory_.resize(bytes / sizeof(Block) + 1);
            status = takt_image_read(&image, &program_, memory_.data());
        }
        if (status != TAKT_IMAGE_OK) {
            throw std::invalid_argument(text_of(image, status));
        }
    }

    // The error, with the key and the value if it is a field.
    std::string text_of(const takt_image_t &image, takt_image_status_t status) const {
        if (status != TAKT_IMAGE_WRONG_VALUE || image.place.table == TAKT_TABLE_COUNT) {
            return takt_image_message(status);
        }
        const FieldText &field = table_texts[image.place.table].fields[image.place.field];
        return std::string(field.key) + " " + std::to_string(word_at(image.place)) + " out of range";
    }

    uint64_t word_at(const takt_place_t &place) const {
        const uint64_t *counts = words_.data() + 3;
        uint64_t at = 3 + TAKT_TABLE_COUNT;
        for (uint32_t table = 0; table < place.table; table++) {
            at += counts[table] * takt_layouts[table].field_count;
        }
        return words_[at + uint64_t{place.row} * takt_layouts[place.table].field_count + place.field];
    }

    PythonPolicy *python_policy_at(int32_t server) {
        const int32_t place = takt_system_place(&spec(), server);
        const takt_policy_t *wanted = place == TAKT_ROOT ? spec().policy : spec().servers[place].policy;
        for (PythonPolicy &policy : python_policies_) {
            if (&policy.policy == wanted) {
                return &policy;
            }
        }
        return nullptr;
    }

    struct alignas(16) Block {
        char bytes[16];
    };

    std::deque<PythonPolicy> python_policies_;
    std::vector<const takt_policy_t *> policies_;
    std::vector<uint64_t> words_;
    std::vector<Block> memory_;
    takt_program_t program_ = {};
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

// The owner that an exported array keeps alive.
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

// A finished column of numbers, shared with every importer.
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

struct Points {
    std::vector<uint64_t> instant;
    std::vector<uint32_t> task, job;
    std::vector<uint8_t> optional, should_yield;
};

struct Locks {
    std::vector<uint64_t> instant;
    std::vector<uint32_t> task, job, resource;
    std::vector<uint8_t> what;
};

struct KernelSegments {
    std::vector<uint64_t> start, end;
    std::vector<uint32_t> what;
};

struct Allocations {
    std::vector<uint64_t> instant, rate, budget, period;
    std::vector<uint32_t> task;
    std::vector<uint8_t> event;
};

// Additional columns of jobs in rate-based systems.
struct Windows {
    std::vector<uint64_t> deadline;
    std::vector<uint8_t> missed;
};

struct Ledger {
    std::vector<uint64_t> instant, reserved;
};

struct Budgets {
    std::vector<uint64_t> tick, budget;
    std::vector<uint32_t> server;
    std::vector<uint8_t> is_charged;
    std::vector<size_t> last; // of each server: its last row
};

// The columns that the sinks of one run fill.
// Policies written in Python that learn of completions.
struct Listeners {
    std::vector<PythonPolicy *> policies; // of each task, NULL if it has none; empty if no task has one
    std::vector<uint64_t> deadlines;      // of each task, relative
    uint32_t first_task = 0;

    void listen_to(Program &program) {
        policies = program.listeners();
        first_task = 1 + program.spec().server_count;
        for (uint32_t i = 0; i < program.spec().task_count; i++) {
            deadlines.push_back(program.spec().tasks[i].relative_deadline);
        }
    }

    void tell(uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish) const {
        PythonPolicy *policy = policies.empty() ? nullptr : policies[task];
        if (policy != nullptr && finish != TAKT_NEVER) {
            call_python(*policy, [&] {
                policy->object.attr("complete")(first_task + task, job, release, release + deadlines[task],
                                                finish);
            });
        }
    }
};

struct Recorder {
    Segments segments;
    Jobs jobs;
    Budgets budgets;
    Points points;
    Locks locks;
    KernelSegments kernel_segments;
    takt_architecture_figures_t figures = {};
    Allocations allocations;
    Windows windows;
    Ledger ledger;
    bool out_of_memory = false;
    bool keeps_jobs = false;
    std::exception_ptr failure; // of a policy written in Python, or of `progress`
    Listeners listeners;
    std::optional<nb::object> progress;
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
        to.listeners.tell(task, job, release, finish);
        if (!to.keeps_jobs) {
            return;
        }
        to.jobs.task.push_back(task);
        to.jobs.job.push_back(job);
        to.jobs.release.push_back(release);
        to.jobs.finish.push_back(finish);
        to.jobs.missed.push_back(missed ? 1 : 0);
    });
}

// Whether a budget is what the last row of its server leads to: between two rows it falls if it is charged.
bool follows(Budgets &budgets, takt_instant_t now, uint32_t server, takt_duration_t budget, bool is_charged) {
    budgets.last.resize(std::max<size_t>(budgets.last.size(), server + 1), SIZE_MAX);
    const size_t row = budgets.last[server];
    if (row == SIZE_MAX || (budgets.is_charged[row] != 0) != is_charged) {
        return false;
    }
    const takt_duration_t used = is_charged ? now - budgets.tick[row] : 0;
    return budgets.budget[row] >= used && budgets.budget[row] - used == budget;
}

void note_budget(void *context, takt_instant_t now, uint32_t server, takt_duration_t budget,
                 bool is_charged) {
    append_to(context, [=](Recorder &to) {
        if (follows(to.budgets, now, server, budget, is_charged)) {
            return;
        }
        to.budgets.last[server] = to.budgets.tick.size();
        to.budgets.tick.push_back(now);
        to.budgets.server.push_back(server);
        to.budgets.budget.push_back(budget);
        to.budgets.is_charged.push_back(is_charged ? 1 : 0);
    });
}

void note_point(void *context, takt_instant_t now, uint32_t task, uint32_t job, bool is_optional,
                bool should_yield) {
    append_to(context, [=](Recorder &to) {
        to.points.instant.push_back(now);
        to.points.task.push_back(task);
        to.points.job.push_back(job);
        to.points.optional.push_back(is_optional ? 1 : 0);
        to.points.should_yield.push_back(should_yield ? 1 : 0);
    });
}

void note_lock(void *context, takt_instant_t now, uint32_t task, uint32_t job, uint32_t resource,
               takt_sim_lock_t what) {
    append_to(context, [=](Recorder &to) {
        to.locks.instant.push_back(now);
        to.locks.task.push_back(task);
        to.locks.job.push_back(job);
        to.locks.resource.push_back(resource);
        to.locks.what.push_back(static_cast<uint8_t>(what));
    });
}

void note_kernel(void *context, takt_instant_t start, takt_instant_t end, takt_sim_kernel_work_t what) {
    append_to(context, [=](Recorder &to) {
        to.kernel_segments.start.push_back(start);
        to.kernel_segments.end.push_back(end);
        to.kernel_segments.what.push_back(static_cast<uint32_t>(what));
    });
}

void note_allocation(void *context, takt_instant_t now, uint32_t task, takt_allocation_event_t event,
                     uint64_t rate, takt_duration_t budget, takt_duration_t period) {
    append_to(context, [=](Recorder &to) {
        to.allocations.instant.push_back(now);
        to.allocations.task.push_back(task);
        to.allocations.event.push_back(static_cast<uint8_t>(event));
        to.allocations.rate.push_back(rate);
        to.allocations.budget.push_back(budget);
        to.allocations.period.push_back(period);
    });
}

void note_window(void *context, uint32_t, uint32_t, takt_instant_t deadline, bool missed) {
    append_to(context, [=](Recorder &to) {
        to.windows.deadline.push_back(deadline);
        to.windows.missed.push_back(missed ? 1 : 0);
    });
}

void note_ledger(void *context, takt_instant_t now, uint64_t reserved) {
    append_to(context, [=](Recorder &to) {
        if (to.ledger.reserved.empty() || to.ledger.reserved.back() != reserved) {
            to.ledger.instant.push_back(now);
            to.ledger.reserved.push_back(reserved);
        }
    });
}

// Reports the progress of a run; false once something has failed.
bool note_progress(void *context, takt_instant_t now) {
    auto *recorder = static_cast<Recorder *>(context);
    if (recorder->failure == nullptr && recorder->progress) {
        nb::gil_scoped_acquire locked;
        try {
            (*recorder->progress)(now);
        } catch (...) {
            recorder->failure = std::current_exception();
        }
    }
    return recorder->failure == nullptr && !recorder->out_of_memory;
}

// Appends records to a file whose header is already written.
struct TraceFile {
    takt_trace_t trace; // first member: the callback gets a pointer to it
    FILE *file;
    int error; // errno of the first write that failed, 0: none has
    uint64_t count;
};

void write_record(takt_trace_t *trace, const takt_record_t *record) {
    auto *to = reinterpret_cast<TraceFile *>(trace);
    to->count++;
    if (fwrite(record, sizeof *record, 1, to->file) != 1) {
        to->error = to->error != 0 ? to->error : errno;
    }
}

// A run that failed leaves its trace without the closing record.
bool close_trace(TraceFile &to, uint64_t horizon, bool is_whole) {
    if (is_whole) {
        const takt_record_t end = takt_trace_end(horizon, to.count);
        write_record(&to.trace, &end);
    }
    if (fclose(to.file) != 0 && to.error == 0) {
        to.error = errno;
    }
    errno = to.error;
    return to.error == 0;
}

[[noreturn]] void throw_os_error(const std::string &path) {
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
    throw nb::python_error();
}

// A built simulation; destroyed with its scope.
class Simulation {
   public:
    explicit Simulation(const Program &program) {
        const takt_sim_options_t options = program.options();
        if (!takt_sim_create(&sim_, &program.spec(), &options)) {
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

void run(Simulation &simulation, const Program &program, const takt_sim_sinks_t &sinks, Recorder &recorder,
         const std::optional<std::string> &trace_path) {
    TraceFile to = {{write_record}, nullptr, 0, 0};
    if (trace_path && (to.file = fopen(trace_path->c_str(), "ab")) == nullptr) {
        throw_os_error(*trace_path);
    }
    {
        nb::gil_scoped_release unlocked;
        takt_trace_t *trace = to.file != nullptr ? &to.trace : nullptr;
        const uint64_t horizon = program->horizon;
        if (program->architecture != nullptr) {
            takt_architecture_run(simulation.get(), program->architecture, horizon, &sinks, trace,
                                  &recorder.figures);
        } else if (program.has_several_cpus()) {
            takt_global_run(simulation.get(), horizon, &sinks, trace);
        } else {
            takt_sim_run(simulation.get(), horizon, &sinks, trace);
        }
    }
    const bool is_whole =
        recorder.failure == nullptr && !recorder.out_of_memory && !simulation.get()->is_short_of_memory;
    if (to.file != nullptr && !close_trace(to, program->horizon, is_whole)) {
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

Result calls_column(const takt_sim_t &sim, uint64_t takt_sim_calls_t::*member) {
    std::vector<uint64_t> values(sim.system.task_count);
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = takt_sim_calls_of(&sim, static_cast<uint32_t>(i)).*member;
    }
    return Result(std::move(values));
}

nb::dict statistics_columns(const takt_sim_t &sim) {
    nb::dict columns;
    columns["released"] = statistic(sim, &takt_sim_statistics_t::released);
    columns["finished"] = statistic(sim, &takt_sim_statistics_t::finished);
    columns["missed"] = statistic(sim, &takt_sim_statistics_t::missed);
    columns["missed_requested"] = statistic(sim, &takt_sim_statistics_t::missed_requested);
    columns["aborted"] = statistic(sim, &takt_sim_statistics_t::aborted);
    columns["skipped"] = statistic(sim, &takt_sim_statistics_t::skipped);
    columns["overruns"] = statistic(sim, &takt_sim_statistics_t::overruns);
    columns["cut"] = statistic(sim, &takt_sim_statistics_t::cut);
    columns["optional_executed"] = statistic(sim, &takt_sim_statistics_t::optional_executed);
    columns["optional_wanted"] = statistic(sim, &takt_sim_statistics_t::optional_wanted);
    columns["preemptions"] = statistic(sim, &takt_sim_statistics_t::preemptions);
    columns["migrations"] = statistic(sim, &takt_sim_statistics_t::migrations);
    columns["allocator_calls"] = calls_column(sim, &takt_sim_calls_t::all);
    columns["feedback_calls"] = calls_column(sim, &takt_sim_calls_t::feedback);
    columns["response_min"] = statistic(sim, &takt_sim_statistics_t::response_min);
    columns["response_max"] = statistic(sim, &takt_sim_statistics_t::response_max);
    columns["response_sum"] = statistic(sim, &takt_sim_statistics_t::response_sum);
    columns["busy"] = statistic(sim, &takt_sim_statistics_t::busy);
    return columns;
}

template <typename Value>
std::vector<Value> in_order(const std::vector<Value> &values, const std::vector<size_t> &order) {
    std::vector<Value> ordered;
    ordered.reserve(values.size());
    for (const size_t place : order) {
        ordered.push_back(values[place]);
    }
    return ordered;
}

// By their starts, then by processors; on several processors they come by their ends.
Segments by_start(const Segments &segments) {
    std::vector<size_t> order(segments.start.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return std::tie(segments.start[a], segments.cpu[a]) < std::tie(segments.start[b], segments.cpu[b]);
    });
    return {in_order(segments.start, order), in_order(segments.end, order), in_order(segments.cpu, order),
            in_order(segments.task, order), in_order(segments.job, order)};
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

nb::dict point_columns(Points &&points) {
    nb::dict columns;
    columns["instant"] = Result(std::move(points.instant));
    columns["task"] = Result(std::move(points.task));
    columns["job"] = Result(std::move(points.job));
    columns["optional"] = Result(std::move(points.optional));
    columns["should_yield"] = Result(std::move(points.should_yield));
    return columns;
}

nb::dict lock_columns(Locks &&locks) {
    nb::dict columns;
    columns["instant"] = Result(std::move(locks.instant));
    columns["task"] = Result(std::move(locks.task));
    columns["job"] = Result(std::move(locks.job));
    columns["resource"] = Result(std::move(locks.resource));
    columns["what"] = Result(std::move(locks.what));
    return columns;
}

nb::dict kernel_columns(KernelSegments &&segments) {
    nb::dict columns;
    columns["start"] = Result(std::move(segments.start));
    columns["end"] = Result(std::move(segments.end));
    columns["what"] = Result(std::move(segments.what));
    return columns;
}

nb::dict figures_of(const takt_architecture_figures_t &figures) {
    nb::dict values;
    values["switch_steps"] = figures.switch_steps;
    values["dispatches"] = figures.dispatches;
    values["scheduler_time"] = figures.scheduler_time;
    values["switch_time"] = figures.switch_time;
    values["max_start_jitter"] = figures.max_start_jitter;
    return values;
}

nb::dict allocation_columns(Allocations &&allocations) {
    nb::dict columns;
    columns["instant"] = Result(std::move(allocations.instant));
    columns["task"] = Result(std::move(allocations.task));
    columns["event"] = Result(std::move(allocations.event));
    columns["rate"] = Result(std::move(allocations.rate));
    columns["budget"] = Result(std::move(allocations.budget));
    columns["period"] = Result(std::move(allocations.period));
    return columns;
}

nb::dict window_columns(Windows &&windows) {
    nb::dict columns;
    columns["deadline"] = Result(std::move(windows.deadline));
    columns["missed_requested"] = Result(std::move(windows.missed));
    return columns;
}

nb::dict ledger_columns(Ledger &&ledger) {
    nb::dict columns;
    columns["instant"] = Result(std::move(ledger.instant));
    columns["reserved"] = Result(std::move(ledger.reserved));
    return columns;
}

// Which results of a run to keep.
struct Wishes {
    bool segments, jobs, budgets, points, locks, rates;
};

takt_sim_sinks_t make_sinks(Recorder &recorder, const Wishes &wishes) {
    takt_sim_sinks_t sinks = {};
    sinks.context = &recorder;
    sinks.segment = wishes.segments ? note_segment : nullptr;
    sinks.job = wishes.jobs || !recorder.listeners.policies.empty() ? note_job : nullptr;
    sinks.budget = wishes.budgets ? note_budget : nullptr;
    sinks.point = wishes.points ? note_point : nullptr;
    sinks.lock = wishes.locks ? note_lock : nullptr;
    sinks.kernel = wishes.segments ? note_kernel : nullptr;
    sinks.allocation = wishes.rates ? note_allocation : nullptr;
    sinks.ledger = wishes.rates ? note_ledger : nullptr;
    sinks.window = wishes.jobs ? note_window : nullptr;
    sinks.progress = note_progress;
    return sinks;
}

nb::dict outcome_of(const takt_sim_t &sim, Recorder &&recorder) {
    nb::dict outcome;
    outcome["decisions"] = sim.decisions;
    outcome["invocations"] = sim.invocations;
    outcome["switches"] = sim.switches;
    outcome["overhead"] = sim.overhead;
    outcome["statistics"] = statistics_columns(sim);
    outcome["segments"] =
        segment_columns(sim.system.is_global ? by_start(recorder.segments) : std::move(recorder.segments));
    outcome["jobs"] = job_columns(std::move(recorder.jobs));
    outcome["budgets"] = budget_columns(std::move(recorder.budgets));
    outcome["points"] = point_columns(std::move(recorder.points));
    outcome["locks"] = lock_columns(std::move(recorder.locks));
    outcome["kernel_segments"] = kernel_columns(std::move(recorder.kernel_segments));
    outcome["figures"] = figures_of(recorder.figures);
    outcome["rates"] = allocation_columns(std::move(recorder.allocations));
    outcome["windows"] = window_columns(std::move(recorder.windows));
    outcome["ledger"] = ledger_columns(std::move(recorder.ledger));
    return outcome;
}

nb::dict simulate(Program &program, bool segments, bool jobs, bool budgets, bool points, bool locks,
                  bool rates, const std::optional<std::string> &trace_path,
                  const std::optional<nb::object> &progress) {
    Recorder recorder;
    recorder.keeps_jobs = jobs;
    recorder.listeners.listen_to(program);
    recorder.progress = progress;
    program.let_policies_fail_to(&recorder.failure);
    Simulation simulation(program);
    const takt_sim_sinks_t sinks = make_sinks(recorder, {segments, jobs, budgets, points, locks, rates});
    run(simulation, program, sinks, recorder, trace_path);
    program.let_policies_fail_to(nullptr);
    if (recorder.failure != nullptr) {
        std::rethrow_exception(recorder.failure);
    }
    if (recorder.out_of_memory || simulation.get()->is_short_of_memory) {
        throw std::bad_alloc();
    }
    return outcome_of(*simulation.get(), std::move(recorder));
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
    explicit System(const Program &program) {
        if (!takt_system_create(&system_, &program.spec())) {
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

// ---- inputs --------------------------------------------------------------------------------------

// instant, nominal instant of an arrival, kind, index of the task or of the change: in the order in which they come
using Inputs =
    std::tuple<std::vector<uint64_t>, std::vector<uint64_t>, std::vector<uint64_t>, std::vector<uint64_t>>;

void note_input(Inputs &inputs, const takt_arrival_t &input, takt_input_kind_t kind, uint64_t index) {
    std::get<0>(inputs).push_back(input.instant);
    std::get<1>(inputs).push_back(kind == TAKT_INPUT_ARRIVAL ? input.nominal : input.instant);
    std::get<2>(inputs).push_back(kind);
    std::get<3>(inputs).push_back(index);
}

// External inputs before the horizon.
Inputs inputs(const Program &program) {
    const uint64_t horizon = program->horizon;
    Simulation simulation(program);
    takt_sim_t *sim = simulation.get();
    takt_arrival_t input;
    Inputs inputs;
    for (const takt_sim_source_t *source = nullptr;
         horizon > 0 && (source = takt_sim_arrivals_take(sim, horizon - 1, &input)) != nullptr;) {
        if (source->task < TAKT_SIM_POLICIES) {
            note_input(inputs, input, TAKT_INPUT_ARRIVAL, source->task);
            continue;
        }
        note_input(inputs, input, TAKT_INPUT_CHANGE, input.nominal);
        if (source->task == TAKT_SIM_CHANGES) {
            takt_sim_arrivals_change(sim, static_cast<uint32_t>(input.nominal));
        }
    }
    return inputs;
}

// The execution times of the first `jobs` jobs of task `index`, drawn from its distribution in a run of `seed`.
std::vector<uint64_t> draw(uint32_t kind, double a, double b, uint64_t least, uint64_t most, uint64_t seed,
                           uint32_t index, size_t jobs) {
    takt_stream_t stream = {};
    stream.kind = static_cast<takt_stream_kind_t>(kind);
    stream.a = a;
    stream.b = b;
    stream.least = least;
    stream.most = most;
    std::vector<uint64_t> values(jobs);
    for (size_t job = 0; job < jobs; job++) {
        values[job] = takt_stream_at(&stream, {seed, index, TAKT_STREAM_DEMAND}, job);
    }
    return values;
}

// Notifies policies of completions in a replay, at the same instants as a simulation.
struct Feedback {
    takt_trace_t trace; // first member: the callback gets a pointer to it
    const takt_system_t *system;
    Listeners listeners;
};

void feed_back(takt_trace_t *trace, const takt_record_t *record) {
    const auto *to = reinterpret_cast<const Feedback *>(trace);
    const uint32_t task = record->entity - to->listeners.first_task;
    if (record->kind == TAKT_RECORD_COMPLETE && task < to->system->task_count) {
        to->listeners.tell(task, record->job, to->system->tasks[task].job.release, record->value);
    }
}

// Whole records at a place where C may read them.
const takt_record_t *records_of(const Records &records) {
    const bool is_aligned = reinterpret_cast<uintptr_t>(records.data()) % alignof(takt_record_t) == 0;
    if (records.size() % sizeof(takt_record_t) != 0 || !is_aligned) {
        throw std::invalid_argument("records that are not whole, or not aligned");
    }
    return reinterpret_cast<const takt_record_t *>(records.data());
}

// verdict, decisions, record, recorded, replayed
std::tuple<std::string, uint64_t, uint64_t, RecordTuple, RecordTuple> replay(Program &program,
                                                                             const Records &records) {
    const auto *all = records_of(records);
    std::exception_ptr failure;
    program.let_policies_fail_to(&failure);
    System system(program);
    Feedback feedback = {{feed_back}, system.get(), {}};
    feedback.listeners.listen_to(program);
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result = takt_replay_observed(system.get(), all, records.size() / sizeof(takt_record_t),
                                      feedback.listeners.policies.empty() ? nullptr : &feedback.trace);
    }
    program.let_policies_fail_to(nullptr);
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
    return {verdict_name(result.verdict), result.decisions, result.record, as_tuple(result.recorded),
            as_tuple(result.replayed)};
}

// The jobs of a trace; as simulate, without what a trace does not contain.
nb::dict retell(Program &program, const Records &records) {
    const auto *all = records_of(records);
    Recorder recorder;
    recorder.keeps_jobs = true;
    recorder.listeners.listen_to(program);
    program.let_policies_fail_to(&recorder.failure);
    Simulation simulation(program);
    const takt_sim_sinks_t sinks = make_sinks(recorder, {false, true, false, false, false, false});
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result = takt_sim_retell(simulation.get(), all, records.size() / sizeof(takt_record_t),
                                 program->horizon, &sinks);
    }
    program.let_policies_fail_to(nullptr);
    if (recorder.failure != nullptr) {
        std::rethrow_exception(recorder.failure);
    }
    if (result.verdict != TAKT_REPLAY_IDENTICAL) {
        throw std::invalid_argument("a trace that replays differently");
    }
    if (recorder.out_of_memory) {
        throw std::bad_alloc();
    }
    return outcome_of(*simulation.get(), std::move(recorder));
}

} // namespace

NB_MODULE(_core, m) {
    m.doc() = "Takt's simulator and replay.";
    m.attr("NEVER") = TAKT_NEVER;
    add_names(m);
    m.attr("NOBODY") = TAKT_NOBODY;
    m.attr("ENTITY_LIMIT") = TAKT_ENTITY_LIMIT;
    m.attr("TIME_LIMIT") = TAKT_TIME_MOST + 1;
    m.attr("CPU_LIMIT") = TAKT_CPU_LIMIT;
    m.attr("TRACE_VERSION") = static_cast<int>(TAKT_TRACE_VERSION);
    m.attr("SHARE_WEIGHTS") = static_cast<int>(TAKT_SHARE_WEIGHTS);
    m.attr("SHARE_LONGEST") = TAKT_SHARE_LONGEST;
    m.attr("RBE_EVENTS") = static_cast<int>(TAKT_RBE_EVENTS);
    m.attr("RATE_WHOLE") = TAKT_RATE_WHOLE;
    m.attr("RATE_JOBS") = static_cast<int>(TAKT_RATE_JOBS);
    m.attr("CALLS_BULK") = static_cast<int>(TAKT_CALLS_BULK);
    m.attr("RATE_LONGEST") = TAKT_RATE_LONGEST;
    m.attr("RATE_WEIGHTS") = TAKT_RATE_WEIGHTS;
    m.attr("RECORD_COMPLETE") = static_cast<int>(TAKT_RECORD_COMPLETE);
    m.attr("RECORD_ARRIVAL") = static_cast<int>(TAKT_RECORD_ARRIVAL);
    m.attr("RECORD_POINT") = static_cast<int>(TAKT_RECORD_POINT);
    m.attr("RECORD_SUSPEND") = static_cast<int>(TAKT_RECORD_SUSPEND);
    m.attr("RECORD_CHANGE") = static_cast<int>(TAKT_RECORD_CHANGE);
    m.attr("RECORD_ABORT") = static_cast<int>(TAKT_RECORD_ABORT);
    m.attr("RECORD_SKIP") = static_cast<int>(TAKT_RECORD_SKIP);
    m.attr("RECORD_SETTLED") = static_cast<int>(TAKT_RECORD_SETTLED);
    m.attr("RECORD_END") = static_cast<int>(TAKT_RECORD_END);
    m.attr("RECORD_DECISION") = static_cast<int>(TAKT_RECORD_DECISION);
    m.attr("IMAGE_MAGIC") = TAKT_IMAGE_MAGIC;
    m.attr("IMAGE_VERSION") = static_cast<int>(TAKT_IMAGE_VERSION);
    m.def("fields", &fields);
    m.def(
        "name_hash", [](const std::string &name) { return takt_name_hash(name.c_str()); }, nb::arg("name"));
    m.def("level_from_priority", &takt_level_from_priority, nb::arg("priority"), nb::arg("levels"));

    nb::class_<Result>(m, "Column")
        .def("__arrow_c_array__", &Result::arrow_c_array, nb::arg("requested_schema") = nb::none());

    nb::class_<Program>(m, "Program")
        .def(nb::init<const nb::bytes &, const nb::sequence &>(), nb::arg("image"), nb::arg("policies"));

    m.def("simulate", &simulate, nb::arg("program"), nb::kw_only(), nb::arg("segments"), nb::arg("jobs"),
          nb::arg("budgets"), nb::arg("points"), nb::arg("locks"), nb::arg("rates") = false,
          nb::arg("trace_path") = nb::none(), nb::arg("progress") = nb::none());
    m.def("retell", &retell, nb::arg("program"), nb::arg("records"));
    m.def("inputs", &inputs, nb::arg("program"));
    m.def("draw", &draw, nb::arg("kind"), nb::arg("a"), nb::arg("b"), nb::arg("least"), nb::arg("most"),
          nb::arg("seed"), nb::arg("task"), nb::arg("jobs"));
    m.def("replay", &replay, nb::arg("program"), nb::arg("records"));
}
