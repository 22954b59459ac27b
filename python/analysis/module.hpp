/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Shared by the files of the binding: what comes in, is checked once, and goes out.
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
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
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

// ---- what comes in -----------------------------------------------------------------------------------------------

// What a number or the values of a column are called, and their range.
struct Range {
    const char *name;
    uint64_t least = 0;
    uint64_t most = TAKT_ANALYSIS_TIME_MAX;
};

[[noreturn]] inline void refuse(const std::string &name, const std::string &why) {
    throw std::invalid_argument(name + ": " + why);
}

inline uint64_t checked(const Range &range, uint64_t value) {
    if (value < range.least || value > range.most) {
        refuse(range.name, "a value is out of range");
    }
    return value;
}

inline const uint64_t *checked(const Range &range, const uint64_t *values, size_t count) {
    const uint64_t least = range.least;
    const uint64_t most = range.most;
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        fits &= (values[i] >= least) & (values[i] <= most);
    }
    if (!fits) {
        refuse(range.name, "a value is out of range");
    }
    return values;
}

inline const uint64_t *checked(const Range &range, const Column &column, size_t count) {
    if (column.shape(0) != count) {
        refuse(range.name, "as many values as tasks are expected");
    }
    return checked(range, column.data(), count);
}

// Checks that the matrix has the shape of another.
inline const uint64_t *checked(const Range &range, const Matrix &matrix, const Matrix &other) {
    if (matrix.shape(0) != other.shape(0) || matrix.shape(1) != other.shape(1)) {
        refuse(range.name, "one row for each task set, one value for each task is expected");
    }
    return checked(range, matrix.data(), matrix.size());
}

// Checks numbers of which none is less than the one before, and the last one is a time.
inline void check_ascent(const char *name, const char *expected, std::initializer_list<uint64_t> values) {
    if (!std::is_sorted(values.begin(), values.end()) || *(values.end() - 1) > TAKT_ANALYSIS_TIME_MAX) {
        refuse(name, std::string(expected) + " is expected");
    }
}

// ---- what goes out -----------------------------------------------------------------------------------------------

template <typename T, size_t dimensions = 1>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<dimensions>>;
using Numbers = Array<uint64_t>;
using Verdicts = Array<uint8_t>;

// Hands a vector to Python as an array of its own.
template <typename T, size_t dimensions>
Array<T, dimensions> array_of_shape(std::vector<T> values, const size_t (&shape)[dimensions]) {
    auto *owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return {owned->data(), dimensions, shape, owner};
}

template <typename T>
Array<T> array_of(std::vector<T> values) {
    const size_t shape[1] = {values.size()};
    return array_of_shape(std::move(values), shape);
}

// The same for rows of `width` values each.
template <typename T>
Array<T, 2> matrix_of(std::vector<T> values, size_t width) {
    const size_t shape[2] = {width == 0 ? 0 : values.size() / width, width};
    return array_of_shape(std::move(values), shape);
}

// The column that `field` gives of each record.
template <typename Record, typename Field>
auto column_of(const std::vector<Record> &records, Field field) {
    std::vector<std::decay_t<decltype(field(records[0]))>> values(records.size());
    std::transform(records.begin(), records.end(), values.begin(), field);
    return array_of(std::move(values));
}

// The value of a response that has no bound: greater than any deadline.
constexpr uint64_t kUnbounded = UINT64_MAX;
constexpr uint64_t kUnknown = UINT64_MAX - 1;

inline uint64_t ticks_of(const takt_response_t &response) {
    return response.is_bounded ? response.ticks : response.is_decided ? kUnbounded : kUnknown;
}

// Ticks of responses, and which job responds so late.
inline std::tuple<Numbers, Numbers> columns_of(const std::vector<takt_response_t> &responses) {
    return {column_of(responses, ticks_of),
            column_of(responses, [](const takt_response_t &each) { return each.job; })};
}

// Longest wcets as a column: 0 if no wcet is schedulable.
inline Numbers column_of(const std::vector<takt_growth_t> &growths) {
    return column_of(growths,
                     [](const takt_growth_t &each) { return each.is_decided ? each.wcet : kUnknown; });
}

void bind_tasks(nb::module_ &m);
void bind_fixed_priority(nb::module_ &m);
void bind_assignment(nb::module_ &m);
void bind_edf(nb::module_ &m);
void bind_servers(nb::module_ &m);
void bind_blocking(nb::module_ &m);
void bind_architectures(nb::module_ &m);

#endif
