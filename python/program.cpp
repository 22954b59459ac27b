/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "python/program.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <stdexcept>

namespace nb = nanobind;

namespace {

void release_by_python(takt_entity_t *entity, const takt_job_t *job) {
    const auto *policy = reinterpret_cast<const PythonPolicy *>(entity->parent->policy);
    entity->key = TAKT_KEY_LEAST_URGENT;
    entity->tie = takt_tie_by_class_and_id(entity, job);
    call_python(*policy, [&] {
        const auto key = nb::cast<uint64_t>(policy->object.attr("release")(
            takt_entity_number(entity), job->number, job->release, job->deadline));
        if (key < 1 || key > TAKT_KEY_LEAST_URGENT) {
            throw std::invalid_argument("the key " + std::to_string(key) + " is not in 1 .. 2^63 - 1");
        }
        entity->key = key;
    });
}

void release_by_level(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->level;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

takt_policy_t make_python_policy(bool gives_keys) {
    takt_policy_t policy = {};
    policy.version = TAKT_POLICY_VERSION;
    policy.size = sizeof(takt_policy_t);
    policy.order = TAKT_ORDER_KEYS;
    policy.name = "python";
    policy.summary = "a policy written in Python";
    policy.tie = TAKT_TIE_BY_CLASS_AND_ID;
    policy.release = gives_keys ? release_by_level : release_by_python;
    policy.traits = gives_keys ? TAKT_POLICY_OUTSIDE_KEYS : 0;
    return policy;
}

// One field of an image, as in fields.def.
struct FieldText {
    const char *key, *kind, *unit, *least, *most, *initial, *analysis, *meaning;
};

#define TAKT_FIELD_TEXT(record, type, member, key, kind, unit, least, most, initial, analysis, meaning) \
    {#key, #kind, unit, #least, #most, #initial, #analysis, meaning},
#define TAKT_TABLE_TEXTS(place, record, list, least, most, meaning) \
    const FieldText texts_of_##place[] = {TAKT_##list##_FIELDS(TAKT_FIELD_TEXT, record)};
#define TAKT_TABLE_TEXT(place, record, list, least, most, meaning) {#place, meaning, texts_of_##place},

TAKT_TABLES(TAKT_TABLE_TEXTS)

const struct {
    const char *name, *meaning;
    const FieldText *fields;
} table_texts[] = {TAKT_TABLES(TAKT_TABLE_TEXT)};

} // namespace

std::vector<std::tuple<std::string, std::string, std::vector<FieldRow>>> fields() {
    std::vector<std::tuple<std::string, std::string, std::vector<FieldRow>>> tables;
    for (uint32_t table = 0; table < TAKT_TABLE_COUNT; table++) {
        std::vector<FieldRow> rows;
        for (uint32_t i = 0; i < takt_layouts[table].field_count; i++) {
            const FieldText &text = table_texts[table].fields[i];
            const takt_field_t &field = takt_layouts[table].fields[i];
            rows.emplace_back(text.key, text.kind, text.unit, field.least, field.most, text.initial,
                              text.analysis, text.meaning);
        }
        tables.emplace_back(table_texts[table].name, table_texts[table].meaning, rows);
    }
    return tables;
}

Program::Program(const nb::bytes &image, const nb::sequence &policies)
    : words_(image.size() / sizeof(uint64_t)) {
    memcpy(words_.data(), image.c_str(), words_.size() * sizeof(uint64_t));
    for (const nb::handle policy : policies) {
        const auto gives_keys = nb::cast<bool>(nb::getattr(policy, "gives_keys", nb::bool_(false)));
        python_policies_.push_back({make_python_policy(gives_keys), nb::borrow(policy), gives_keys, nullptr});
        policies_.push_back(&python_policies_.back().policy);
    }
    read();
    takt_place_t place = {};
    const takt_relation_t broken = takt_check(&program_, &place);
    if (broken != TAKT_RELATIONS) {
        throw std::invalid_argument(takt_relation_message(broken));
    }
}

void Program::let_policies_fail_to(std::exception_ptr *failure) {
    for (PythonPolicy &policy : python_policies_) {
        policy.failure = failure;
    }
}

std::vector<PythonPolicy *> Program::listeners() {
    std::vector<PythonPolicy *> listeners;
    for (uint32_t i = 0; !python_policies_.empty() && i < spec().task_count; i++) {
        listeners.push_back(python_policy_at(spec().tasks[i].server));
    }
    return listeners;
}

PythonPolicy *Program::key_giver() {
    for (PythonPolicy &policy : python_policies_) {
        if (&policy.policy == spec().policy && policy.gives_keys) {
            return &policy;
        }
    }
    return nullptr;
}

void Program::read() {
    takt_image_t image = {
        words_.data(), words_.size(), policies_.data(), static_cast<uint32_t>(policies_.size()), {}};
    uint64_t bytes = 0;
    takt_image_status_t status = takt_image_size(&image, &bytes);
    if (status == TAKT_IMAGE_OK) {
        memory_.resize(bytes / sizeof(Block) + 1);
        status = takt_image_read(&image, &program_, memory_.data());
    }
    if (status != TAKT_IMAGE_OK) {
        throw std::invalid_argument(text_of(image, status));
    }
}

// The error, with the key and the value if it is a field.
std::string Program::text_of(const takt_image_t &image, takt_image_status_t status) const {
    if (status != TAKT_IMAGE_WRONG_VALUE || image.place.table == TAKT_TABLE_COUNT) {
        return takt_image_message(status);
    }
    const FieldText &field = table_texts[image.place.table].fields[image.place.field];
    return std::string(field.key) + " " + std::to_string(word_at(image.place)) + " out of range";
}

uint64_t Program::word_at(const takt_place_t &place) const {
    const uint64_t *counts = words_.data() + 3;
    uint64_t at = 3 + TAKT_TABLE_COUNT;
    for (uint32_t table = 0; table < place.table; table++) {
        at += counts[table] * takt_layouts[table].field_count;
    }
    return words_[at + uint64_t{place.row} * takt_layouts[place.table].field_count + place.field];
}

PythonPolicy *Program::python_policy_at(int32_t server) {
    const int32_t place = takt_system_place(&spec(), server);
    const takt_policy_t *wanted = place == TAKT_ROOT ? spec().policy : spec().servers[place].policy;
    for (PythonPolicy &policy : python_policies_) {
        if (&policy.policy == wanted) {
            return &policy;
        }
    }
    return nullptr;
}
