/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Allocators of tasks whose jobs run in windows (policy/window.h), built for a system. Part of build.h; private to
 * system/. */
#ifndef TAKT_SYSTEM_WINDOWS_H
#define TAKT_SYSTEM_WINDOWS_H

#include "system/build.h"

/* Returns how many tasks of `spec` have windows. */
uint32_t takt_system_count_windowed(const takt_system_spec_t *spec);

/* Makes the allocators that the tasks of `spec` need. */
void takt_system_add_allocators(takt_system_t *system, const takt_system_spec_t *spec);

/* As takt_dispatcher_add_task, for task `index`, which has windows; `windowed` is zeroed, and
 * becomes the extension in `parameters`. */
void takt_system_add_windowed(takt_system_t *system, uint32_t index, takt_windowed_t *windowed,
                              const takt_window_spec_t *spec, takt_task_parameters_t *parameters);

#endif
