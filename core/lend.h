/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lend: selects the entity that runs in place of a blocked one. Internal to core. */
#ifndef TAKT_CORE_LEND_H
#define TAKT_CORE_LEND_H

#include "core/dispatcher.h"

/* Returns the entity that runs instead of one blocked by `obstacle`: its holder, or the entity that blocks the holder,
 * and so on. NULL if the chain ends in a circle, a server without budget, or a thread that is not ready. No effect. */
TAKT_MUST_USE takt_entity_t *takt_lend_end_of_chain(takt_resource_t *obstacle);

/* Returns the child of `parent` to run, where some children hold resources: the most urgent one, or the one that blocks
 * it. NULL if all that were ready are blocked by entities that are not; these children are parked then. */
TAKT_MUST_USE takt_entity_t *takt_lend_choose(takt_server_t *parent, takt_instant_t now);

#endif
