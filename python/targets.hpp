/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Rows of Python as the specs of tasks that other tasks release (sim/links.h).
#ifndef TAKT_PYTHON_TARGETS_HPP
#define TAKT_PYTHON_TARGETS_HPP

#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <vector>

extern "C" {
#include "sim/links.h"
}

// kind, a, b, least, most, values: of a stream that no image holds
using StreamRow = std::tuple<uint32_t, double, double, uint64_t, uint64_t, std::vector<uint64_t>>;
// part and index of the source, item or none: at the end, every, first, initial, limit or none, replaces, delay or none
using EdgeRow = std::tuple<uint32_t, uint32_t, std::optional<uint32_t>, uint64_t, uint64_t, uint64_t,
                           std::optional<uint64_t>, bool, std::optional<StreamRow>>;
// part and index of the task, joins any, counts from the origin, offset, jitter, edges
using TargetRow = std::tuple<uint32_t, uint32_t, bool, bool, uint64_t, uint64_t, std::vector<EdgeRow>>;

// The specs of targets; what C points to does not move.
struct Targets {
    std::deque<takt_stream_t> streams;
    std::deque<std::vector<takt_edge_spec_t>> edges;
    std::vector<takt_target_spec_t> specs;

    // `rows` must outlive it: streams take their values from there.
    explicit Targets(const std::vector<TargetRow> &rows);

   private:
    takt_edge_spec_t edge(const EdgeRow &row);
    const takt_stream_t *stream(const StreamRow &row);
};

#endif
