/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Blocking under EDF, from columns, for all files of the binding that test demand.
#ifndef TAKT_PYTHON_ANALYSIS_EDF_BLOCKING_H
#define TAKT_PYTHON_ANALYSIS_EDF_BLOCKING_H

#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/edf_blocking.h"
}

using MaybeColumn = std::optional<Column>;

// Blocking, from columns: regions, and steps of B(L) in two columns.
struct Blocking {
    Blocking(size_t count, const MaybeColumn &regions, const MaybeColumn &from, const MaybeColumn &ticks) {
        require(from.has_value() == ticks.has_value(), "step_from: expected together with step_ticks");
        if (from) {
            const uint64_t *starts = times_of(*from, from->shape(0), 0, "step_from");
            const uint64_t *values = times_of(*ticks, from->shape(0), 0, "step_ticks");
            for (size_t k = 0; k < from->shape(0); k++) {
                require(k == 0 || starts[k] > starts[k - 1], "step_from: ascending values are expected");
                steps.push_back({starts[k], values[k]});
            }
        }
        blocking = {steps.data(), static_cast<uint32_t>(steps.size()),
                    regions ? times_of(*regions, count, 1, "regions") : nullptr};
    }
    std::vector<takt_blocking_step_t> steps;
    takt_edf_blocking_t blocking;
};

#endif
