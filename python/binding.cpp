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

#include <algorithm>
#include <cerrno>
#include <cstdio>
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
#include "policy/rate_based.h"
#include "policy/table.h"
#include "sim/architecture.h"
#include "sim/arrivals.h"
#include "sim/global.h"
#include "sim/replay.h"
#include "sim/retell.h"
#include "sim/sim.h"
#include "system/image.h"
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

void require_length(size_t count, std::initializer_list<size_t> sizes) {
    for (size_t size : sizes) {
        require(size == count, "columns of different length");
    }
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

// ---- policies written in Python ------------------------------------------------------------------

// A policy whose release calls an object's release(entity, number, release, deadline) -> key. The first
// exception ends the run and is raised by whoever started it; until then keys are the least urgent ones.
struct PythonPolicy {
    takt_policy_t policy; // first member: core hands a pointer to it
    nb::object object;
    std::exception_ptr *failure; // of the run that goes on
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
            static_cast<uint32_t>(entity->id), job->number, job->release, job->deadline));
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

// ---- the description of a system ----------------------------------------------------------------

takt_stream_kind_t stream_kind(const std::string &name) {
    const char *const names[] = {"listed", "uniform", "normal", "weibull", "exponential"};
    for (size_t i = 0; i < std::size(names); i++) {
        if (name == names[i]) {
            return static_cast<takt_stream_kind_t>(i);
        }
    }
    throw std::invalid_argument("unknown distribution " + name);
}

// A stream and the numbers that it lists. Drawn values are in `least` .. `most`, listed ones must be.
struct Stream {
    Stream(const std::string &kind, const Column &numbers, double a, double b, uint64_t least, uint64_t most)
        : values(numbers.data(), numbers.data() + numbers.size()) {
        require(least <= most && most < kTimeLimit, "limits of a distribution out of range");
        stream = {stream_kind(kind), nullptr, values.size(), a, b, least, most};
        if (stream.kind == TAKT_STREAM_LISTED) {
            require(!values.empty(), "an empty list");
            for (uint64_t value : values) {
                time_in(least, value, "listed value");
            }
        } else {
            require_parameters();
        }
        stream.values = values.data();
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    void require_parameters() const {
        const bool is_uniform = stream.kind == TAKT_STREAM_UNIFORM;
        require(stream.a >= 0 && stream.a < 0x1p62 && stream.b >= 0 && stream.b < 0x1p62,
                "parameter of a distribution out of range");
        require(!is_uniform || stream.a <= stream.b, "a uniform distribution that ends before it begins");
        require(stream.kind != TAKT_STREAM_WEIBULL || stream.b > 0, "a shape that is not positive");
    }

    std::vector<uint64_t> values;
    takt_stream_t stream;
};

class Spec {
   public:
    Spec(const nb::object &policy, uint64_t levels, uint64_t order_rows, uint64_t time_rows) {
        spec_.policy = policy_of(policy);
        spec_.levels = level_in(1, levels, kLevelLimit);
        spec_.order_rows = rows_in(order_rows, 7);
        spec_.time_rows = rows_in(time_rows, 16);
    }

    Spec(const Spec &) = delete;
    Spec &operator=(const Spec &) = delete;

    void add_servers(const std::vector<std::string> &kinds, const std::vector<nb::object> &policies,
                     const Column &period, const Column &budget, const Column &offset, const Column &level,
                     const Column &home, const Column &levels, const Column &order_rows,
                     const Column &time_rows) {
        const size_t count = kinds.size();
        require(servers_.empty() && tasks_.empty(), "servers are added once, before the tasks");
        require_length(count, {policies.size(), period.size(), budget.size(), offset.size(), level.size(),
                               home.size(), levels.size(), order_rows.size(), time_rows.size()});
        for (size_t i = 0; i < count; i++) {
            takt_server_spec_t server = {};
            server.bandwidth = find_bandwidth_kind(kinds[i]);
            server.kind = server.bandwidth == nullptr ? find_server_kind(kinds[i]) : nullptr;
            server.policy = policy_of(policies[i]);
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
        for (const takt_server_spec_t &server : servers_) {
            require(place_of(server.parent) == server.parent, "a server in a bandwidth server");
        }
        require_room();
    }

    void add_resources(const std::vector<std::string> &protocols, const Column &ceiling, const Column &home) {
        require(resources_.empty(), "resources are added once");
        require_length(protocols.size(), {ceiling.size(), home.size()});
        for (size_t i = 0; i < protocols.size(); i++) {
            const takt_protocol_t protocol = find_protocol(protocols[i]);
            const int32_t server = server_in(home(i), servers_.size());
            const takt_policy_t *policy = policy_at(server);
            const bool has_ceiling = takt_protocols[protocol]->has_ceiling;
            require(place_of(server) == server, "a resource of a bandwidth server");
            require(!has_ceiling || policy->level != nullptr, "a ceiling under a policy without levels");
            const bool is_level = has_ceiling && policy->order == TAKT_ORDER_LEVELS;
            const takt_key_t key = is_level ? level_in(1, ceiling(i), levels_at(server))
                                            : time_in(has_ceiling ? 1 : 0, ceiling(i), "ceiling");
            takt_resource_spec_t resource = {};
            resource.protocol = protocol;
            resource.ceiling = key;
            resource.server = server;
            resources_.push_back(resource);
        }
        for (const takt_resource_spec_t &resource : resources_) {
            require_no_mixture(resource);
        }
    }

    // `among`: 0, or one more than the number of the resource that this one is in the parent of its server.
    void share_resources(const Column &among, const Column &longest) {
        require_length(resources_.size(), {among.size(), longest.size()});
        for (size_t i = 0; i < resources_.size(); i++) {
            if (among(i) != 0) {
                require(among(i) <= resources_.size() && among(among(i) - 1) == 0, "among is out of range");
                share_resource(resources_[i], static_cast<uint32_t>(among(i) - 1), longest(i));
            }
        }
    }

    void add_tasks(const Column &period, const Column &deadline, const Column &offset, const Column &wcet,
                   const Column &demand, const Column &level, const Column &home, const Column &is_limited,
                   const Column &preemption_key, const Column &task_class, const Column &on_miss,
                   const Column &jitter, const Column &is_external, const Column &suspends,
                   const Column &locks, const Column &is_absent) {
        const size_t count = period.size();
        require(tasks_.empty(), "tasks are added once");
        require_length(count,
                       {deadline.size(), offset.size(), wcet.size(), demand.size(), level.size(), home.size(),
                        is_limited.size(), preemption_key.size(), task_class.size(), on_miss.size(),
                        jitter.size(), is_external.size(), suspends.size(), locks.size(), is_absent.size()});
        tasks_.reserve(count);
        for (size_t i = 0; i < count; i++) {
            takt_task_spec_t task = {};
            task.is_external = is_external(i) != 0;
            task.suspends = suspends(i) != 0;
            task.locks = locks(i) != 0;
            task.is_absent = is_absent(i) != 0;
            task.period = time_in(task.is_external ? 0 : 1, period(i), "period");
            task.relative_deadline = time_in(1, deadline(i), "deadline");
            task.offset = time_in(0, offset(i), "offset");
            task.wcet = time_in(1, wcet(i), "wcet");
            task.demand = time_in(1, demand(i), "demand");
            task.jitter = time_in(0, jitter(i), "jitter");
            require(task.jitter == 0 || task.is_external, "jitter of a task whose jobs are no events");
            task.server = server_in(home(i), servers_.size());
            require(task.is_external || place_of(task.server) == task.server,
                    "a periodic task in a bandwidth server");
            task.level = level_in(1, level(i), levels_at(task.server));
            task.is_limited = is_limited(i) != 0;
            task.preemption_key = preemption_key_in(preemption_key(i), task.server);
            require(task_class(i) <= TAKT_CLASS_NONE, "class is out of range");
            task.task_class = static_cast<takt_task_class_t>(task_class(i));
            require(on_miss(i) <= TAKT_ON_MISS_DROP, "on_miss is out of range");
            task.on_miss = static_cast<takt_on_miss_t>(on_miss(i));
            tasks_.push_back(task);
        }
        require_room();
    }

    // One element for each task: what the rule of rate-based execution has, or 0.
    void set_events(const Column &events, const Column &interval) {
        require_length(tasks_.size(), {events.size(), interval.size()});
        for (size_t i = 0; i < tasks_.size(); i++) {
            require(events(i) <= TAKT_RBE_EVENTS, "number of events out of range");
            require(events(i) == 0 || place_of(tasks_[i].server) == tasks_[i].server, "two rules of a task");
            require(events(i) == 0 || tasks_[i].is_external, "events of a task whose jobs are no events");
            tasks_[i].events = static_cast<uint32_t>(events(i));
            tasks_[i].interval = time_in(events(i) > 0 ? 1 : 0, interval(i), "interval");
        }
    }

    // The root's policy is share: a weight for each task.
    void set_shares(uint64_t variant, const Column &weight) {
        require(spec_.policy == &takt_policy_share, "shares under another policy");
        require(servers_.empty(), "shares beside servers");
        require(variant <= TAKT_SHARE_WF2Q, "variant is out of range");
        require_length(tasks_.size(), {weight.size()});
        for (size_t i = 0; i < tasks_.size(); i++) {
            require(tasks_[i].is_external && tasks_[i].events == 0,
                    "a share of a task whose jobs are no events");
            require(weight(i) >= 1 && weight(i) <= TAKT_SHARE_WEIGHTS, "weight is out of range");
            tasks_[i].weight = weight(i);
        }
        spec_.share = static_cast<takt_share_variant_t>(variant);
        spec_.has_shares = true;
    }

    void set_demand(size_t index, const std::string &kind, const Column &values, double a, double b,
                    uint64_t least, uint64_t most) {
        require(least >= 1, "a demand of 0");
        task_at(index).demands = add_stream(kind, values, a, b, least, most);
    }

    // Listed arrivals are instants that do not descend; drawn ones are separations.
    void set_arrivals(size_t index, const std::string &kind, const Column &values, double a, double b,
                      uint64_t least, uint64_t most) {
        takt_task_spec_t &task = task_at(index);
        require(task.is_external && task.jitter == 0, "arrivals of a periodic task");
        const takt_stream_t *stream = add_stream(kind, values, a, b, least, most);
        if (stream->kind == TAKT_STREAM_LISTED) {
            require(std::is_sorted(streams_.back().values.begin(), streams_.back().values.end()),
                    "arrivals that descend");
        } else {
            const double typical = stream->kind == TAKT_STREAM_UNIFORM ? b : a;
            require(most >= 1 && (least >= 1 || typical >= 1), "arrivals without any separation");
        }
        task.arrivals = stream;
    }

    void set_body(size_t index, const Column &kinds, const Column &ticks) {
        takt_task_spec_t &task = task_at(index);
        require_length(kinds.size(), {ticks.size()});
        std::vector<takt_item_t> &body = bodies_.emplace_back();
        for (size_t i = 0; i < kinds.size(); i++) {
            require(kinds(i) <= TAKT_ITEM_UNLOCK, "unknown item of a body");
            const auto kind = static_cast<takt_item_kind_t>(kinds(i));
            const bool takes_time = kind == TAKT_ITEM_RUN || kind == TAKT_ITEM_SUSPEND;
            require(kind != TAKT_ITEM_SUSPEND || task.suspends, "a task that is not said to suspend");
            require_lock(task, kind, ticks(i));
            body.push_back({kind, time_in(takes_time ? 1 : 0, ticks(i), "item of a body")});
        }
        require_sections(body);
        task.body = body.data();
        task.body_count = static_cast<uint32_t>(body.size());
    }

    // The jobs of tasks run in windows, which calls hand over `bulk` at a time: one element for each task, "" for those
    // without; then the slots of all time-driven tasks in one cycle, ascending.
    void set_windows(const std::vector<std::string> &kinds, uint64_t bulk, const Column &part, uint64_t cycle,
                     const Column &task, const Column &start, const Column &length) {
        require(windows_.empty() && !architecture_, "windows are set once, and not beside an architecture");
        require_length(tasks_.size(), {kinds.size(), part.size()});
        require_length(task.size(), {start.size(), length.size()});
        require(bulk >= 1 && bulk <= TAKT_CALLS_BULK, "number of windows of a call out of range");
        spec_.bulk = static_cast<uint32_t>(bulk);
        slots_.resize(tasks_.size());
        add_slots(cycle, task, start, length);
        for (size_t i = 0; i < kinds.size(); i++) {
            const takt_windows_t kind = find_windows(kinds[i]);
            require(!is_allocator(kind) || i + 1 == kinds.size(), "an allocator before other tasks");
            require_windowed(tasks_[i], kind);
            require_part(tasks_[i], kind, part(i));
            require((kind == TAKT_WINDOWS_TIME_DRIVEN) != slots_[i].empty(),
                    "slots where none belong, or none");
            windows_.push_back(
                {kind, {part(i), slots_[i].data(), static_cast<uint32_t>(slots_[i].size()), cycle}});
        }
    }

    void set_costs(uint64_t context_switch, uint64_t release, uint64_t scheduling, uint64_t point,
                   uint64_t tick, uint64_t tick_period, bool is_pull) {
        options_.costs = {time_in(0, context_switch, "cost"),
                          time_in(0, release, "cost"),
                          time_in(0, scheduling, "cost"),
                          time_in(0, point, "cost"),
                          time_in(0, tick, "cost"),
                          time_in(tick > 0 ? 1 : 0, tick_period, "tick period"),
                          is_pull};
        require(!(is_pull && tick > 0), "points cannot pull where there are ticks");
    }

    // In the place of costs.
    void set_architecture(const std::string &model, uint64_t context_switch, uint64_t interval, bool is_fixed,
                          uint64_t latency) {
        const takt_architecture_model_t which = architecture_model(model);
        const bool has_ticks = which == TAKT_ARCHITECTURE_SOFTWARE;
        for (const takt_window_spec_t &window : windows_) {
            require(window.kind == TAKT_WINDOWS_NONE, "windows beside an architecture");
        }
        for (const takt_task_spec_t &task : tasks_) {
            require_plain(task);
        }
        require(spec_.policy->overtake == nullptr, "an architecture under a policy whose order changes");
        architecture_ = {which, time_in(0, context_switch, "cost"),
                         time_in(has_ticks ? 1 : 0, interval, "interval"), is_fixed,
                         time_in(0, latency, "latency")};
    }

    // A rate-based root has resources: what sharing takes from the processor while each task is there, then who locks
    // what, each pair once. Call before set_rates.
    void set_sharing(const Column &blocking, const Column &excess, const Column &task,
                     const Column &resource) {
        require_length(tasks_.size(), {blocking.size(), excess.size()});
        require_length(task.size(), {resource.size()});
        require(uses_.empty(), "who shares is set once");
        for (size_t i = 0; i < tasks_.size(); i++) {
            require(std::max(blocking(i), excess(i)) <= 2 * TAKT_RATE_WHOLE, "blocking is out of range");
            tasks_[i].blocking = {blocking(i), excess(i)};
        }
        for (size_t i = 0; i < task.size(); i++) {
            require(task(i) < tasks_.size() && tasks_[task(i)].locks, "a task that is not said to lock");
            require(resource(i) < resources_.size() && resources_[resource(i)].protocol == TAKT_PROTOCOL_SRP,
                    "a resource that rates do not go with");
            require(!uses(static_cast<uint32_t>(task(i)), resource(i)), "who shares is said twice");
            uses_.push_back({static_cast<uint32_t>(task(i)), static_cast<uint32_t>(resource(i))});
        }
    }

    // The root is rate-based: what belongs to all tasks, then one element for each task. Call before set_changes.
    void set_rates(uint64_t beta, bool has_formula, uint64_t sigma, uint64_t grid, uint64_t rule,
                   bool has_background, bool has_compression, bool has_cuts, uint64_t estimate_jobs,
                   const Column &weight, const Column &is_greedy, const Column &adapts) {
        require(spec_.policy == &takt_policy_rate_based, "rates under another policy");
        require(servers_.empty(), "rates beside servers");
        require(beta <= TAKT_RATE_WHOLE && sigma <= TAKT_RATE_WHOLE, "a share above the whole");
        require(rule <= TAKT_RATE_NAIVE, "rule is out of range");
        require(estimate_jobs >= 1 && estimate_jobs <= TAKT_RATE_JOBS, "number of jobs is out of range");
        rates_ = {beta,
                  sigma,
                  rated_time(grid),
                  static_cast<takt_rate_rule_t>(rule),
                  static_cast<uint32_t>(estimate_jobs),
                  has_formula,
                  has_background,
                  has_compression,
                  has_cuts};
        require_length(tasks_.size(), {weight.size(), is_greedy.size(), adapts.size()});
        for (size_t i = 0; i < tasks_.size(); i++) {
            set_rate(tasks_[i], weight(i), is_greedy(i) != 0);
            require_rated_body(static_cast<uint32_t>(i));
            require(adapts(i) == 0 || tasks_[i].task_class == TAKT_CLASS_SOFT,
                    "an estimate of a task that is not soft");
            tasks_[i].adapts = adapts(i) != 0;
        }
        spec_.rates = &rates_;
    }

    // After all else; core/global.h says what goes with several processors.
    void set_cpus(uint64_t count) {
        require(count >= 1 && count <= TAKT_CPU_LIMIT, "number of processors out of range");
        if (count > 1) {
            require_global();
            spec_.cpu_count = static_cast<uint32_t>(count);
        }
    }

    // Columns of all changes, in the order in which they are made: those of tasks have a task, those of the policy
    // a name in `policies`.
    void set_changes(const Column &instant, const Column &kind, const Column &task,
                     const std::vector<std::string> &policies, const Column &period, const Column &deadline,
                     const Column &wcet, const Column &level, const Column &task_class, const Column &weight,
                     const Column &demand) {
        const size_t count = instant.size();
        require(changes_.empty(), "changes are set once");
        require_length(count, {kind.size(), task.size(), policies.size(), period.size(), deadline.size(),
                               wcet.size(), level.size(), task_class.size(), weight.size(), demand.size()});
        require(count == 0 || !architecture_.has_value(), "changes under an architecture");
        for (size_t i = 0; i < count; i++) {
            require(i == 0 || instant(i - 1) <= instant(i), "changes that descend");
            require(kind(i) <= TAKT_CHANGE_POLICY, "kind of change is out of range");
            takt_change_spec_t change = {};
            change.instant = time_in(0, instant(i), "change");
            change.kind = static_cast<takt_change_kind_t>(kind(i));
            if (change.kind == TAKT_CHANGE_POLICY) {
                change.policy = changed_policy(policies[i]);
                changes_.push_back(change);
                continue;
            }
            takt_task_spec_t &changed = task_at(task(i));
            require(!has_windows(changed), "a change of a task with windows");
            require(change.kind != TAKT_CHANGE_PARAMETERS || !has_rule(changed), "parameters of a rule");
            require(task_class(i) <= TAKT_CLASS_NONE, "class is out of range");
            if (change.kind == TAKT_CHANGE_PARAMETERS) {
                require_unmeasured(changed);
            }
            change.task = static_cast<uint32_t>(task(i));
            change.period = time_in(changed.is_external ? 0 : 1, period(i), "period");
            change.relative_deadline = time_in(1, deadline(i), "deadline");
            change.wcet = time_in(1, wcet(i), "wcet");
            change.level = level_in(1, level(i), levels_at(changed.server));
            change.task_class = static_cast<takt_task_class_t>(task_class(i));
            change.weight = weight(i);
            change.demand = time_in(1, demand(i), "demand");
            changed.changes |= spec_.rates == nullptr || change.kind == TAKT_CHANGE_PARAMETERS;
            if (spec_.rates != nullptr && change.kind == TAKT_CHANGE_PARAMETERS) {
                set_changed_rate(change, changed);
            }
            changes_.push_back(change);
        }
    }

    void set_changed_demand(size_t index, const std::string &kind, const Column &values, double a, double b,
                            uint64_t least, uint64_t most) {
        require(least >= 1, "a demand of 0");
        require(index < changes_.size(), "no change " + std::to_string(index));
        changes_[index].demands = add_stream(kind, values, a, b, least, most);
    }

    void set_seed(uint64_t seed) { options_.seed = seed; }

    void add_threads(const Column &level) {
        require(threads_.empty(), "threads are added once");
        for (size_t i = 0; i < level.size(); i++) {
            threads_.push_back({level_in(1, level(i), spec_.levels)});
        }
        require_room();
    }

    const takt_sim_options_t &options() const { return options_; }

    bool has_several_cpus() const { return spec_.cpu_count > 0; }

    const std::optional<takt_architecture_t> &architecture() const { return architecture_; }

    // What policies written in Python raise goes there; NULL: they are not called.
    void let_policies_fail_to(std::exception_ptr *failure) {
        for (PythonPolicy &policy : python_policies_) {
            policy.failure = failure;
        }
    }

    // Who wants to be told of completions: the policy of each task's home, or NULL. Empty if nobody does.
    std::vector<PythonPolicy *> listeners() {
        std::vector<PythonPolicy *> listeners;
        for (const takt_task_spec_t &task : tasks_) {
            listeners.push_back(python_policy_at(task.server));
        }
        return python_policies_.empty() ? std::vector<PythonPolicy *>() : listeners;
    }

    std::vector<uint64_t> deadlines() const {
        std::vector<uint64_t> deadlines;
        for (const takt_task_spec_t &task : tasks_) {
            deadlines.push_back(task.relative_deadline);
        }
        return deadlines;
    }

    const std::vector<takt_task_spec_t> &tasks() const { return tasks_; }

    const std::vector<takt_change_spec_t> &changes() const { return changes_; }

    // As c_spec, for an image: external tasks have rings for `arrivals`, a number for each task.
    takt_system_spec_t c_spec_with_rings(std::vector<takt_task_spec_t> &tasks,
                                         const std::vector<uint64_t> &arrivals) const {
        tasks = tasks_;
        for (size_t i = 0; i < tasks.size(); i++) {
            require(arrivals[i] < UINT64_C(1) << 30, "too many arrivals");
            while (tasks[i].is_external && (tasks[i].ring == 0 || tasks[i].ring < arrivals[i])) {
                tasks[i].ring = tasks[i].ring == 0 ? 1 : 2 * tasks[i].ring;
            }
        }
        takt_system_spec_t spec = c_spec();
        spec.tasks = tasks.data();
        return spec;
    }

    uint32_t first_task() const { return 1 + static_cast<uint32_t>(servers_.size()); }

    // The C description; it points into this object.
    takt_system_spec_t c_spec() const {
        takt_system_spec_t spec = spec_;
        spec.servers = servers_.data();
        spec.server_count = static_cast<uint32_t>(servers_.size());
        spec.tasks = tasks_.data();
        spec.task_count = static_cast<uint32_t>(tasks_.size());
        spec.threads = threads_.data();
        spec.thread_count = static_cast<uint32_t>(threads_.size());
        spec.resources = resources_.data();
        spec.resource_count = static_cast<uint32_t>(resources_.size());
        spec.uses = uses_.data();
        spec.use_count = static_cast<uint32_t>(uses_.size());
        spec.changes = changes_.data();
        spec.change_count = static_cast<uint32_t>(changes_.size());
        spec.windows = windows_.empty() ? nullptr : windows_.data();
        return spec;
    }

   private:
    static uint64_t rated_time(uint64_t value) {
        require(value >= 1 && value <= TAKT_RATE_LONGEST, "a time too long for a rate");
        return value;
    }

    static void set_changed_rate(takt_change_spec_t &change, const takt_task_spec_t &task) {
        require(change.task_class == task.task_class, "another class");
        require(change.weight >= 1 && change.weight < TAKT_RATE_WEIGHTS, "weight is out of range");
        require(rated_time(change.relative_deadline) <= rated_time(change.period), "deadline above period");
        require(task.task_class == TAKT_CLASS_NONE || rated_time(change.wcet) <= change.relative_deadline,
                "wcet above deadline");
        if (task.is_greedy) {
            change.demand = kTimeLimit;
            change.wcet = kTimeLimit;
        }
    }

    static void set_rate(takt_task_spec_t &task, uint64_t weight, bool is_greedy) {
        require(!task.is_external && !task.suspends && !task.is_limited &&
                    task.on_miss == TAKT_ON_MISS_CONTINUE && !(is_greedy && task.body_count > 0),
                "a rate for a task that is not plain");
        require(weight >= 1 && weight < TAKT_RATE_WEIGHTS, "weight is out of range");
        require(rated_time(task.relative_deadline) <= rated_time(task.period), "deadline above period");
        require(task.task_class == TAKT_CLASS_NONE || rated_time(task.wcet) <= task.relative_deadline,
                "wcet above deadline");
        task.weight = weight;
        task.is_greedy = is_greedy;
        if (is_greedy) {
            task.demand = kTimeLimit;
            task.wcet = kTimeLimit;
        }
    }

    bool uses(uint32_t task, uint64_t resource) const {
        return std::any_of(uses_.begin(), uses_.end(), [&](const takt_use_spec_t &use) {
            return use.task == task && use.resource == resource;
        });
    }

    // A task with a rate just runs, but for what it is said to lock.
    void require_rated_body(uint32_t index) const {
        for (uint32_t i = 0; i < tasks_[index].body_count; i++) {
            const takt_item_t &item = tasks_[index].body[i];
            const bool is_lock = item.kind == TAKT_ITEM_LOCK || item.kind == TAKT_ITEM_UNLOCK;
            require(item.kind == TAKT_ITEM_RUN || (is_lock && uses(index, item.ticks)),
                    "a body that rates do not go with");
        }
    }

    void require_windowed(const takt_task_spec_t &task, takt_windows_t windows) const {
        require(windows_fit(windows), "windows of another policy");
        if (windows != TAKT_WINDOWS_NONE) {
            require(!task.is_external && !task.suspends && !task.locks && !task.is_limited &&
                        task.on_miss == TAKT_ON_MISS_CONTINUE && task.body_count == 0 &&
                        task.server == TAKT_ROOT,
                    "windows of a task that is not plain");
        }
    }

    static bool is_allocator(takt_windows_t windows) { return windows >= TAKT_WINDOWS_TOP; }

    // Whether the policy of the root goes with such windows, or with none.
    bool windows_fit(takt_windows_t windows) const {
        if (is_allocator(windows)) {
            return spec_.policy != &takt_policy_rate_based && spec_.policy->release != release_by_python;
        }
        if (spec_.policy == &takt_policy_time_driven) {
            return windows == TAKT_WINDOWS_TIME_DRIVEN;
        }
        if (spec_.policy == &takt_policy_imprecise) {
            return windows == TAKT_WINDOWS_IMPRECISE;
        }
        if (windows == TAKT_WINDOWS_NONE) {
            return true;
        }
        if (spec_.policy == &takt_policy_dual_priority) {
            return windows == TAKT_WINDOWS_DUAL_PRIORITY;
        }
        return windows <= TAKT_WINDOWS_ABORT && spec_.policy != &takt_policy_rate_based &&
               spec_.policy->release != release_by_python;
    }

    static void require_part(const takt_task_spec_t &task, takt_windows_t windows, uint64_t part) {
        const bool is_dual = windows == TAKT_WINDOWS_DUAL_PRIORITY;
        const bool is_imprecise = windows == TAKT_WINDOWS_IMPRECISE;
        const bool is_on_top = windows == TAKT_WINDOWS_TOP;
        const uint64_t most = is_dual        ? task.relative_deadline
                              : is_imprecise ? task.wcet
                              : is_on_top    ? task.period
                                             : 0;
        require((is_on_top ? 1u : 0u) <= part && part <= most,
                "part " + std::to_string(part) + " out of range");
        require(!(is_dual || is_imprecise) || task.relative_deadline <= task.period, "deadline above period");
    }

    void add_slots(uint64_t cycle, const Column &task, const Column &start, const Column &length) {
        uint64_t end = 0;
        time_in(start.size() > 0 ? 1 : 0, cycle, "cycle");
        for (size_t i = 0; i < start.size(); i++) {
            require(task(i) < tasks_.size(), "a slot of no task");
            require(time_in(0, start(i), "slot") >= end, "slots that overlap or descend");
            end = start(i) + time_in(1, length(i), "slot");
            require(end <= cycle, "a slot outside the cycle");
            slots_[task(i)].push_back({start(i), length(i)});
        }
    }

    // A policy that the root can have instead of its own. What is made for one policy does not go with it.
    const takt_policy_t *changed_policy(const std::string &name) const {
        const takt_policy_t *policy = find_policy(name);
        require(python_policies_.empty() || !is_python(spec_.policy), "another policy than one in Python");
        require(policy != &takt_policy_rate_based && spec_.policy != &takt_policy_rate_based,
                "another policy and rates");
        require(!is_special(policy) && !is_special(spec_.policy), "another policy and windows or rules");
        require(threads_.size() <= 1, "another policy over threads"); // that of a kernel is always ready
        for (const takt_task_spec_t &task : tasks_) {
            require(task.server != TAKT_ROOT || !task.is_limited || task.preemption_key == 0,
                    "another policy and a threshold");
            require(!has_windows(task), "another policy and windows");
        }
        for (const takt_resource_spec_t &resource : resources_) {
            require(resource.server != TAKT_ROOT || !takt_protocols[resource.protocol]->has_ceiling,
                    "another policy and a ceiling");
        }
        return policy;
    }

    bool has_rule(const takt_task_spec_t &task) const {
        return task.events > 0 || spec_.has_shares || place_of(task.server) != task.server;
    }

    // Policies that give windows or deadline rules.
    static bool is_special(const takt_policy_t *policy) {
        const uint32_t special =
            TAKT_POLICY_SLOTS | TAKT_POLICY_PROMOTIONS | TAKT_POLICY_MANDATORY_PARTS | TAKT_POLICY_RULE;
        return (policy->traits & special) != 0;
    }

    bool has_windows(const takt_task_spec_t &task) const {
        const size_t index = static_cast<size_t>(&task - tasks_.data());
        return index < windows_.size() && windows_[index].kind != TAKT_WINDOWS_NONE;
    }

    bool is_python(const takt_policy_t *policy) const {
        return std::any_of(python_policies_.begin(), python_policies_.end(),
                           [=](const PythonPolicy &known) { return &known.policy == policy; });
    }

    // The tests of pcp, srp and its like know of no locks under another protocol.
    static bool mixes(takt_protocol_t protocol, takt_protocol_t other) {
        const auto has_test = [](takt_protocol_t one) {
            return takt_protocols[one]->bars != TAKT_BARS_NOTHING;
        };
        const bool may_have_srp_beside =
            takt_protocols[protocol]->scope == TAKT_SCOPE_SERVERS && !takt_protocols[protocol]->awaits_budget;
        return protocol == other || (!has_test(protocol) && !has_test(other)) ||
               (may_have_srp_beside && other == TAKT_PROTOCOL_SRP);
    }

    void require_no_mixture(const takt_resource_spec_t &resource) const {
        for (const takt_resource_spec_t &other : resources_) {
            require(other.server != resource.server || mixes(resource.protocol, other.protocol) ||
                        mixes(other.protocol, resource.protocol),
                    "protocols that do not mix");
        }
    }

    void share_resource(takt_resource_spec_t &resource, uint32_t among, uint64_t longest) {
        require(takt_protocols[resource.protocol]->scope == TAKT_SCOPE_SERVERS,
                "a protocol that servers cannot share under");
        require(resources_[among].protocol == resource.protocol,
                "a protocol that is another one in the parent");
        require(resource.server != TAKT_ROOT, "a resource of the root that servers share");
        const takt_server_spec_t &server = servers_[static_cast<size_t>(resource.server)];
        require(server.parent == resources_[among].server, "a resource that is not of the parent");
        require(takt_server_kind_is_periodic(server.kind), "a kind of server that cannot share");
        for (const takt_resource_spec_t &other : resources_) {
            require(!other.is_shared || other.server != resource.server || other.among != among,
                    "a resource that a server shares twice");
        }
        const bool is_asked = takt_protocols[resource.protocol]->awaits_budget;
        require(is_asked ? longest >= 1 && longest <= server.capacity : longest == 0,
                "longest is out of range");
        resource.is_shared = true;
        resource.among = among;
        resource.longest = longest;
    }

    // The longest sections of a server that shares under sirap count all its tasks. Ceilings are looked at where a
    // job locks.
    void require_unmeasured(const takt_task_spec_t &task) const {
        for (const takt_resource_spec_t &resource : resources_) {
            require(!resource.is_shared || !takt_protocols[resource.protocol]->awaits_budget ||
                        resource.server != task.server,
                    "parameters of what servers share");
        }
    }

    void require_lock(const takt_task_spec_t &task, takt_item_kind_t kind, uint64_t number) const {
        if (kind == TAKT_ITEM_LOCK || kind == TAKT_ITEM_UNLOCK) {
            require(task.locks, "a task that is not said to lock");
            require(place_of(task.server) == task.server || number >= resources_.size() ||
                        !takt_protocols[resources_[number].protocol]->has_ceiling,
                    "a ceiling for a task in a bandwidth server");
            require(number < resources_.size() && resources_[number].server == place_of(task.server),
                    "no resource " + std::to_string(number) + " where the task is");
        }
    }

    // Sections are nested, no resource is locked twice, and no job suspends itself in one.
    static void require_sections(const std::vector<takt_item_t> &body) {
        std::vector<uint64_t> held;
        for (const takt_item_t &item : body) {
            if (item.kind == TAKT_ITEM_LOCK) {
                require(std::find(held.begin(), held.end(), item.ticks) == held.end(),
                        "a lock of what is held");
                held.push_back(item.ticks);
            } else if (item.kind == TAKT_ITEM_UNLOCK) {
                require(!held.empty() && held.back() == item.ticks, "sections that are not nested");
                held.pop_back();
            }
            require(item.kind != TAKT_ITEM_SUSPEND || held.empty(), "a suspension inside a section");
        }
    }

    // What an architecture can run.
    static void require_plain(const takt_task_spec_t &task) {
        const bool is_periodic = !task.is_external && !task.suspends && !task.locks && !task.is_limited;
        require(is_periodic && task.server == TAKT_ROOT && task.on_miss == TAKT_ON_MISS_DROP &&
                    task.demands == nullptr && task.body_count == 0,
                "an architecture with a task that is not plain");
    }

    // What several processors can run.
    void require_global() const {
        const takt_sim_costs_t &costs = options_.costs;
        require(servers_.empty() && resources_.empty() && threads_.empty() && changes_.empty() &&
                    spec_.rates == nullptr,
                "several processors beside other things");
        require(spec_.policy->overtake == nullptr && spec_.policy != &takt_policy_rate_based &&
                    !is_special(spec_.policy),
                "several processors under a policy of one");
        require((costs.context_switch | costs.release | costs.scheduling | costs.point | costs.tick) == 0 &&
                    !costs.is_pull && !architecture_,
                "several processors with costs");
        for (const takt_task_spec_t &task : tasks_) {
            require(!task.suspends && !task.locks && task.body_count == 0 &&
                        (!task.is_limited || task.preemption_key == TAKT_KEY_MOST_URGENT) &&
                        !has_windows(task),
                    "several processors with a task that is not plain");
        }
    }

    const takt_policy_t *policy_of(const nb::object &policy) {
        if (nb::isinstance<nb::str>(policy)) {
            return find_policy(nb::cast<std::string>(policy));
        }
        python_policies_.push_back({make_python_policy(), policy, nullptr});
        return &python_policies_.back().policy;
    }

    // Where what is in a server competes.
    int32_t place_of(int32_t server) const {
        const bool is_rule =
            server != TAKT_ROOT && servers_[static_cast<size_t>(server)].bandwidth != nullptr;
        return is_rule ? servers_[static_cast<size_t>(server)].parent : server;
    }

    const takt_policy_t *policy_at(int32_t in) const {
        const int32_t server = place_of(in);
        return server == TAKT_ROOT ? spec_.policy : servers_[static_cast<size_t>(server)].policy;
    }

    PythonPolicy *python_policy_at(int32_t server) {
        const takt_policy_t *wanted = policy_at(server);
        for (PythonPolicy &policy : python_policies_) {
            if (&policy.policy == wanted) {
                return &policy;
            }
        }
        return nullptr;
    }

    takt_task_spec_t &task_at(size_t index) {
        require(index < tasks_.size(), "no task " + std::to_string(index));
        return tasks_[index];
    }

    const takt_stream_t *add_stream(const std::string &kind, const Column &values, double a, double b,
                                    uint64_t least, uint64_t most) {
        return &streams_.emplace_back(kind, values, a, b, least, most).stream;
    }

    takt_key_t preemption_key_in(uint64_t key, int32_t server) const {
        const bool has_levels = policy_at(server)->order == TAKT_ORDER_LEVELS;
        require(has_levels || key < 2 * kTimeLimit,
                "preemption key " + std::to_string(key) + " out of range");
        return has_levels ? level_in(0, key, levels_at(server)) : key;
    }

    uint32_t levels_at(int32_t in) const {
        const int32_t server = place_of(in);
        return server == TAKT_ROOT ? spec_.levels : servers_[static_cast<size_t>(server)].levels;
    }

    size_t entities() const { return 1 + servers_.size() + tasks_.size() + threads_.size(); }

    // Timers with `order_rows` rows of order digits serve the numbers below 2^(4 order_rows - 2); 0 is "as many
    // as needed".
    void require_rows(uint32_t order_rows) const {
        require(order_rows == 0 || entities() <= (UINT64_C(1) << (4 * order_rows - 2)), "too few timer rows");
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
    takt_sim_options_t options_ = {};
    std::optional<takt_architecture_t> architecture_;
    std::deque<PythonPolicy> python_policies_; // what C points to does not move
    std::deque<Stream> streams_;
    std::deque<std::vector<takt_item_t>> bodies_;
    std::vector<std::vector<takt_slot_t>> slots_; // of each task
    std::vector<takt_window_spec_t> windows_;
    std::vector<takt_server_spec_t> servers_;
    std::vector<takt_task_spec_t> tasks_;
    std::vector<takt_thread_spec_t> threads_;
    std::vector<takt_resource_spec_t> resources_;
    std::vector<takt_use_spec_t> uses_;
    std::vector<takt_change_spec_t> changes_;
    takt_rate_settings_t rates_ = {};
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

// What the jobs of rate-based systems have besides, row by row.
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

// What the sinks of one run fill.
// Policies written in Python that learn of completions.
struct Listeners {
    std::vector<PythonPolicy *> policies; // of each task, NULL if it has none; empty if no task has one
    std::vector<uint64_t> deadlines;      // of each task, relative
    uint32_t first_task = 0;

    void listen_to(Spec &spec) {
        policies = spec.listeners();
        deadlines = spec.deadlines();
        first_task = spec.first_task();
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

// Tells how far a run is; false once something has failed.
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
    explicit Simulation(const Spec &spec) {
        const takt_system_spec_t c_spec = spec.c_spec();
        if (!takt_sim_create(&sim_, &c_spec, &spec.options())) {
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

void run(Simulation &simulation, const Spec &spec, uint64_t horizon, const takt_sim_sinks_t &sinks,
         Recorder &recorder, const std::optional<std::string> &trace_path) {
    TraceFile to = {{write_record}, nullptr, 0, 0};
    if (trace_path && (to.file = fopen(trace_path->c_str(), "ab")) == nullptr) {
        throw_os_error(*trace_path);
    }
    {
        nb::gil_scoped_release unlocked;
        takt_trace_t *trace = to.file != nullptr ? &to.trace : nullptr;
        if (spec.architecture()) {
            takt_architecture_run(simulation.get(), &*spec.architecture(), horizon, &sinks, trace,
                                  &recorder.figures);
        } else if (spec.has_several_cpus()) {
            takt_global_run(simulation.get(), horizon, &sinks, trace);
        } else {
            takt_sim_run(simulation.get(), horizon, &sinks, trace);
        }
    }
    const bool is_whole =
        recorder.failure == nullptr && !recorder.out_of_memory && !simulation.get()->is_short_of_memory;
    if (to.file != nullptr && !close_trace(to, horizon, is_whole)) {
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

// What is to be kept of a run.
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

nb::dict simulate(Spec &spec, uint64_t horizon, bool segments, bool jobs, bool budgets, bool points,
                  bool locks, bool rates, const std::optional<std::string> &trace_path,
                  const std::optional<nb::object> &progress) {
    require(horizon < kTimeLimit, "horizon out of range");
    Recorder recorder;
    recorder.keeps_jobs = jobs;
    recorder.listeners.listen_to(spec);
    recorder.progress = progress;
    spec.let_policies_fail_to(&recorder.failure);
    Simulation simulation(spec);
    const takt_sim_sinks_t sinks = make_sinks(recorder, {segments, jobs, budgets, points, locks, rates});
    run(simulation, spec, horizon, sinks, recorder, trace_path);
    spec.let_policies_fail_to(nullptr);
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

// ---- images --------------------------------------------------------------------------------------

// instant, nominal instant of an arrival, kind, index of the task or of the change: in the order in which they come
using Inputs =
    std::tuple<std::vector<uint64_t>, std::vector<uint64_t>, std::vector<uint64_t>, std::vector<uint64_t>>;

void note_input(Inputs &inputs, const takt_arrival_t &input, takt_input_kind_t kind, uint64_t index) {
    std::get<0>(inputs).push_back(input.instant);
    std::get<1>(inputs).push_back(kind == TAKT_INPUT_ARRIVAL ? input.nominal : input.instant);
    std::get<2>(inputs).push_back(kind);
    std::get<3>(inputs).push_back(index);
}

// What comes from outside before the horizon.
Inputs inputs(Spec &spec, uint64_t horizon) {
    require(horizon <= kTimeLimit, "horizon is out of range");
    Simulation simulation(spec);
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

// What jobs 0 .. `jobs` - 1 of task `index` execute, or whatever repeats from there; by `change`, or by the task.
std::vector<uint64_t> demands_of(const Spec &spec, uint32_t index, const takt_change_spec_t *change,
                                 uint64_t jobs) {
    const takt_task_spec_t &task = spec.tasks()[index];
    const takt_stream_t *stream = change != nullptr ? change->demands : task.demands;
    if (stream == nullptr) {
        return {change != nullptr ? change->demand : task.demand};
    }
    const bool is_listed = stream->kind == TAKT_STREAM_LISTED;
    std::vector<uint64_t> values(is_listed ? stream->count : std::max<uint64_t>(jobs, 1));
    for (size_t job = 0; job < values.size(); job++) {
        values[job] = takt_stream_at(stream, {spec.options().seed, index, TAKT_STREAM_DEMAND}, job);
    }
    return values;
}

// What jobs execute: of each task, then of each change. `jobs` says of each task how many there may be.
std::vector<std::vector<uint64_t>> demands(const Spec &spec, const Column &jobs) {
    require_length(spec.tasks().size(), {jobs.size()});
    std::vector<std::vector<uint64_t>> all;
    for (uint32_t i = 0; i < spec.tasks().size(); i++) {
        all.push_back(demands_of(spec, i, nullptr, jobs(i)));
    }
    for (const takt_change_spec_t &change : spec.changes()) {
        const bool is_policy = change.kind == TAKT_CHANGE_POLICY;
        all.push_back(is_policy ? std::vector<uint64_t>{1}
                                : demands_of(spec, change.task, &change, jobs(change.task)));
    }
    return all;
}

// The image of a system, with its inputs and demands; see system/image.h.
nb::bytes image(const Spec &spec, uint64_t horizon, uint64_t tick_ns, const Column &instant,
                const Column &nominal, const Column &kind, const Column &index,
                const std::vector<Column> &demands) {
    require(!spec.has_several_cpus() && !spec.architecture().has_value(), "several processors in an image");
    require_length(instant.size(), {nominal.size(), kind.size(), index.size()});
    require_length(demands.size(), {spec.tasks().size() + spec.changes().size()});
    std::vector<takt_input_t> inputs;
    std::vector<uint64_t> arrivals(spec.tasks().size());
    for (size_t i = 0; i < instant.size(); i++) {
        require(kind(i) <= TAKT_INPUT_CHANGE, "kind of input is out of range");
        const bool is_arrival = kind(i) == TAKT_INPUT_ARRIVAL;
        require(index(i) < (is_arrival ? spec.tasks().size() : spec.changes().size()), "an input of nobody");
        if (is_arrival) {
            arrivals[index(i)]++;
        }
        inputs.push_back({instant(i), nominal(i), static_cast<takt_input_kind_t>(kind(i)),
                          static_cast<uint32_t>(index(i))});
    }
    std::vector<takt_demands_t> tables;
    for (const Column &values : demands) {
        require(values.size() > 0 && values.size() < UINT32_MAX, "number of demands is out of range");
        tables.push_back({values.data(), static_cast<uint32_t>(values.size())});
    }
    std::vector<takt_task_spec_t> tasks;
    takt_program_t program = {};
    program.spec = spec.c_spec_with_rings(tasks, arrivals);
    program.demands = tables.data();
    program.inputs = inputs.data();
    program.input_count = static_cast<uint32_t>(inputs.size());
    program.horizon = horizon;
    program.tick_ns = tick_ns;
    if (program.spec.rates != nullptr) {
        program.rates = *program.spec.rates;
    }
    uint64_t count = 0;
    takt_image_status_t status = takt_image_write(&program, nullptr, 0, &count);
    std::vector<uint64_t> words(count);
    if (status == TAKT_IMAGE_OK) {
        status = takt_image_write(&program, words.data(), count, &count);
    }
    require(status == TAKT_IMAGE_OK, takt_image_message(status));
    return nb::bytes(words.data(), words.size() * sizeof(uint64_t));
}

// Tells policies of the completions of a replay, when a simulation would.
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

// verdict, decisions, record, recorded, replayed
std::tuple<std::string, uint64_t, uint64_t, RecordTuple, RecordTuple> replay(Spec &spec,
                                                                             const Records &records) {
    require(records.size() % sizeof(takt_record_t) == 0, "an incomplete record");
    require(reinterpret_cast<uintptr_t>(records.data()) % alignof(takt_record_t) == 0,
            "records are not aligned");
    std::exception_ptr failure;
    spec.let_policies_fail_to(&failure);
    System system(spec);
    Feedback feedback = {{feed_back}, system.get(), {}};
    feedback.listeners.listen_to(spec);
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result = takt_replay_observed(system.get(), reinterpret_cast<const takt_record_t *>(records.data()),
                                      records.size() / sizeof(takt_record_t),
                                      feedback.listeners.policies.empty() ? nullptr : &feedback.trace);
    }
    spec.let_policies_fail_to(nullptr);
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
    return {verdict_name(result.verdict), result.decisions, result.record, as_tuple(result.recorded),
            as_tuple(result.replayed)};
}

// The jobs that a trace tells; as simulate, without what a trace does not hold.
nb::dict retell(Spec &spec, uint64_t horizon, const Records &records) {
    require(horizon < kTimeLimit, "horizon out of range");
    require(!spec.has_several_cpus(), "a trace of several processors");
    require(records.size() % sizeof(takt_record_t) == 0, "an incomplete record");
    require(reinterpret_cast<uintptr_t>(records.data()) % alignof(takt_record_t) == 0,
            "records are not aligned");
    Recorder recorder;
    recorder.keeps_jobs = true;
    recorder.listeners.listen_to(spec);
    spec.let_policies_fail_to(&recorder.failure);
    Simulation simulation(spec);
    const takt_sim_sinks_t sinks = make_sinks(recorder, {false, true, false, false, false, false});
    takt_replay_result_t result;
    {
        nb::gil_scoped_release unlocked;
        result = takt_sim_retell(simulation.get(), reinterpret_cast<const takt_record_t *>(records.data()),
                                 records.size() / sizeof(takt_record_t), horizon, &sinks);
    }
    spec.let_policies_fail_to(nullptr);
    if (recorder.failure != nullptr) {
        std::rethrow_exception(recorder.failure);
    }
    require(result.verdict == TAKT_REPLAY_IDENTICAL, "a trace that replays differently");
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
    m.attr("TIME_LIMIT") = kTimeLimit;
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
    m.def("level_from_priority", &takt_level_from_priority, nb::arg("priority"), nb::arg("levels"));

    nb::class_<Result>(m, "Column")
        .def("__arrow_c_array__", &Result::arrow_c_array, nb::arg("requested_schema") = nb::none());

    nb::class_<Spec>(m, "Spec")
        .def(nb::init<const nb::object &, uint64_t, uint64_t, uint64_t>(), nb::arg("policy"),
             nb::arg("levels"), nb::arg("order_rows") = 0, nb::arg("time_rows") = 0)
        .def("add_servers", &Spec::add_servers, nb::kw_only(), nb::arg("kinds"), nb::arg("policies"),
             nb::arg("period"), nb::arg("budget"), nb::arg("offset"), nb::arg("level"), nb::arg("home"),
             nb::arg("levels"), nb::arg("order_rows"), nb::arg("time_rows"))
        .def("add_tasks", &Spec::add_tasks, nb::kw_only(), nb::arg("period"), nb::arg("deadline"),
             nb::arg("offset"), nb::arg("wcet"), nb::arg("demand"), nb::arg("level"), nb::arg("home"),
             nb::arg("is_limited"), nb::arg("preemption_key"), nb::arg("task_class"), nb::arg("on_miss"),
             nb::arg("jitter"), nb::arg("is_external"), nb::arg("suspends"), nb::arg("locks"),
             nb::arg("is_absent"))
        .def("add_resources", &Spec::add_resources, nb::kw_only(), nb::arg("protocols"), nb::arg("ceiling"),
             nb::arg("home"))
        .def("set_events", &Spec::set_events, nb::kw_only(), nb::arg("events"), nb::arg("interval"))
        .def("set_shares", &Spec::set_shares, nb::arg("variant"), nb::arg("weight"))
        .def("share_resources", &Spec::share_resources, nb::kw_only(), nb::arg("among"), nb::arg("longest"))
        .def("set_demand", &Spec::set_demand, nb::arg("index"), nb::arg("kind"), nb::arg("values"),
             nb::arg("a"), nb::arg("b"), nb::arg("least"), nb::arg("most"))
        .def("set_arrivals", &Spec::set_arrivals, nb::arg("index"), nb::arg("kind"), nb::arg("values"),
             nb::arg("a"), nb::arg("b"), nb::arg("least"), nb::arg("most"))
        .def("set_body", &Spec::set_body, nb::arg("index"), nb::arg("ops"), nb::arg("ticks"))
        .def("set_windows", &Spec::set_windows, nb::kw_only(), nb::arg("kinds"), nb::arg("bulk"),
             nb::arg("part"), nb::arg("cycle"), nb::arg("task"), nb::arg("start"), nb::arg("length"))
        .def("set_costs", &Spec::set_costs, nb::kw_only(), nb::arg("context_switch"), nb::arg("release"),
             nb::arg("scheduling"), nb::arg("point"), nb::arg("tick"), nb::arg("tick_period"),
             nb::arg("is_pull"))
        .def("set_architecture", &Spec::set_architecture, nb::kw_only(), nb::arg("model"),
             nb::arg("context_switch"), nb::arg("interval"), nb::arg("is_fixed"), nb::arg("latency"))
        .def("set_sharing", &Spec::set_sharing, nb::kw_only(), nb::arg("blocking"), nb::arg("excess"),
             nb::arg("task"), nb::arg("resource"))
        .def("set_rates", &Spec::set_rates, nb::kw_only(), nb::arg("beta"), nb::arg("has_formula"),
             nb::arg("sigma"), nb::arg("grid"), nb::arg("rule"), nb::arg("has_background"),
             nb::arg("has_compression"), nb::arg("has_cuts"), nb::arg("estimate_jobs"), nb::arg("weight"),
             nb::arg("is_greedy"), nb::arg("adapts"))
        .def("set_cpus", &Spec::set_cpus, nb::arg("count"))
        .def("set_changes", &Spec::set_changes, nb::kw_only(), nb::arg("instant"), nb::arg("kind"),
             nb::arg("task"), nb::arg("policies"), nb::arg("period"), nb::arg("deadline"), nb::arg("wcet"),
             nb::arg("level"), nb::arg("task_class"), nb::arg("weight"), nb::arg("demand"))
        .def("set_changed_demand", &Spec::set_changed_demand, nb::arg("index"), nb::arg("kind"),
             nb::arg("values"), nb::arg("a"), nb::arg("b"), nb::arg("least"), nb::arg("most"))
        .def("set_seed", &Spec::set_seed, nb::arg("seed"))
        .def("add_threads", &Spec::add_threads, nb::arg("level"));

    m.def("simulate", &simulate, nb::arg("spec"), nb::arg("horizon"), nb::kw_only(), nb::arg("segments"),
          nb::arg("jobs"), nb::arg("budgets"), nb::arg("points"), nb::arg("locks"), nb::arg("rates") = false,
          nb::arg("trace_path") = nb::none(), nb::arg("progress") = nb::none());
    m.def("retell", &retell, nb::arg("spec"), nb::arg("horizon"), nb::arg("records"));
    m.def("inputs", &inputs, nb::arg("spec"), nb::arg("horizon"));
    m.def("demands", &demands, nb::arg("spec"), nb::arg("jobs"));
    m.def("image", &image, nb::arg("spec"), nb::arg("horizon"), nb::arg("tick_ns"), nb::kw_only(),
          nb::arg("instant"), nb::arg("nominal"), nb::arg("kind"), nb::arg("index"), nb::arg("demands"));
    m.def("replay", &replay, nb::arg("spec"), nb::arg("records"));
}
