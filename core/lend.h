/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lend: who runs in place of an entity that is blocked. Internal to core. */
#ifndef TAKT_CORE_LEND_H
#define TAKT_CORE_LEND_H

#include "core/dispatcher.h"

/* Who runs among the children of `home`, of whom some hold resources: the most urgent one, or who blocks it.
 * NULL if all that were ready are blocked by ones that are not; they are parked then. */
TAKT_MUST_USE takt_entity_t *takt_lend_choose(takt_server_t *home, takt_instant_t now);

#endif
