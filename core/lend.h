/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lend: selects the entity that runs in place of a blocked one. Internal to core. */
#ifndef TAKT_CORE_LEND_H
#define TAKT_CORE_LEND_H

#include "core/dispatcher.h"

/* Returns the child of `parent` to run, where some children hold resources: the most urgent one, or the one that blocks
 * it. NULL if all that were ready are blocked by entities that are not; these children are parked then. */
TAKT_MUST_USE takt_entity_t *takt_lend_choose(takt_server_t *parent, takt_instant_t now);

#endif
