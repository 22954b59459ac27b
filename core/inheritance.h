/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Inheritance: selects the entity that runs in place of a blocked one. Internal to core. */
#ifndef TAKT_CORE_INHERITANCE_H
#define TAKT_CORE_INHERITANCE_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* Returns the entity that runs instead of one blocked by `blocker`: its holder, or the entity that blocks the holder,
 * and so on. NULL if the chain ends in a cycle, a server without budget, or a thread that is not ready. No effect. */
TAKT_MUST_USE takt_entity_t *takt_inheritance_end_of_chain(takt_resource_t *blocker);

/* Returns the child of `parent` to run, where some children hold resources: the most urgent one, or the one that blocks
 * it. NULL if all that were ready are blocked by entities that are not; these leave the ready set then. */
TAKT_MUST_USE takt_entity_t *takt_inheritance_choose(takt_server_t *parent, takt_instant_t now);

/* Returns the key with which `entity`, whose ready set is ordered by levels, competes: its own, or that of the most urgent
 * entity that it blocks under a protocol with inheritance, itself or through others. O(entities that it blocks + more
 * urgent ready entities times the chain). No effect. */
TAKT_MUST_USE takt_key_t takt_inheritance_key(takt_entity_t *entity);

TAKT_C_END

#endif
