/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Shared by the files of the binding: columns and their checks.
#ifndef TAKT_PYTHON_ANALYSIS_MODULE_H
#define TAKT_PYTHON_ANALYSIS_MODULE_H

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#define _Static_assert static_assert
#include "analysis/fp_growth.h"
}

namespace nb = nanobind;

// One value for each task; and one row for each task set, one value in it for each task.
using Column = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Optional = std::optional<Column>;
using Matrix = nb::ndarray<const uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The default number of steps of an analysis: seconds, not minutes.
constexpr takt_effort_t kEffort = UINT64_C(100000000);

inline void require(bool condition, const std::string &message) {
    if (!condition) {
        throw std::invalid_argument(message);
    }
}

// Checks that a column has `length` values in [least, TAKT_ANALYSIS_TIME_MAX].
inline const uint64_t *times_of(const Column &column, size_t length, uint64_t least, const char *name) {
    require(column.shape(0) == length, std::string(name) + ": as many values as tasks are expected");
    for (size_t i = 0; i < length; i++) {
        const uint64_t value = column.data()[i];
        require(value >= least && value <= TAKT_ANALYSIS_TIME_MAX,
                std::string(name) + ": a value is out of range");
    }
    return column.data();
}

// Checks that a matrix has the shape of another and values in [1, TAKT_ANALYSIS_TIME_MAX].
inline void require_times(const Matrix &matrix, const Matrix &other, const char *name) {
    require(matrix.shape(0) == other.shape(0) && matrix.shape(1) == other.shape(1),
            std::string(name) + ": one row for each task set, one value for each task is expected");
    const bool fits = std::all_of(matrix.data(), matrix.data() + matrix.size(), [](uint64_t value) {
        return value >= 1 && value <= TAKT_ANALYSIS_TIME_MAX;
    });
    require(fits, std::string(name) + ": a value is out of range");
}

// The same for a column that may be missing.
inline const uint64_t *optional_times(const Optional &column, size_t count, uint64_t least,
                                      const char *name) {
    return column ? times_of(*column, count, least, name) : nullptr;
}

// Places of tasks, one for each.
inline std::vector<uint32_t> above_of(const Optional &above, size_t count) {
    const uint64_t *places = optional_times(above, count, 0, "above");
    std::vector<uint32_t> checked(above ? count : 0);
    for (size_t i = 0; i < checked.size(); i++) {
        const uint64_t least = i == 0 ? 0 : checked[i - 1];
        require(places[i] >= i && places[i] >= least && places[i] <= count,
                "above: places that ascend, from the task's own on, are expected");
        checked[i] = static_cast<uint32_t>(places[i]);
    }
    return checked;
}

// Makes the tasks of columns that are all equally long.
inline std::vector<takt_sporadic_t> tasks_of(const Column &wcet, const Column &period, const Column &deadline,
                                             const std::optional<Column> &jitter) {
    const size_t count = wcet.shape(0);
    const uint64_t *c = times_of(wcet, count, 1, "wcet");
    const uint64_t *t = times_of(period, count, 1, "period");
    const uint64_t *d = times_of(deadline, count, 1, "deadline");
    const uint64_t *j = jitter ? times_of(*jitter, count, 0, "jitter") : nullptr;
    std::vector<takt_sporadic_t> tasks(count);
    for (size_t i = 0; i < count; i++) {
        tasks[i] = {c[i], t[i], d[i], j != nullptr ? j[i] : 0};
    }
    return tasks;
}

// Hands a vector to Python as an array of its own.
template <typename T, size_t dimensions>
nb::object array_of_shape(std::vector<T> values, const size_t (&shape)[dimensions]) {
    auto *owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<dimensions>>(owned->data(), dimensions, shape, owner));
}

template <typename T>
nb::object array_of(std::vector<T> values) {
    const size_t shape[1] = {values.size()};
    return array_of_shape(std::move(values), shape);
}

// The same for rows of `width` values each.
template <typename T>
nb::object matrix_of(std::vector<T> values, size_t width) {
    const size_t shape[2] = {width == 0 ? 0 : values.size() / width, width};
    return array_of_shape(std::move(values), shape);
}

// The value of a response that has no bound: greater than any deadline.
constexpr uint64_t kUnbounded = UINT64_MAX;
constexpr uint64_t kUnknown = UINT64_MAX - 1;

inline uint64_t ticks_of(const takt_response_t &response) {
    return response.is_bounded ? response.ticks : response.is_decided ? kUnbounded : kUnknown;
}

// Longest wcets as a column: 0 if no wcet is schedulable.
inline nb::object column_of(const std::vector<takt_growth_t> &growths) {
    std::vector<uint64_t> ticks;
    for (const takt_growth_t &growth : growths) {
        ticks.push_back(growth.is_decided ? growth.wcet : kUnknown);
    }
    return array_of(std::move(ticks));
}

inline void require_within_periods(const std::vector<takt_sporadic_t> &tasks) {
    for (const takt_sporadic_t &task : tasks) {
        require(task.wcet <= task.period, "wcet: at most the period is expected");
    }
}

void bind_fixed_priority(nb::module_ &m);
void bind_assignment(nb::module_ &m);
void bind_edf(nb::module_ &m);
void bind_servers(nb::module_ &m);
void bind_blocking(nb::module_ &m);
void bind_architectures(nb::module_ &m);
void bind_any_order(nb::module_ &m);

#endif
