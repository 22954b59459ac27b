/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Names used in files, and the traits of each from the tables of core. Python reads them here and spells none of them.
#include "python/names.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

extern "C" {
#include "sim/recorder.h"
}

namespace nb = nanobind;

namespace {

// NULL if there is none.
template <typename Row>
const Row *row_named(const Row *const *rows, size_t count, const std::string &name) {
    const Row *const *found =
        std::find_if(rows, rows + count, [&](const Row *row) { return name == row->name; });
    return found == rows + count ? nullptr : *found;
}

template <typename Row>
const Row *known(const Row *row, const std::string &what) {
    if (row == nullptr) {
        throw std::invalid_argument(what);
    }
    return row;
}

// The names of protocols, in the order of core's numbers.
std::vector<std::string> protocols() {
    std::vector<std::string> names;
    std::transform(takt_protocols, takt_protocols + TAKT_PROTOCOLS, std::back_inserter(names),
                   [](const takt_protocol_kind_t *row) { return row->name; });
    return names;
}

const takt_policy_t *find_policy(const std::string &name) {
    return known(row_named(takt_policies, takt_policy_count, name), "unknown policy " + name);
}

std::vector<std::tuple<std::string, std::string, std::string, bool>> policies() {
    std::vector<std::tuple<std::string, std::string, std::string, bool>> rows;
    for (size_t i = 0; i < takt_policy_count; i++) {
        const takt_policy_t *policy = takt_policies[i];
        rows.emplace_back(policy->name, policy->summary, policy->tie, policy->order == TAKT_ORDER_LEVELS);
    }
    return rows;
}

takt_job_t job_of(takt_key_t level, takt_duration_t period, takt_duration_t deadline) {
    takt_job_t job = {};
    job.level = level;
    job.period = period;
    job.deadline = deadline;
    return job;
}

// The level that a policy gives to all jobs of a task, None if it gives none; see core/policy.h.
std::optional<takt_key_t> policy_level(const std::string &name, takt_key_t level, takt_duration_t period,
                                       takt_duration_t deadline) {
    const takt_policy_t *policy = find_policy(name);
    if (policy->level == nullptr) {
        return std::nullopt;
    }
    const takt_job_t job = job_of(level, period, deadline);
    return policy->level(&job);
}

// Window, period, whether it is hard.
using Sharer = std::tuple<uint64_t, uint64_t, bool>;

takt_rate_sharer_t sharer_of(const Sharer &words) {
    return {std::get<0>(words), std::get<1>(words), std::get<2>(words)};
}

uint64_t rate_blocking_by(const Sharer &task, const Sharer &other, uint64_t longest, uint64_t ceiling) {
    const takt_rate_sharer_t own = sharer_of(task);
    const takt_rate_sharer_t sharer = sharer_of(other);
    return takt_rate_blocking_by(&own, &sharer, longest, ceiling);
}

// The static key of all jobs of a task, None under a policy whose keys are not static.
std::optional<takt_key_t> policy_key(const std::string &name, takt_key_t level, takt_duration_t period,
                                     takt_duration_t deadline) {
    const takt_policy_t *policy = find_policy(name);
    if ((policy->traits & TAKT_POLICY_STATIC_KEYS) == 0) {
        return std::nullopt;
    }
    const takt_job_t job = job_of(level, period, deadline);
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

// Name, summary, and whether it idles, needs deadlines, is a rule of its tasks' deadlines only, and is periodic.
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
    const bool loses_idle_budget = kind != nullptr && kind->loses_idle_budget;
#define TRAIT(constant, trait) {#trait, (traits & TAKT_KIND_##constant) != 0},
    return {TAKT_KIND_TRAITS(TRAIT){"loses_idle_budget", loses_idle_budget}};
#undef TRAIT
}

// The traits of a protocol by their names; see core/protocol.h.
std::map<std::string, bool> protocol_traits(const std::string &name) {
    const takt_protocol_kind_t &row =
        *known(row_named(takt_protocols, TAKT_PROTOCOLS, name), "unknown protocol " + name);
    return {{"is_bounded", row.is_bounded},
            {"has_ceiling", row.has_ceiling},
            {"is_among", row.scope == TAKT_SCOPE_SERVERS},
            {"lends", row.lends},
            {"raises_to_top", row.boost != nullptr && !row.has_ceiling},
            {"raises_to_ceiling", row.boost != nullptr && row.has_ceiling},
            {"bars_locks", row.bars == TAKT_BARS_LOCKS},
            {"bars_runs", row.bars == TAKT_BARS_RUNS},
            {"awaits_budget", row.awaits_budget},
            {"overruns", row.overruns},
            {"pays_back", row.pays_back}};
}

// The architectures in the order of their numbers, with their traits by name; see system/architectures.h.
std::vector<std::tuple<std::string, std::map<std::string, bool>>> architectures() {
    std::vector<std::tuple<std::string, std::map<std::string, bool>>> rows;
    for (const takt_architecture_kind_t &row : takt_architecture_kinds) {
        rows.emplace_back(row.name, std::map<std::string, bool>{{"is_entered", row.is_entered},
                                                                {"has_latency", row.has_latency},
                                                                {"idles_between", row.idles_between}});
    }
    return rows;
}

// The policy, kind or protocol of each role; see system/roles.h.
std::map<std::string, std::string> roles() {
#define POLICY(role, row) {#role, takt_policy_##row.name},
#define KIND(role, row) {#role, takt_server_##row.name},
#define PROTOCOL(role, row) {#role, takt_protocol_##row.name},
    return {TAKT_POLICY_ROLES(POLICY) TAKT_KIND_ROLES(KIND) TAKT_PROTOCOL_ROLES(PROTOCOL)};
#undef POLICY
#undef KIND
#undef PROTOCOL
}

// The protocols that advice tries, in their order; see system/roles.h.
std::vector<std::string> advised_protocols() {
#define PROTOCOL(row) takt_protocol_##row.name,
    return {TAKT_ADVISED_PROTOCOLS(PROTOCOL)};
#undef PROTOCOL
}

using ColumnRow = std::tuple<std::string, std::string, std::string, std::string>;

// For each frame its name, the option that asks for it, its meaning, and its columns: name, kind, unit, meaning.
std::vector<std::tuple<std::string, std::string, std::string, std::vector<ColumnRow>>> frames() {
#define TAKT_NUMBER_ROW(column, unit, meaning) {#column, "COUNT", unit, meaning},
    std::vector<std::tuple<std::string, std::string, std::string, std::vector<ColumnRow>>> all = {
        {"statistics", "", "counts of each task, over all its jobs", {TAKT_STATISTICS(TAKT_NUMBER_ROW)}},
        {"figures", "", "figures of a scheduler under an architecture", {TAKT_FIGURES(TAKT_NUMBER_ROW)}},
    };
    for (const takt_frame_text_t &frame : takt_frame_texts) {
        std::vector<ColumnRow> rows;
        for (uint32_t i = 0; i < frame.column_count; i++) {
            const takt_column_text_t &column = frame.columns[i];
            rows.emplace_back(column.name, column.kind, column.unit, column.meaning);
        }
        all.emplace_back(frame.name, frame.option, frame.meaning, rows);
    }
    return all;
}

// Whether resources under two protocols can be in one dispatcher.
bool protocols_mix(const std::string &one, const std::string &other) {
    return takt_protocols_mix(
        known(row_named(takt_protocols, TAKT_PROTOCOLS, one), "unknown protocol " + one),
        known(row_named(takt_protocols, TAKT_PROTOCOLS, other), "unknown protocol " + other));
}

} // namespace

void add_names(nb::module_ &m) {
    m.def("policies", &policies);
    m.def("policy_level", &policy_level, nb::arg("policy"), nb::arg("level"), nb::arg("period"),
          nb::arg("deadline"));
    m.def(
        "rate_of_section",
        [](uint64_t longest, uint64_t window) { return takt_rate_of_section(longest, window); },
        nb::arg("longest"), nb::arg("window"));
    m.def("rate_blocking_by", &rate_blocking_by, nb::arg("task"), nb::arg("other"), nb::arg("longest"),
          nb::arg("ceiling"));
    m.def("policy_key", &policy_key, nb::arg("policy"), nb::arg("level"), nb::arg("period"),
          nb::arg("deadline"));
    m.def("policy_traits", &policy_traits, nb::arg("policy"));
    m.def("server_kinds", &server_kinds);
    m.def("server_kind_traits", &server_kind_traits, nb::arg("kind"));
    m.def("protocols", &protocols);
    m.def("protocol_traits", &protocol_traits, nb::arg("protocol"));
    m.def("architectures", &architectures);
    m.def("roles", &roles);
    m.def("frames", &frames);
    m.def("advised_protocols", &advised_protocols);
    m.def("protocols_mix", &protocols_mix, nb::arg("one"), nb::arg("other"));
    add_checks(m);
}
