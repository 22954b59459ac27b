/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// The record that almost every test takes: the tasks and servers of a dispatcher, as columns.
#ifndef TAKT_PYTHON_ANALYSIS_TASKS_H
#define TAKT_PYTHON_ANALYSIS_TASKS_H

#include <array>

#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/busy_period.h"
#include "analysis/demand.h"
}

// The largest number of tasks that analysis/demand.h admits.
constexpr size_t kTasksMost = size_t(1) << 22;

// Period, budget, gap, loss.
using Supply = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>;

// The supply of these words, in range.
takt_supply_t supply_of(const Supply &words);

// The columns, in the order in which they are checked.
enum Name {
    kWcet,
    kPeriod,
    kDeadline,
    kJitter,
    kBlocking,
    kLast,
    kLongest,
    kAbove,
    kThreshold,
    kRegions,
    kStepTicks,
    kStepFrom,
    kPoints,
    kWanted,
    kKind,
    kInside,
    kInsideWcet,
    kInsidePeriod,
    kInsideJitter,
    kHeadGap,
    kHeadDelay,
    kHeadTicks,
    kStart,
    kUntil,
    kListed,
    kArrivals,
    kRank,
    kColumns,
};

// All that its columns say is checked when it is made, so that every test may take it.
class Tasks {
   public:
    Tasks(const Column &wcet, const Column &period, const Optional &deadline, const Optional &jitter,
          const std::optional<Supply> &supply, nb::kwargs more);
    Tasks(const Tasks &) = delete;
    Tasks &operator=(const Tasks &) = delete;

    uint32_t count() const { return static_cast<uint32_t>(tasks.size()); }

    // A column, NULL if it is not given.
    const uint64_t *column(Name name) const;

    // Refuses what a test does not read: a column beyond the first four and `read`, a supply.
    void accept(std::initializer_list<Name> read, bool has_supply = false) const;

    // The children under fixed priorities, or under EDF, where only tasks, kinds and supply are read. Refuses what is
    // not theirs.
    takt_children_t under_priorities() const;
    takt_children_t under_edf() const;

    // The processor's, or that of a supply, under EDF.
    takt_edf_blocking_t edf_blocking() const;

    // The number of tasks inside of servers.
    size_t inside_count() const { return inside.size(); }

    void require_within_periods() const;

    std::vector<takt_sporadic_t> tasks;
    std::vector<uint32_t> above; // empty if the column is not given

    const uint32_t *above_places() const { return column(kAbove) != nullptr ? above.data() : nullptr; }

    std::vector<takt_source_t> sources() const;

   private:
    void take(Name name, const Column &column);
    void check_lengths() const;
    void check_relations() const;
    void make_records();

    std::array<std::vector<uint64_t>, kColumns> values;
    std::array<bool, kColumns> is_given{};
    std::optional<takt_supply_t> supply;
    std::vector<takt_child_kind_t> kinds;
    std::vector<takt_fp_end_t> ends;
    std::vector<takt_duration_t> blocking; // under thresholds
    std::vector<takt_sporadic_t> inside;
    std::vector<takt_server_tasks_t> server_tasks;
    std::vector<takt_supply_head_t> heads;
    std::vector<takt_blocking_step_t> steps;
};

// Working memory for the children of one dispatcher.
struct Memory {
    explicit Memory(size_t count, size_t inside = 0)
        : fractions(count + inside + 2), next(count + inside + 2), later(count), seen(count) {}
    takt_fp_memory_t view() { return {fractions.data(), next.data(), later.data(), seen.data()}; }
    std::vector<takt_fraction_t> fractions;
    std::vector<uint64_t> next, later;
    std::vector<takt_sporadic_t> seen;
};

// Working memory of tests of EDF: lines of one kind, shares, rests.
template <typename Line, typename View>
struct Room {
    explicit Room(size_t count)
        : lines(count),
          shares(count + 1),
          rests(count + 1),
          view{lines.data(), shares.data(), rests.data()} {}
    std::vector<Line> lines;
    std::vector<takt_fraction_t> shares;
    std::vector<uint64_t> rests;
    View view;
};

using DemandRoom = Room<takt_demand_line_t, takt_demand_room_t>;

#endif
