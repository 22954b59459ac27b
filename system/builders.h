/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Builders: how the tasks of each paradigm are made. Part of build.h; private to system/.
 *
 * A task is made by the first builder that takes it. One file and one row of `builders` in build.c each. */
#ifndef TAKT_SYSTEM_BUILDERS_H
#define TAKT_SYSTEM_BUILDERS_H

#include "system/arena.h"
#include "system/build.h"

/* Members may be NULL. */
typedef struct takt_builder {
    /* True if it can make task `index`. NULL: it can make all; those behind it make none. */
    bool (*takes)(const takt_system_spec_t *spec, uint32_t index);
    /* Lays out the memory of its tasks, of which there are `count`. */
    void (*lay_out)(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec,
                    uint32_t count);
    /* Makes what its tasks share; called before all tasks. */
    void (*begin)(takt_system_t *system, const takt_system_spec_t *spec);
    /* Adds task `index`, number `number` of its own. Without it the task is a plain one. */
    void (*add)(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index, uint32_t number,
                takt_task_parameters_t *parameters);
    /* Called after tasks and resources. */
    void (*end)(takt_system_t *system, const takt_system_spec_t *spec);
} takt_builder_t;

extern const takt_builder_t takt_builder_rates;   /* under a rate-based root */
extern const takt_builder_t takt_builder_windows; /* with windows (policy/window.h) */
extern const takt_builder_t
    takt_builder_events; /* with an extension: events, suspensions, locks, late jobs */
extern const takt_builder_t takt_builder_periodic; /* all others */
extern const takt_builder_t takt_builder_rules;    /* no tasks of its own: deadline rules (rules.h) */

/* Adds task `index` without an allocation to its parent. */
void takt_system_add_task(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index,
                          const takt_task_parameters_t *parameters);

#endif
