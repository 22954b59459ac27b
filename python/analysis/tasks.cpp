/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// What each column is: its name, its range, how long it is, and how it relates to others. Here, and nowhere else.
#include "python/analysis/tasks.hpp"

extern "C" {
#include "analysis/preemption_thresholds.h"
}

namespace {

constexpr uint64_t kMost = TAKT_ANALYSIS_TIME_MAX;

// The end of what stays.
constexpr uint64_t kForGood = UINT64_MAX;

// Columns of one group are equally long, and given together: those of tasks as long as there are tasks.
enum Group { kEach, kSteps, kServerTasks, kHeads, kList };

// One value of a column, and the columns beside it.
struct Cell {
    const std::array<std::vector<uint64_t>, kColumns> &all;
    Name name;
    size_t at;
    uint64_t value() const { return of(name); }
    uint64_t of(Name other) const { return all[other][at]; }
    uint64_t before() const { return at == 0 ? 0 : all[name][at - 1]; }
    size_t count() const { return all[kWcet].size(); }
    bool ascends() const { return at == 0 || value() > before(); }
};

struct Rule {
    Range range;
    Group group = kEach;
    bool (*holds)(const Cell &) = nullptr;
    const char *expected = "";
};

bool is_at_most_wcet(const Cell &cell) { return cell.value() <= cell.of(kWcet); }

bool is_server(const Cell &cell) {
    return cell.of(kWcet) <= cell.of(kPeriod) && cell.of(kJitter) == 0 &&
           cell.of(kDeadline) == cell.of(kPeriod);
}

constexpr const char *kWithinWcet = "at most the wcet is expected";

// In the order of Name.
constexpr Rule kRules[kColumns] = {
    {{"wcet", 1}},
    {{"period", 1}},
    {{"deadline", 1}},
    {{"jitter"}},
    {{"blocking"}},
    {{"last", 1}, kEach, is_at_most_wcet, kWithinWcet},
    {{"longest"}, kEach, is_at_most_wcet, kWithinWcet},
    {{"above"},
     kEach,
     [](const Cell &cell) {
         return cell.value() >= std::max<uint64_t>(cell.at, cell.before()) && cell.value() <= cell.count();
     },
     "places that ascend, from the task's own on, are expected"},
    {{"threshold"},
     kEach,
     [](const Cell &cell) { return cell.value() <= cell.at; },
     "places up to the task's own are expected"},
    {{"regions", 1}},
    {{"step_ticks"}, kSteps},
    {{"step_from"}, kSteps, [](const Cell &cell) { return cell.ascends(); }, "ascending values are expected"},
    {{"points"}},
    {{"wanted", 0, 1}},
    {{"kind", TAKT_CHILD_TASK, TAKT_CHILD_KERNEL},
     kEach,
     [](const Cell &cell) {
         return cell.value() == TAKT_CHILD_TASK || cell.value() == TAKT_CHILD_KERNEL || is_server(cell);
     },
     "a server has Q <= P, its period as deadline, and no jitter"},
    {{"inside"}},
    {{"inside_wcet", 1}, kServerTasks},
    {{"inside_period", 1}, kServerTasks},
    {{"inside_jitter"}, kServerTasks},
    {{"head_gap"}, kHeads},
    {{"head_delay"},
     kHeads,
     [](const Cell &cell) { return cell.value() <= cell.of(kHeadGap); },
     "the gap ends before its ticks"},
    {{"head_ticks"},
     kHeads,
     [](const Cell &cell) { return cell.of(kHeadDelay) + cell.value() <= cell.of(kHeadGap); },
     "the gap ends before its ticks"},
    {{"start"}},
    {{"until", 1, kForGood},
     kEach,
     [](const Cell &cell) {
         return cell.value() > cell.of(kStart) && (cell.value() <= kMost || cell.value() == kForGood);
     },
     "instants behind those in start are expected"},
    {{"listed", 0, UINT32_MAX},
     kEach,
     [](const Cell &cell) { return cell.value() == 0 || cell.of(kUntil) == kForGood; },
     "no end in until is expected of a source with a list"},
    {{"arrivals"}, kList},
    {{"rank"}},
};

// What is there only together: the last one of a row needs all.
constexpr std::initializer_list<std::pair<Name, Name>> kTogether = {
    {kStepFrom, kStepTicks},
    {kStepTicks, kStepFrom},
    {kInside, kInsideWcet},
    {kInsideWcet, kInsidePeriod},
    {kInsidePeriod, kInsideWcet},
    {kInsideJitter, kInsideWcet},
    {kInsideWcet, kInside},
    {kHeadGap, kHeadDelay},
    {kHeadDelay, kHeadTicks},
    {kHeadTicks, kHeadGap},
    {kStart, kUntil},
    {kUntil, kListed},
    {kListed, kArrivals},
    {kArrivals, kStart},
};

const char *name_of(Name name) { return kRules[name].range.name; }

} // namespace

takt_supply_t supply_of(const Supply &words) {
    const auto [period, budget, gap, loss] = words;
    checked({"supply: period", 1}, period);
    checked({"supply: budget", 1, period}, budget);
    checked({"supply: gap", 0, 2 * period - 1}, gap);
    checked({"supply: loss"}, loss);
    return {period, budget, gap, loss};
}

void Tasks::take(Name name, const Column &column) {
    const size_t count = kRules[name].group == kEach ? values[kWcet].size() : column.shape(0);
    const uint64_t *given = checked(kRules[name].range, column, name == kWcet ? column.shape(0) : count);
    values[name].assign(given, given + column.shape(0));
    is_given[name] = true;
}

Tasks::Tasks(const Column &wcet, const Column &period, const Optional &deadline, const Optional &jitter,
             const std::optional<Supply> &words, nb::kwargs more) {
    take(kWcet, wcet);
    take(kPeriod, period);
    take(kDeadline, deadline ? *deadline : period);
    values[kJitter].resize(wcet.shape(0));
    if (jitter) {
        take(kJitter, *jitter);
    }
    for (const auto [key, value] : more) {
        const auto word = nb::cast<std::string>(key);
        const auto *rule = std::find_if(std::begin(kRules), std::end(kRules),
                                        [&](const Rule &each) { return word == each.range.name; });
        Column column;
        if (rule == std::end(kRules)) {
            refuse(word, "no column has this name");
        }
        if (!value.is_none()) {
            if (!nb::try_cast<Column>(value, column)) {
                throw nb::type_error((word + ": a column of unsigned 64-bit integers is expected").c_str());
            }
            take(static_cast<Name>(rule - std::begin(kRules)), column);
        }
    }
    if (words) {
        supply = supply_of(*words);
    }
    check_lengths();
    check_relations();
    make_records();
}

void Tasks::check_lengths() const {
    if (values[kWcet].size() > kTasksMost) {
        refuse("wcet", "too many tasks");
    }
    for (const auto &[name, other] : kTogether) {
        if (is_given[name] && !is_given[other]) {
            refuse(name_of(name), std::string("expected together with ") + name_of(other));
        }
        if (is_given[name] && kRules[name].group == kRules[other].group &&
            values[name].size() != values[other].size()) {
            refuse(name_of(name), std::string("as many values as in ") + name_of(other) + " are expected");
        }
    }
    for (const auto &[counts, list] : {std::pair(kInside, kInsideWcet), std::pair(kListed, kArrivals)}) {
        uint64_t left = is_given[counts] ? values[list].size() : 0;
        bool fits = true;
        for (const uint64_t each : values[counts]) {
            fits = fits && each <= left;
            left -= fits ? each : 0;
        }
        if (!fits || left != 0) {
            refuse(name_of(counts),
                   std::string("as many altogether as in ") + name_of(list) + " are expected");
        }
    }
}

void Tasks::check_relations() const {
    for (size_t name = 0; name < kColumns; name++) {
        const Rule &rule = kRules[name];
        for (size_t at = 0; rule.holds != nullptr && at < values[name].size(); at++) {
            if (!rule.holds({values, static_cast<Name>(name), at})) {
                refuse(rule.range.name, rule.expected);
            }
        }
    }
}

// Makes what C takes of the columns.
void Tasks::make_records() {
    const size_t size = values[kWcet].size();
    tasks.resize(size);
    for (size_t i = 0; i < size; i++) {
        tasks[i] = {values[kWcet][i], values[kPeriod][i], values[kDeadline][i], values[kJitter][i]};
    }
    above.assign(values[kAbove].begin(), values[kAbove].end());
    for (const uint64_t kind : values[kKind]) {
        kinds.push_back(static_cast<takt_child_kind_t>(kind));
    }
    for (size_t i = 0; i < values[kLast].size(); i++) {
        ends.push_back({tasks[i].wcet, values[kLast][i], 0});
    }
    if (is_given[kThreshold]) {
        const std::vector<uint32_t> places(values[kThreshold].begin(), values[kThreshold].end());
        blocking.resize(size);
        ends.resize(size);
        takt_fpts_prepare(tasks.data(), places.data(), count(), blocking.data(), ends.data());
    }
    for (size_t k = 0; k < values[kInsideWcet].size(); k++) {
        const uint64_t period = values[kInsidePeriod][k];
        inside.push_back(
            {values[kInsideWcet][k], period, period, is_given[kInsideJitter] ? values[kInsideJitter][k] : 0});
    }
    const takt_sporadic_t *first = inside.data();
    for (const uint64_t each : values[kInside]) {
        server_tasks.push_back({first, static_cast<uint32_t>(each)});
        first += each;
    }
    for (size_t k = 0; k < values[kHeadGap].size(); k++) {
        heads.push_back({values[kHeadGap][k], values[kHeadDelay][k], values[kHeadTicks][k]});
    }
    for (size_t k = 0; k < values[kStepFrom].size(); k++) {
        steps.push_back({values[kStepFrom][k], values[kStepTicks][k]});
    }
}

const uint64_t *Tasks::column(Name name) const { return is_given[name] ? values[name].data() : nullptr; }

void Tasks::accept(std::initializer_list<Name> read, bool has_supply) const {
    for (size_t name = kBlocking; name < kColumns; name++) {
        if (is_given[name] && std::find(read.begin(), read.end(), name) == read.end()) {
            refuse(name_of(static_cast<Name>(name)), "this test does not read it");
        }
    }
    if (supply && !has_supply) {
        refuse("supply", "this test does not read it");
    }
}

takt_children_t Tasks::under_priorities() const {
    if (std::find(kinds.begin(), kinds.end(), TAKT_CHILD_BANDWIDTH) != kinds.end()) {
        refuse("kind", "bandwidth servers stand under EDF only");
    }
    if (is_given[kThreshold] && (is_given[kBlocking] || is_given[kLast])) {
        refuse("threshold", "neither blocking nor last is expected beside it");
    }
    takt_children_t children = under_edf();
    children.blocking = is_given[kThreshold] ? blocking.data() : column(kBlocking);
    children.ends = ends.empty() ? nullptr : ends.data();
    children.above = above_places();
    children.server_tasks = server_tasks.empty() ? nullptr : server_tasks.data();
    children.heads = heads.data();
    children.head_count = static_cast<uint32_t>(heads.size());
    return children;
}

takt_children_t Tasks::under_edf() const {
    takt_children_t children = {};
    children.tasks = tasks.data();
    children.count = count();
    children.kinds = kinds.empty() ? nullptr : kinds.data();
    children.supply = supply ? &*supply : nullptr;
    return children;
}

takt_edf_blocking_t Tasks::edf_blocking() const {
    return {steps.data(), static_cast<uint32_t>(steps.size()), column(kRegions)};
}

void Tasks::require_within_periods() const {
    for (const takt_sporadic_t &task : tasks) {
        checked({"wcet", 1, task.period}, task.wcet);
    }
}

std::vector<takt_source_t> Tasks::sources() const {
    std::vector<takt_source_t> sources(is_given[kStart] ? count() : 0);
    const uint64_t *arrivals = values[kArrivals].data();
    if (sources.size() < tasks.size()) {
        refuse("start", "instants are expected");
    }
    for (size_t i = 0; i < sources.size(); i++) {
        const uint64_t until = values[kUntil][i];
        const auto listed = static_cast<uint32_t>(values[kListed][i]);
        if (!std::is_sorted(arrivals, arrivals + listed)) {
            refuse("arrivals", "instants that ascend are expected");
        }
        sources[i] = {tasks[i], listed > 0 ? arrivals : nullptr, listed, values[kStart][i],
                      until == kForGood ? TAKT_ANALYSIS_LIMIT : until};
        arrivals += listed;
    }
    return sources;
}

static Numbers busy_periods(const Tasks &tasks, takt_effort_t effort) {
    tasks.accept({kStart, kUntil, kListed, kArrivals});
    const std::vector<takt_source_t> sources = tasks.sources();
    std::vector<takt_response_t> longest(sources.size());
    Memory memory(sources.size());
    takt_busy_room_t room{memory.fractions.data(), memory.next.data()};
    {
        const nb::gil_scoped_release release;
        takt_busy_periods(sources.data(), tasks.count(), longest.data(), &room, &effort);
    }
    return column_of(longest, ticks_of);
}

static const char kTasksDocument[] = R"(
Tasks and servers of a dispatcher, the most urgent first where priorities order. Columns are checked here.

Args:
    wcet, period, deadline, jitter: of each; without deadlines the periods, without jitter 0. A server has its budget as
        wcet, its period as period and as deadline, and no jitter.
    supply: of the dispatcher; None: the processor.
    blocking: by less urgent ones; 0 unless given.
    last: the length of the last non-preemptive region; 1 unless given, which is full preemption.
    longest: the length of the longest one; with costs 0 for preemptive tasks.
    above: how many, the most urgent, interfere; else the own index. Among equals the index after the last of them.
    threshold: how many, the most urgent, preempt a started job, up to the own index; instead of blocking and last.
    regions: under deadlines the longest region without preemption: 1 for none, the wcets for non-preemptive EDF.
    step_from, step_ticks: under deadlines B(L) of sections: from that L on, ascending, so many ticks.
    points: how many points a job has.
    wanted: 1 if it must meet its deadline whatever changes, else 0; 1 unless given.
    kind: TASK, PERIODIC, DEFERRABLE, SPORADIC, SEPARATED, BANDWIDTH or KERNEL; TASK unless given.
    inside: how many rows of inside_wcet, inside_period, inside_jitter are the tasks of each server.
    head_gap, head_delay, head_ticks: ways in which the supply may begin in place of its gap, of which the latest counts:
        the ticks after the delay, then the budgets after the gap.
    start, until: it releases jobs at `start` or later and before `until`, which may be FOR_GOOD.
    listed, arrivals: how many arrivals it has, which stand one list after the other; then its period is not read, and it
        has no end.
    rank: under deadlines which one goes first at equal deadlines, the smaller one; else all others go first.

Raises:
    ValueError: a column has a value out of range, or does not fit the others. A test raises it for a column that it does
        not read.
)";

void bind_tasks(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("FOR_GOOD") = kForGood;
    nb::class_<Tasks>(m, "Tasks", kTasksDocument)
        .def(nb::init<const Column &, const Column &, const Optional &, const Optional &,
                      const std::optional<Supply> &, nb::kwargs>(),
             "wcet"_a, "period"_a, "deadline"_a = nb::none(), "jitter"_a = nb::none(),
             "supply"_a = nb::none(), "more"_a);
    m.def("busy_periods", busy_periods, "tasks"_a, "effort"_a = kEffort,
          "Return for each task the longest busy period in which it may release a job, under any order; or "
          "UNBOUNDED.");
}
