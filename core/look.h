/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stand-in. */
#ifndef L_H
#define L_H
#include "core/dispatcher.h"
takt_entity_t *takt_dispatcher_look(const takt_dispatcher_t *dispatcher, takt_instant_t now);
takt_instant_t takt_dispatcher_next(const takt_dispatcher_t *dispatcher, takt_instant_t now);
#endif
