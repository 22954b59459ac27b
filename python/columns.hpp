/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Columns out, in the Arrow C data interface.
#ifndef TAKT_PYTHON_COLUMNS_HPP
#define TAKT_PYTHON_COLUMNS_HPP

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

// A finished column of numbers, shared with every importer.
class Column {
   public:
    // Takes `length` values of `width` bytes (1, 4 or 8) that malloc has made.
    Column(void *values, uint32_t width, uint64_t length);

    nanobind::typed<nanobind::tuple, nanobind::object, nanobind::object> arrow_c_array(
        nanobind::handle) const;

    // Returns the values as a list of numbers.
    nanobind::typed<nanobind::list, uint64_t> to_list() const;

    // True if one of the values is this one.
    bool contains(uint64_t value) const;

   private:
    std::shared_ptr<const void> values_;
    uint32_t width_;
    int64_t length_;
};

#endif
