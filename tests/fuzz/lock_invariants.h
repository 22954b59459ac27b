/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What core promises of shared resources between any two calls (SPEC.md, 9), found by looking at everything. */
#ifndef TAKT_TESTS_FUZZ_LOCK_INVARIANTS_H
#define TAKT_TESTS_FUZZ_LOCK_INVARIANTS_H

#include "sim/system.h"

/* Holders and blocked entities are in the lists where they belong, keys aside. If levels have changed, there may be cycles that
 * no choice has met yet, and ceilings may name others than those that closed one. */
void check_locks(takt_system_t *system, bool have_levels_changed);

/* The entity that runs instead of `entity`: itself if nothing blocks it; NULL if that is a cycle, or ends at one that is not ready. */
takt_entity_t *end_of_chain(takt_system_t *system, takt_entity_t *entity);

/* Whether `entity` waits, in the end, for itself. */
bool is_in_a_cycle(takt_system_t *system, takt_entity_t *entity);

/* The key of `entity` by itself, `own`, or of what it holds. */
takt_key_t key_of_holder(takt_entity_t *entity, takt_key_t own);

/* By what ceilings judge `entity`, whose policy has levels. */
takt_key_t level_of(takt_entity_t *entity);

/* The last one that `entity` has locked, NULL for none. */
takt_resource_t *last_locked_by(takt_entity_t *entity);

/* What `entity` waits for; NULL for nothing. */
takt_resource_t *wanted_by(takt_entity_t *entity);

/* Where `entity` waits and is not ready; NULL if it does not. */
takt_resource_t *place_of(takt_entity_t *entity);

/* Whether `entity` holds or wants a resource. */
static inline bool is_locking(takt_entity_t *entity) {
    return last_locked_by(entity) != NULL || wanted_by(entity) != NULL;
}

#endif
