/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Programs read from images, and policies written in Python that they refer to.
#ifndef TAKT_PYTHON_PROGRAM_HPP
#define TAKT_PYTHON_PROGRAM_HPP

#include <nanobind/nanobind.h>

#include <deque>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

extern "C" {
#define _Static_assert static_assert
#include "sim/sim.h"
#include "system/check.h"
#include "system/image.h"
}

// A policy whose release calls an object's release(entity, number, release, deadline) -> key. The first
// exception ends the run and is raised in the caller of that run; until then keys are the least urgent ones.
//
// A policy that gives keys before each decision has keys(now, jobs, processors) -> list of them, for jobs as tuples
// (entity, number, release, deadline, executed, is_running), and a number `tick`. A key stands where a level does.
struct PythonPolicy {
    takt_policy_t policy; // first member: core hands a pointer to it
    nanobind::object object;
    bool gives_keys;
    std::exception_ptr *failure; // of the current run
};

template <typename Call>
void call_python(const PythonPolicy &policy, Call call) {
    if (policy.failure == nullptr || *policy.failure != nullptr) {
        return;
    }
    nanobind::gil_scoped_acquire locked;
    try {
        call();
    } catch (...) {
        *policy.failure = std::current_exception();
    }
}

using FieldRow = std::tuple<std::string, std::string, std::string, uint64_t, uint64_t, std::string,
                            std::string, std::string>;

// For each table of an image its name, its meaning, and its fields: key, kind, unit, least, most, initial value, what the
// analysis does with it, meaning.
std::vector<std::tuple<std::string, std::string, std::vector<FieldRow>>> fields();

// A program read from an image; what C points to does not move.
class Program {
   public:
    // Throws std::invalid_argument if the image is damaged or breaks a relation (system/check.h).
    Program(const nanobind::bytes &image, const nanobind::sequence &policies);
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    const takt_program_t *operator->() const { return &program_; }
    const takt_system_spec_t &spec() const { return program_.spec; }

    takt_sim_options_t options() const {
        return {program_.seed, program_.costs != nullptr ? *program_.costs : takt_sim_costs_t{},
                program_.architecture};
    }

    // Receives exceptions of policies written in Python; NULL: they are not called.
    void let_policies_fail_to(std::exception_ptr *failure);

    // The policies to notify of completions: for each task that of its parent, or NULL. Empty if there is none.
    std::vector<PythonPolicy *> listeners();

    // The policy of the root that gives keys before each decision; NULL if there is none.
    PythonPolicy *key_giver();

   private:
    void read();
    std::string text_of(const takt_image_t &image, takt_image_status_t status) const;
    uint64_t word_at(const takt_place_t &place) const;
    PythonPolicy *python_policy_at(int32_t server);

    struct alignas(16) Block {
        char bytes[16];
    };

    std::deque<PythonPolicy> python_policies_;
    std::vector<const takt_policy_t *> policies_;
    std::vector<uint64_t> words_;
    std::vector<Block> memory_;
    takt_program_t program_ = {};
};

#endif
