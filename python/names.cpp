// Names of files, and what the tables of core say of each: Python reads it here, and knows none of them by itself.
#include "python/names.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

// Where a scheduler may run, in the order of core's numbers.
const std::vector<std::string> kArchitectures = {"software", "coprocessor", "hardware"};

// Kinds of windows, in the order of core's numbers.
const std::vector<std::string> kWindows = {
    "", "suspend", "abort", "time-driven", "dual-priority", "imprecise", "top", "spare-time"};

// NULL if there is none.
template <typename Row>
const Row *row_named(const Row *const *rows, size_t count, const std::string &name) {
    const Row *const *found =
        std::find_if(rows, rows + count, [&](const Row *row) { return name == row->name; });
    return found == rows + count ? nullptr : *found;
}

template <typename Names>
size_t place_of(const Names &names, const std::string &name, const char *what) {
    const auto found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) {
        throw std::invalid_argument(what + name);
    }
    return static_cast<size_t>(found - std::begin(names));
}

template <typename Row>
const Row *known(const Row *row, const std::string &what) {
    if (row == nullptr) {
        throw std::invalid_argument(what);
    }
    return row;
}

} // namespace

const takt_policy_t *find_policy(const std::string &name) {
    return known(row_named(takt_policies, takt_policy_count, name), "unknown policy " + name);
}

const takt_bandwidth_kind_t *find_bandwidth_kind(const std::string &name) {
    return row_named(takt_bandwidth_kinds, takt_bandwidth_kind_count, name);
}

const takt_server_kind_t *find_server_kind(const std::string &name) {
    return known(row_named(takt_server_kinds, takt_server_kind_count, name),
                 "unknown kind of server " + name);
}

takt_protocol_t find_protocol(const std::string &name) {
    const std::vector<std::string> names(takt_protocol_names, takt_protocol_names + TAKT_PROTOCOLS);
    return static_cast<takt_protocol_t>(place_of(names, name, "unknown protocol "));
}

takt_architecture_model_t architecture_model(const std::string &name) {
    return static_cast<takt_architecture_model_t>(place_of(kArchitectures, name, "unknown architecture "));
}

takt_windows_t find_windows(const std::string &name) {
    return static_cast<takt_windows_t>(place_of(kWindows, name, "unknown windows "));
}

namespace {

std::vector<std::tuple<std::string, std::string, std::string, bool>> policies() {
    std::vector<std::tuple<std::string, std::string, std::string, bool>> rows;
    for (size_t i = 0; i < takt_policy_count; i++) {
        const takt_policy_t *policy = takt_policies[i];
        rows.emplace_back(policy->name, policy->summary, policy->tie, policy->order == TAKT_ORDER_LEVELS);
    }
    return rows;
}

// The level that a policy gives to all jobs of a task, None if it gives none; see core/policy.h.
std::optional<takt_key_t> policy_level(const std::string &name, takt_key_t level, takt_duration_t period,
                                       takt_duration_t deadline) {
    const takt_policy_t *policy = find_policy(name);
    if (policy->level == nullptr) {
        return std::nullopt;
    }
    takt_job_t job = {};
    job.level = level;
    job.period = period;
    job.deadline = deadline;
    return policy->level(&job);
}

// The static key of all jobs of a task, None under a policy whose keys are not static.
std::optional<takt_key_t> policy_key(const std::string &name, takt_key_t level, takt_duration_t period,
                                     takt_duration_t deadline) {
    const takt_policy_t *policy = find_policy(name);
    if ((policy->traits & TAKT_POLICY_STATIC_KEYS) == 0) {
        return std::nullopt;
    }
    takt_job_t job = {};
    job.level = level;
    job.period = period;
    job.deadline = deadline;
    takt_entity_t entity = {};
    policy->release(&entity, &job);
    return entity.key;
}

// The traits of a policy by their names; see core/policy.h.
std::map<std::string, bool> policy_traits(const std::string &name) {
    const uint32_t traits = find_policy(name)->traits;
#define TRAIT(constant, trait) {#trait, (traits & TAKT_POLICY_##constant) != 0},
    return {TAKT_POLICY_TRAITS(TRAIT){"overtakes", find_policy(name)->overtake != nullptr}};
#undef TRAIT
}

// Name, summary, and whether it idles, wants deadlines, is a rule of its tasks' deadlines only, and is periodic.
std::vector<std::tuple<std::string, std::string, bool, bool, bool, bool>> server_kinds() {
    std::vector<std::tuple<std::string, std::string, bool, bool, bool, bool>> rows;
    for (size_t i = 0; i < takt_server_kind_count; i++) {
        const takt_server_kind_t &kind = *takt_server_kinds[i];
        rows.emplace_back(kind.name, kind.summary, kind.idles, kind.wants_deadline, false,
                          takt_server_kind_is_periodic(&kind));
    }
    for (size_t i = 0; i < takt_bandwidth_kind_count; i++) {
        rows.emplace_back(takt_bandwidth_kinds[i]->name, takt_bandwidth_kinds[i]->summary, false, true, true,
                          false);
    }
    return rows;
}

// The traits of a kind of servers by their names; see core/server.h. A rule of deadlines has none.
std::map<std::string, bool> server_kind_traits(const std::string &name) {
    const takt_server_kind_t *kind = row_named(takt_server_kinds, takt_server_kind_count, name);
    const uint32_t traits = kind != nullptr ? kind->traits : 0;
    const bool lapses = kind != nullptr && kind->lapses;
#define TRAIT(constant, trait) {#trait, (traits & TAKT_KIND_##constant) != 0},
    return {TAKT_KIND_TRAITS(TRAIT){"lapses", lapses}};
#undef TRAIT
}

// What holds of resources under a protocol: constant, and the name that tools read. See SPEC.md, 9.
#define PROTOCOL_TRAITS(X)                                                                             \
    X(BOUNDED, is_bounded)           /* a section delays others for no longer than theorems say */     \
    X(TOP, raises_to_top)            /* nobody displaces a holder */                                   \
    X(TO_CEILING, raises_to_ceiling) /* a holder is as urgent as the ceiling */                        \
    X(CEILING, has_ceiling)          /* its resources have ceilings */                                 \
    X(AMONG, is_among)               /* servers share */                                               \
    X(LENDS, lends)                  /* a holder runs in the place of whom it blocks */                \
    X(BARS_LOCKS, bars_locks)        /* a lock needs a level above the ceilings of what others hold */ \
    X(BARS_RUNS, bars_runs)          /* likewise, to run */                                            \
    X(AWAITS_BUDGET, awaits_budget)  /* a lock waits for the budget of the longest section */          \
    X(OVERRUNS, overruns)            /* a server that holds something goes on without budget */        \
    X(PAYS_BACK, pays_back)          /* and has less of the next one */

#define PLACE(constant, trait) PLACE_##constant,
#define BIT(constant, trait) constant = 1 << PLACE_##constant,
enum ProtocolPlace { PROTOCOL_TRAITS(PLACE) };
enum ProtocolTrait { PROTOCOL_TRAITS(BIT) };
#undef PLACE
#undef BIT

constexpr int kSrp = LENDS | CEILING | BARS_RUNS;
constexpr std::array<int, TAKT_PROTOCOLS> kProtocolTraits = [] {
    std::array<int, TAKT_PROTOCOLS> traits = {};
    traits[TAKT_PROTOCOL_NPCS] = BOUNDED | LENDS | TOP;
    traits[TAKT_PROTOCOL_PIP] = BOUNDED | LENDS;
    traits[TAKT_PROTOCOL_PCP] = BOUNDED | LENDS | CEILING | BARS_LOCKS;
    traits[TAKT_PROTOCOL_ICPP] = BOUNDED | LENDS | CEILING | TO_CEILING;
    traits[TAKT_PROTOCOL_SRP] = BOUNDED | kSrp;
    traits[TAKT_PROTOCOL_GLOBAL_SRP] = kSrp | AMONG;
    traits[TAKT_PROTOCOL_HSRP] = BOUNDED | kSrp | AMONG | OVERRUNS;
    traits[TAKT_PROTOCOL_HSRP_PAYBACK] = BOUNDED | kSrp | AMONG | OVERRUNS | PAYS_BACK;
    traits[TAKT_PROTOCOL_SIRAP] = BOUNDED | kSrp | AMONG | AWAITS_BUDGET;
    return traits;
}();

// The names of protocols, in the order of core's numbers.
std::vector<std::string> protocols() { return {takt_protocol_names, takt_protocol_names + TAKT_PROTOCOLS}; }

// The traits of a protocol by their names.
std::map<std::string, bool> protocol_traits(const std::string &name) {
    const int traits = kProtocolTraits[find_protocol(name)];
#define TRAIT(constant, trait) {#trait, (traits & constant) != 0},
    return {PROTOCOL_TRAITS(TRAIT)};
#undef TRAIT
}

} // namespace

void add_names(nb::module_ &m) {
    m.attr("WINDOWS") = kWindows;
    m.attr("ARCHITECTURES") = kArchitectures;
    m.def("policies", &policies);
    m.def("policy_level", &policy_level, nb::arg("policy"), nb::arg("level"), nb::arg("period"),
          nb::arg("deadline"));
    m.def("policy_key", &policy_key, nb::arg("policy"), nb::arg("level"), nb::arg("period"),
          nb::arg("deadline"));
    m.def("policy_traits", &policy_traits, nb::arg("policy"));
    m.def("server_kinds", &server_kinds);
    m.def("server_kind_traits", &server_kind_traits, nb::arg("kind"));
    m.def("protocols", &protocols);
    m.def("protocol_traits", &protocol_traits, nb::arg("protocol"));
}
