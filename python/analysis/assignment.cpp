// Binding of what is chosen so that a set fits: priorities, points, regions, thresholds; and of utilization bounds.
#include "python/analysis/module.hpp"

extern "C" {
#include "analysis/utilization_bounds.h"
}

namespace {

using Jitter = std::optional<Column>;

template <typename T>
uint32_t count_of(const std::vector<T> &values) {
    return static_cast<uint32_t>(values.size());
}

// ---- utilization bounds -------------------------------------------------------------------------------------

int liu_layland(const Column &wcet, const Column &period, const Column &deadline, const Jitter &jitter) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    const nb::gil_scoped_release released;
    return takt_liu_layland_decide(tasks.data(), count_of(tasks));
}

int hyperbolic(const Column &wcet, const Column &period, const Column &deadline, const Jitter &jitter) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<uint64_t> words(2 * tasks.size() + 2);
    const nb::gil_scoped_release released;
    return takt_hyperbolic_decide(tasks.data(), count_of(tasks), words.data());
}

std::tuple<int, uint32_t> harmonic_chains(const Column &wcet, const Column &period, const Column &deadline,
                                          const Jitter &jitter) {
    const auto tasks = tasks_of(wcet, period, deadline, jitter);
    std::vector<takt_chain_link_t> links(tasks.size());
    uint32_t chains = 0;
    const nb::gil_scoped_release released;
    const int verdict = takt_harmonic_decide(tasks.data(), count_of(tasks), links.data(), &chains);
    return {verdict, chains};
}

void bind_utilization_bounds(nb::module_ &m) {
    m.def("liu_layland", liu_layland, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none());
    m.def("hyperbolic", hyperbolic, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none());
    m.def("harmonic_chains", harmonic_chains, nb::arg("wcet"), nb::arg("period"), nb::arg("deadline"),
          nb::arg("jitter") = nb::none());
}

} // namespace

void bind_assignment(nb::module_ &m) { bind_utilization_bounds(m); }
