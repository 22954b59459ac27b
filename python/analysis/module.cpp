/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Binding: the results of analysis/ as a Python module, takt._analysis. One file binds one family of results.
//
// Thin on purpose: columns of unsigned 64-bit integers come in, columns or single numbers go out, and nothing here
// decides anything. The preconditions of C are checked first. The interpreter's lock is released while C runs.
#include "python/analysis/module.hpp"

NB_MODULE(_analysis, m) {
    m.doc() =
        "Schedulability results: the binding of analysis/.\n\n"
        "Columns are numpy arrays of unsigned 64-bit integers, one value for each task. Times are in ticks. "
        "A verdict "
        "is UNSCHEDULABLE, SCHEDULABLE or UNDECIDED; `effort` is how many steps a test may take. A response "
        "is UNBOUNDED "
        "if it has no bound and UNKNOWN if the effort was too small; both are greater than any deadline.";
    m.attr("TIME_MAX") = TAKT_ANALYSIS_TIME_MAX;
    m.attr("UNSCHEDULABLE") = static_cast<int>(TAKT_UNSCHEDULABLE);
    m.attr("SCHEDULABLE") = static_cast<int>(TAKT_SCHEDULABLE);
    m.attr("UNDECIDED") = static_cast<int>(TAKT_UNDECIDED);
    bind_tasks(m);
    bind_fixed_priority(m);
    bind_assignment(m);
    bind_edf(m);
    bind_servers(m);
    bind_blocking(m);
    bind_architectures(m);
}
