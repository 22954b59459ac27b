/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "python/columns.hpp"

#include <algorithm>
#include <cstdlib>

namespace nb = nanobind;

namespace {

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

// The owner that an exported array keeps alive.
struct ArrowOwner {
    std::shared_ptr<const void> values;
    const void *buffers[2];
};

template <typename Record>
void release_capsule(PyObject *capsule) {
    auto *record = static_cast<Record *>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    if (record->release != nullptr) {
        record->release(record);
    }
    delete record;
}

void release_schema(ArrowSchema *schema) { schema->release = nullptr; }

void release_array(ArrowArray *array) {
    delete static_cast<ArrowOwner *>(array->private_data);
    array->release = nullptr;
}

template <typename Value>
void append(nb::list &list, const void *values, int64_t length) {
    const auto *first = static_cast<const Value *>(values);
    std::for_each(first, first + length, [&](Value value) { list.append(value); });
}

template <typename Value>
bool has(uint64_t value, const void *values, int64_t length) {
    const auto *first = static_cast<const Value *>(values);
    return std::find(first, first + length, value) != first + length;
}

const char *format_of(uint32_t width) { return width == 1 ? "C" : width == 4 ? "I" : "L"; }

} // namespace

Column::Column(void *values, uint32_t width, uint64_t length)
    : values_(values, std::free), width_(width), length_(static_cast<int64_t>(length)) {}

nb::typed<nb::tuple, nb::object, nb::object> Column::arrow_c_array(nb::handle) const {
    auto *schema =
        new ArrowSchema{format_of(width_), "", nullptr, 0, 0, nullptr, nullptr, release_schema, nullptr};
    auto *owner = new ArrowOwner{values_, {nullptr, values_.get()}};
    auto *array = new ArrowArray{length_, 0, 0, 2, 0, owner->buffers, nullptr, nullptr, release_array, owner};
    return nb::make_tuple(nb::steal(PyCapsule_New(schema, "arrow_schema", release_capsule<ArrowSchema>)),
                          nb::steal(PyCapsule_New(array, "arrow_array", release_capsule<ArrowArray>)));
}

nb::typed<nb::list, uint64_t> Column::to_list() const {
    nb::list list;
    (width_ == 1   ? append<uint8_t>
     : width_ == 4 ? append<uint32_t>
                   : append<uint64_t>)(list, values_.get(), length_);
    return list;
}

bool Column::contains(uint64_t value) const {
    return (width_ == 1   ? has<uint8_t>
            : width_ == 4 ? has<uint32_t>
                          : has<uint64_t>)(value, values_.get(), length_);
}
