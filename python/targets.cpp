/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "python/targets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

Targets::Targets(const std::vector<TargetRow> &rows) {
    for (const auto &[part, task, joins_any, counts_from_origin, offset, jitter, from] : rows) {
        std::vector<takt_edge_spec_t> own;
        std::transform(from.begin(), from.end(), std::back_inserter(own),
                       [&](const EdgeRow &row) { return edge(row); });
        edges.push_back(std::move(own));
        specs.push_back({part, task, joins_any, counts_from_origin, offset, jitter, edges.back().data(),
                         static_cast<uint32_t>(edges.back().size())});
    }
}

takt_edge_spec_t Targets::edge(const EdgeRow &row) {
    const auto &[part, source, item, every, first, initial, limit, replaces, delay] = row;
    return {part,
            source,
            item.value_or(TAKT_LINK_AT_END),
            every,
            first,
            initial,
            limit.value_or(TAKT_LINK_UNLIMITED),
            replaces,
            delay ? stream(*delay) : nullptr};
}

const takt_stream_t *Targets::stream(const StreamRow &row) {
    const auto &[kind, a, b, least, most, values] = row;
    takt_stream_t made = {};
    made.kind = static_cast<takt_stream_kind_t>(kind);
    made.count = values.size();
    made.a = a;
    made.b = b;
    made.least = least;
    made.most = most;
    made.values = values.data();
    streams.push_back(made);
    return &streams.back();
}
