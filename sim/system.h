/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* System: a task set built in memory, ready to be driven by the simulator or by replay. Hosted: system/build.h with
 * memory of the heap. */
#ifndef TAKT_SIM_SYSTEM_H
#define TAKT_SIM_SYSTEM_H

#include "sim/stream.h"
#include "system/build.h"

/* Builds the system of `spec` in `system`; false when memory is short or there are more entities than
 * TAKT_ENTITY_LIMIT. The spec is not kept. */
TAKT_MUST_USE bool takt_system_create(takt_system_t *system, const takt_system_spec_t *spec);

void takt_system_destroy(takt_system_t *system);

/* Makes room for one more arrival in the ring of task `index`, which is external; false when memory is
 * short. */
TAKT_MUST_USE bool takt_system_reserve(takt_system_t *system, uint32_t index);

#endif
