// Names of files, and what the tables of core say of each.
#ifndef TAKT_PYTHON_NAMES_H
#define TAKT_PYTHON_NAMES_H

#include <nanobind/nanobind.h>

#include <string>

extern "C" {
#define _Static_assert static_assert
#include "core/protocol.h"
#include "policy/bandwidth.h"
#include "policy/table.h"
#include "sim/architecture.h"
#include "system/spec.h"
}

// All but the second throw std::invalid_argument for a name that there is not; that gives NULL.
const takt_policy_t *find_policy(const std::string &name);
const takt_bandwidth_kind_t *find_bandwidth_kind(const std::string &name);
const takt_server_kind_t *find_server_kind(const std::string &name);
takt_protocol_t find_protocol(const std::string &name);
takt_architecture_model_t architecture_model(const std::string &name);
takt_windows_t find_windows(const std::string &name);

// Adds the tables to the module.
void add_names(nanobind::module_ &module);

#endif
