/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Names of files, and what the tables of core say of each.
#ifndef TAKT_PYTHON_NAMES_H
#define TAKT_PYTHON_NAMES_H

#include <nanobind/nanobind.h>

extern "C" {
#define _Static_assert static_assert
#include "core/protocol.h"
#include "policy/bandwidth.h"
#include "policy/rate_sharing.h"
#include "policy/table.h"
#include "sim/sim.h"
#include "system/roles.h"
}

// Adds the tables and the check of images to the module.
void add_names(nanobind::module_ &module);
void add_checks(nanobind::module_ &module);

#endif
