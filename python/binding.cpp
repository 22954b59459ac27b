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
#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/columns.hpp"
#include "python/names.h"
#include "python/program.hpp"
#include "python/targets.hpp"

extern "C" {
#include "sim/arrivals.h"
#include "sim/replay.h"
#include "sim/recorder.h"
#include "sim/reference.h"
#include "sim/retell.h"
}

namespace nb = nanobind;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace files are little endian");

namespace {

using Records = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// ---- simulation -----------------------------------------------------------------------------------

// Listeners to completions: policies written in Python, and the record of the first late job.
struct Listeners {
    std::vector<PythonPolicy *> policies; // of each task, NULL if it has none; empty if no task has one
    std::vector<uint64_t> deadlines;      // of each task, relative
    uint32_t first_task = 0;
    uint64_t first_late =
        TAKT_NEVER; // the earliest instant at which a late job was due by its task's deadline

    void listen_to(Program &program) {
        policies = program.listeners();
        first_task = 1 + program.spec().server_count;
        for (uint32_t i = 0; i < program.spec().task_count; i++) {
            deadlines.push_back(program.spec().tasks[i].relative_deadline);
        }
    }

    void note_late(uint32_t task, takt_instant_t release) {
        first_late = std::min<uint64_t>(first_late, release + deadlines[task]);
    }

    void report(uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish) const {
        PythonPolicy *policy = policies.empty() ? nullptr : policies[task];
        if (policy != nullptr && finish != TAKT_NEVER) {
            call_python(*policy, [&] {
                policy->object.attr("complete")(first_task + task, job, release, release + deadlines[task],
                                                finish);
            });
        }
    }
};

// What is kept of a run, and what it calls meanwhile.
struct Recording : takt_recorder_t {
    Recording() : takt_recorder_t{} {}
    ~Recording() { takt_recorder_destroy(this); }
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;

    decltype(takt_sim_sinks_t::job) keep_job = nullptr;
    std::exception_ptr failure; // of a policy written in Python, or of `progress`
    Listeners listeners;
    PythonPolicy *key_giver = nullptr;
    uint32_t processors = 1;
    std::optional<nb::object> progress;
};

Recording &recording_of(void *context) {
    return *static_cast<Recording *>(static_cast<takt_recorder_t *>(context));
}

void note_job(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
              bool missed) {
    Recording &recording = recording_of(context);
    recording.listeners.report(task, job, release, finish);
    if (missed) {
        recording.listeners.note_late(task, release);
    }
    if (recording.keep_job != nullptr) {
        recording.keep_job(context, task, job, release, finish, missed);
    }
}

// Asks a policy written in Python for the keys of all jobs.
void rekey_by_python(void *context, takt_instant_t now, takt_sim_job_t *jobs, uint32_t count) {
    const Recording &recording = recording_of(context);
    call_python(*recording.key_giver, [&] {
        nb::list rows;
        for (uint32_t i = 0; i < count; i++) {
            const takt_sim_job_t &job = jobs[i];
            rows.append(nb::make_tuple(recording.listeners.first_task + job.task, job.number, job.release,
                                       job.deadline, job.executed, job.is_running));
        }
        const auto keys = nb::cast<std::vector<uint64_t>>(
            recording.key_giver->object.attr("keys")(now, rows, recording.processors));
        for (uint32_t i = 0; i < count; i++) {
            jobs[i].key = keys.at(i);
        }
    });
}

// Reports the progress of a run; false once something has failed.
bool note_progress(void *context, takt_instant_t now) {
    Recording &recording = recording_of(context);
    if (recording.failure == nullptr && recording.progress) {
        nb::gil_scoped_acquire locked;
        try {
            (*recording.progress)(now);
        } catch (...) {
            recording.failure = std::current_exception();
        }
    }
    return recording.failure == nullptr && !recording.is_short_of_memory;
}

// Appends records to a file whose header is already written.
struct TraceFile {
    takt_trace_t trace; // first member: the callback gets a pointer to it
    FILE *file;
    int error;            // errno of the first write that failed, 0: none has
    uint64_t count, last; // records, and the instant of the last one
};

void write_record(takt_trace_t *trace, const takt_record_t *record) {
    auto *to = reinterpret_cast<TraceFile *>(trace);
    to->count++;
    to->last = record->now;
    if (fwrite(record, sizeof *record, 1, to->file) != 1) {
        to->error = to->error != 0 ? to->error : errno;
    }
}

// A run that failed leaves its trace without the closing record. Work of the kernel may end behind the horizon.
bool close_trace(TraceFile &to, uint64_t horizon, bool is_whole) {
    if (is_whole) {
        const takt_record_t end = takt_trace_end(std::max(horizon, to.last), to.count);
        write_record(&to.trace, &end);
    }
    to.error = fclose(to.file) != 0 && to.error == 0 ? errno : to.error;
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
        sim_.system.is_remote = program->is_remote;
    }
    ~Simulation() { takt_sim_destroy(&sim_); }
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;

    takt_sim_t *get() { return &sim_; }

   private:
    takt_sim_t sim_ = {};
};

void run(Simulation &simulation, const Program &program, const takt_sim_sinks_t &sinks,
         const Recording &recording, const std::optional<std::string> &trace_path) {
    TraceFile to = {{write_record, false}, nullptr, 0, 0, 0};
    if (trace_path && (to.file = fopen(trace_path->c_str(), "ab")) == nullptr) {
        throw_os_error(*trace_path);
    }
    {
        nb::gil_scoped_release unlocked;
        takt_trace_t *trace = to.file != nullptr ? &to.trace : nullptr;
        takt_sim_run(simulation.get(), program->horizon, &sinks, trace);
    }
    const bool is_whole = recording.failure == nullptr && !recording.is_short_of_memory &&
                          !simulation.get()->is_short_of_memory;
    if (to.file != nullptr && !close_trace(to, program->horizon, is_whole)) {
        throw_os_error(*trace_path);
    }
}

template <typename Value>
void put_in_order(void *column, const std::vector<size_t> &order) {
    auto *values = static_cast<Value *>(column);
    std::vector<Value> ordered;
    std::transform(order.begin(), order.end(), std::back_inserter(ordered),
                   [&](size_t place) { return values[place]; });
    std::copy(ordered.begin(), ordered.end(), values);
}

// Sorts segments by their starts, then by processors; on several processors they come by their ends.
void sort_by_start(takt_frame_t &segments) {
    const auto *start = static_cast<const uint64_t *>(segments.columns[0]);
    const auto *cpu = static_cast<const uint32_t *>(segments.columns[2]);
    std::vector<size_t> order(segments.rows);
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::tie(start[a], cpu[a]) < std::tie(start[b], cpu[b]); });
    for (uint32_t i = 0; i < takt_frame_texts[TAKT_FRAME_SEGMENTS].column_count; i++) {
        const bool is_wide = takt_frame_texts[TAKT_FRAME_SEGMENTS].columns[i].width == sizeof(uint64_t);
        (is_wide ? put_in_order<uint64_t> : put_in_order<uint32_t>)(segments.columns[i], order);
    }
}

// One member of every task's statistics as a column.
Column statistic(const takt_sim_t &sim, uint64_t takt_sim_statistics_t::*member) {
    const size_t count = sim.system.task_count;
    auto *values = static_cast<uint64_t *>(malloc(std::max<size_t>(count, 1) * sizeof(uint64_t)));
    if (values == nullptr) {
        throw std::bad_alloc();
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = sim.statistics[i].*member;
    }
    return {values, sizeof(uint64_t), count};
}

nb::dict statistics_of(const takt_sim_t &sim) {
    nb::dict columns;
#define TAKT_STATISTIC_COLUMN(column, ...) columns[#column] = statistic(sim, &takt_sim_statistics_t::column);
    TAKT_STATISTICS(TAKT_STATISTIC_COLUMN)
    return columns;
}

nb::dict figures_of(const takt_architecture_figures_t &figures) {
    nb::dict values;
#define TAKT_FIGURE(column, ...) values[#column] = figures.column;
    TAKT_FIGURES(TAKT_FIGURE)
    return values;
}

// Moves the columns of a frame to Python.
nb::dict columns_of(takt_frame_t &frame, const takt_frame_text_t &text) {
    nb::dict columns;
    for (uint32_t i = 0; i < text.column_count; i++) {
        void *values = std::exchange(frame.columns[i], nullptr);
        columns[text.columns[i].name] = Column(values, text.columns[i].width, frame.rows);
    }
    return columns;
}

nb::dict outcome_of(const takt_sim_t &sim, Recording &recording) {
    nb::dict outcome;
    outcome["decisions"] = sim.decisions;
    outcome["invocations"] = sim.invocations;
    outcome["switches"] = sim.switches;
    outcome["overhead"] = sim.overhead;
    outcome["first_late"] = recording.listeners.first_late;
    outcome["statistics"] = statistics_of(sim);
    outcome["figures"] = figures_of(sim.figures);
    if (sim.system.is_global) {
        sort_by_start(recording.frames[TAKT_FRAME_SEGMENTS]);
    }
    nb::dict frames;
    for (uint32_t i = 0; i < TAKT_FRAME_COUNT; i++) {
        frames[takt_frame_texts[i].name] = columns_of(recording.frames[i], takt_frame_texts[i]);
    }
    outcome["frames"] = frames;
    return outcome;
}

uint32_t frame_bit(const std::string &name) {
    const auto *found = std::find_if(std::begin(takt_frame_texts), std::end(takt_frame_texts),
                                     [&](const takt_frame_text_t &text) { return name == text.name; });
    if (found == std::end(takt_frame_texts)) {
        throw std::invalid_argument("unknown frame " + name);
    }
    return 1u << (found - takt_frame_texts);
}

takt_sim_sinks_t make_sinks(Recording &recording, const std::vector<std::string> &kept) {
    uint32_t bits = 0;
    for (const std::string &name : kept) {
        bits |= frame_bit(name);
    }
    takt_sim_sinks_t sinks = takt_recorder_sinks(&recording, bits);
    recording.keep_job = sinks.job;
    sinks.job = note_job;
    sinks.progress = note_progress;
    if (recording.key_giver != nullptr) {
        sinks.rekey = rekey_by_python;
        sinks.rekey_every = nb::cast<uint64_t>(recording.key_giver->object.attr("tick"));
    }
    return sinks;
}

// Raises what has failed in a run.
void check(Program &program, const Recording &recording, const takt_sim_t &sim) {
    program.let_policies_fail_to(nullptr);
    if (recording.failure != nullptr) {
        std::rethrow_exception(recording.failure);
    }
    if (recording.is_short_of_memory || sim.is_short_of_memory) {
        throw std::bad_alloc();
    }
}

nb::dict simulate(Program &program, const std::vector<std::string> &kept,
                  const std::optional<std::string> &trace_path, const std::optional<nb::object> &progress) {
    Recording recording;
    recording.listeners.listen_to(program);
    recording.progress = progress;
    recording.key_giver = program.key_giver();
    recording.processors = std::max(program.spec().cpu_count, 1u);
    program.let_policies_fail_to(&recording.failure);
    Simulation simulation(program);
    run(simulation, program, make_sinks(recording, kept), recording, trace_path);
    check(program, recording, *simulation.get());
    return outcome_of(*simulation.get(), recording);
}

// ---- linked simulations -----------------------------------------------------------------------------

// One of several linked simulations.
struct Part {
    Recording recording;
    Simulation simulation;
    TraceFile file = {{write_record, false}, nullptr, 0, 0, 0};

    explicit Part(const Program &program) : simulation(program) {}
    ~Part() {
        if (file.file != nullptr) {
            fclose(file.file);
        }
    }
    Part(const Part &) = delete;
    Part &operator=(const Part &) = delete;
};

void prepare(Part &part, Program &program, const std::optional<std::string> &trace_path) {
    part.recording.listeners.listen_to(program);
    part.recording.key_giver = program.key_giver();
    part.recording.processors = std::max(program.spec().cpu_count, 1u);
    program.let_policies_fail_to(&part.recording.failure);
    if (trace_path && (part.file.file = fopen(trace_path->c_str(), "ab")) == nullptr) {
        throw_os_error(*trace_path);
    }
}

void finish_trace(Part &part, uint64_t horizon, bool is_whole, const std::optional<std::string> &path) {
    if (part.file.file != nullptr) {
        const bool is_closed = close_trace(part.file, horizon, is_whole);
        part.file.file = nullptr;
        if (!is_closed) {
            throw_os_error(*path);
        }
    }
}

// For each target the events that each of its edges has lost.
std::vector<std::vector<uint64_t>> lost_of(const takt_links_t *links, const Targets &targets) {
    std::vector<std::vector<uint64_t>> lost(targets.specs.size());
    for (uint32_t target = 0; target < lost.size(); target++) {
        for (uint32_t edge = 0; edge < targets.specs[target].edge_count; edge++) {
            lost[target].push_back(takt_links_lost(links, target, edge));
        }
    }
    return lost;
}

bool is_whole(Part &part) {
    return part.recording.failure == nullptr && !part.recording.is_short_of_memory &&
           !part.simulation.get()->is_short_of_memory;
}

// Links simulations, whose sinks are `sinks`, runs them up to `horizon`, and returns what edges have lost.
std::vector<std::vector<uint64_t>> run_linked(std::deque<Part> &parts, const Targets &targets,
                                              uint64_t horizon, const std::vector<takt_sim_sinks_t> &sinks) {
    std::vector<takt_sim_t *> sims;
    std::vector<takt_trace_t *> traces;
    for (Part &part : parts) {
        sims.push_back(part.simulation.get());
        traces.push_back(part.file.file != nullptr ? &part.file.trace : nullptr);
    }
    for (const takt_target_spec_t &target : targets.specs) {
        sims[target.part]->has_origins |= target.counts_from_origin;
    }
    const std::unique_ptr<takt_links_t, decltype(&takt_links_destroy)> links(
        takt_links_create(sims.data(), static_cast<uint32_t>(sims.size()), targets.specs.data(),
                          static_cast<uint32_t>(targets.specs.size())),
        &takt_links_destroy);
    if (links == nullptr) {
        throw std::bad_alloc();
    }
    {
        nb::gil_scoped_release unlocked;
        takt_links_run(links.get(), horizon, sinks.data(), traces.data());
    }
    return lost_of(links.get(), targets);
}

// Outcomes of all programs, and the events that each edge of each target has lost.
std::tuple<std::vector<nb::dict>, std::vector<std::vector<uint64_t>>> simulate_linked(
    const std::vector<Program *> &programs, const std::vector<TargetRow> &rows,
    const std::vector<std::string> &kept, const std::vector<std::optional<std::string>> &trace_paths,
    const std::optional<nb::object> &progress) {
    std::deque<Part> parts;
    std::vector<takt_sim_sinks_t> sinks;
    for (size_t i = 0; i < programs.size(); i++) {
        Part &part = parts.emplace_back(*programs[i]);
        prepare(part, *programs[i], trace_paths[i]);
        part.recording.progress = i == 0 ? progress : std::nullopt;
        sinks.push_back(make_sinks(part.recording, kept));
    }
    const uint64_t horizon = (*programs[0])->horizon;
    const auto lost = run_linked(parts, Targets(rows), horizon, sinks);
    const bool are_whole = std::all_of(parts.begin(), parts.end(), is_whole);
    for (size_t i = 0; i < parts.size(); i++) {
        finish_trace(parts[i], horizon, are_whole, trace_paths[i]);
    }
    std::vector<nb::dict> outcomes;
    for (size_t i = 0; i < parts.size(); i++) {
        check(*programs[i], parts[i].recording, *parts[i].simulation.get());
        outcomes.push_back(outcome_of(*parts[i].simulation.get(), parts[i].recording));
    }
    return {outcomes, lost};
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
        system_.is_remote = program->is_remote;
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
        to->listeners.report(task, record->job, to->system->tasks[task].job.release, record->value);
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
    Feedback feedback = {{feed_back, false}, system.get(), {}};
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

// What a trace says; as simulate, without what a trace does not contain.
nb::dict retell(Program &program, const Records &records, const std::vector<std::string> &kept) {
    const auto *all = records_of(records);
    Recording recording;
    recording.listeners.listen_to(program);
    program.let_policies_fail_to(&recording.failure);
    Simulation simulation(program);
    simulation.get()->has_origins =
        std::any_of(all, all + records.size() / sizeof(takt_record_t),
                    [](const takt_record_t &record) { return record.kind == TAKT_RECORD_ORIGIN; });
    const takt_sim_sinks_t sinks = make_sinks(recording, kept);
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result = takt_sim_retell(simulation.get(), all, records.size() / sizeof(takt_record_t),
                                 program->horizon, &sinks);
    }
    check(program, recording, *simulation.get());
    if (result.verdict != TAKT_REPLAY_IDENTICAL) {
        throw std::invalid_argument("a trace that replays differently");
    }
    return outcome_of(*simulation.get(), recording);
}

// now, due, selected, job, decided, its job, should_yield
using ReferenceTuple = std::tuple<uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, bool>;

void keep_row(void *context, const takt_reference_row_t *row) {
    static_cast<std::vector<ReferenceTuple> *>(context)->emplace_back(
        row->now, row->due, row->selected, row->job, row->decided, row->decided_job, row->should_yield);
}

// What core selects at each instant of a trace.
std::vector<ReferenceTuple> reference(const Program &program, const Records &records) {
    const auto *all = records_of(records);
    std::vector<ReferenceTuple> rows;
    System system(program);
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result =
            takt_sim_reference(system.get(), all, records.size() / sizeof(takt_record_t), keep_row, &rows);
    }
    if (result.verdict != TAKT_REPLAY_IDENTICAL) {
        throw std::invalid_argument("a trace that replays differently");
    }
    return rows;
}

// Constants that Python has under the same names.
// clang-format off
#define TAKT_CONSTANTS(X) \
    X(NEVER) X(NO_ENTITY) X(ENTITY_LIMIT) X(CPU_LIMIT) X(TRACE_VERSION) X(IMAGE_MAGIC) X(IMAGE_VERSION) \
    X(SHARE_WEIGHTS) X(SHARE_LONGEST) X(RBE_EVENTS) X(RATE_WHOLE) X(RATE_JOBS) X(RATE_LONGEST) \
    X(RATE_WEIGHTS) X(CALLS_BULK) X(RECORD_COMPLETE) X(RECORD_ARRIVAL) X(RECORD_POINT) X(RECORD_SUSPEND) \
    X(RECORD_CHANGE) X(RECORD_ABORT) X(RECORD_SKIP) X(RECORD_SETTLED) X(RECORD_END) X(RECORD_DECISION) \
    X(RECORD_BLOCK) X(RECORD_WAKE) X(RECORD_GRANT) X(RECORD_FREE) X(RECORD_PRIORITY) X(RECORD_CREATE) \
    X(RECORD_LATE) X(RECORD_STALE) X(RECORD_DROPPED) X(RECORD_SIGNAL) X(RECORD_OVERFLOW)
// clang-format on

} // namespace

NB_MODULE(_core, m) {
    m.doc() = "Takt's simulator and replay.";
#define TAKT_CONSTANT(name) m.attr(#name) = static_cast<uint64_t>(TAKT_##name);
    TAKT_CONSTANTS(TAKT_CONSTANT)
    m.attr("TIME_LIMIT") = TAKT_TIME_MOST + 1;
    add_names(m);
    m.def("fields", &fields);
    m.def(
        "name_hash", [](const std::string &name) { return takt_name_hash(name.c_str()); }, nb::arg("name"));
    m.def("level_from_priority", &takt_level_from_priority, nb::arg("priority"), nb::arg("levels"));

    nb::class_<Column>(m, "Column")
        .def("__arrow_c_array__", &Column::arrow_c_array, nb::arg("requested_schema") = nb::none())
        .def("to_list", &Column::to_list)
        .def("__contains__", &Column::contains, nb::arg("value"));

    nb::class_<Program>(m, "Program")
        .def(nb::init<const nb::bytes &, const nb::sequence &>(), nb::arg("image"), nb::arg("policies"));

    m.def("simulate", &simulate, nb::arg("program"), nb::kw_only(), nb::arg("kept"),
          nb::arg("trace_path") = nb::none(), nb::arg("progress") = nb::none());
    m.def("simulate_linked", &simulate_linked, nb::arg("programs"), nb::arg("targets"), nb::kw_only(),
          nb::arg("kept"), nb::arg("trace_paths"), nb::arg("progress") = nb::none());
    m.def("retell", &retell, nb::arg("program"), nb::arg("records"), nb::kw_only(), nb::arg("kept"));
    m.def("reference", &reference, nb::arg("program"), nb::arg("records"));
    m.def("inputs", &inputs, nb::arg("program"));
    m.def("draw", &draw, nb::arg("kind"), nb::arg("a"), nb::arg("b"), nb::arg("least"), nb::arg("most"),
          nb::arg("seed"), nb::arg("task"), nb::arg("jobs"));
    m.def("replay", &replay, nb::arg("program"), nb::arg("records"));
}
