/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// What system/check.h and system/matrix.def say goes together, and what an image violates of it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>

#include "names.h"

extern "C" {
#include "system/check.h"
}

namespace nb = nanobind;

namespace {

#define TABLE_NAME(place, record, list, least, most, meaning) #place,
const char *const table_names[] = {TAKT_TABLES(TABLE_NAME)};

// For each relation its name and its message, the pairs of the matrix last.
std::vector<std::tuple<std::string, std::string>> relations() {
    std::vector<std::tuple<std::string, std::string>> rows;
    for (int i = 0; i < TAKT_RELATIONS; i++) {
        const auto relation = static_cast<takt_relation_t>(i);
        rows.emplace_back(takt_relation_name(relation), takt_relation_message(relation));
    }
    return rows;
}

// For each pair of the matrix its traits, the table of the second one, and the reason.
std::vector<std::tuple<std::string, std::string, std::string, std::string>> matrix() {
#define PAIR(one, other, reason) {#one, #other, table_names[takt_traits[TAKT_TRAIT_##other].table], reason},
    return {TAKT_MATRIX(PAIR)};
#undef PAIR
}

// What an image violates, `policies` of whose policies are the caller's: relation, table and row of each violation.
std::vector<std::tuple<std::string, std::string, uint32_t>> check(const nb::bytes &bytes, uint32_t policies) {
    std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
    memcpy(words.data(), bytes.c_str(), words.size() * sizeof(uint64_t));
    takt_policy_t own = {};
    own.order = TAKT_ORDER_KEYS;
    const std::vector<const takt_policy_t *> owns(policies, &own);
    takt_image_t image = {words.data(), words.size(), owns.data(), policies, {}};
    uint64_t size = 0;
    takt_program_t program = {};
    takt_image_status_t status = takt_image_size(&image, &size);
    // Of words, which new aligns for any record: padding of std::max_align_t would not be zeroed.
    std::vector<uint64_t> memory(size / sizeof(uint64_t) + 1);
    if (status == TAKT_IMAGE_OK) {
        status = takt_image_read(&image, &program, memory.data());
    }
    if (status != TAKT_IMAGE_OK) {
        throw std::invalid_argument(takt_image_message(status));
    }
    std::vector<std::tuple<std::string, std::string, uint32_t>> found;
    takt_place_t place = {};
    takt_relation_t broken = takt_check(&program, &place);
    while (broken != TAKT_RELATIONS) {
        found.emplace_back(takt_relation_name(broken), table_names[place.table], place.row);
        broken = takt_check_next(&program, broken, &place);
    }
    return found;
}

} // namespace

void add_checks(nb::module_ &m) {
    m.def("relations", &relations);
    m.def("matrix", &matrix);
    m.def("check", &check, nb::arg("image"), nb::arg("policies") = 0);
}
