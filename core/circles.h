/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Circles: entities each of which waits for the next one. Internal to core. */
#ifndef TAKT_CORE_CIRCLES_H
#define TAKT_CORE_CIRCLES_H

#include "core/dispatcher.h"

/* One of the circle to which the chain behind `entity` leads, itself if it is one; NULL: it leads to none. */
takt_entity_t *takt_circles_behind(takt_entity_t *entity);

/* The jobs of the circle wait where they are blocked. */
void takt_circles_report(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now);

void takt_circles_break(takt_entity_t *entity);

#endif
