/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Park: lists of entities that wait for a resource and are not ready. Internal to core. */
#ifndef TAKT_CORE_PARK_H
#define TAKT_CORE_PARK_H

#include "core/dispatcher.h"

void takt_park_append(takt_entity_t **list, takt_entity_t *entity);

void takt_park_detach(takt_entity_t **list, takt_entity_t *entity);

void takt_park(takt_entity_t *entity, takt_resource_t *resource, takt_instant_t now);

/* True if `entity` waits for a held resource without inheritance (protocol `none`): it is parked until the unlock. */
bool takt_park_stays(takt_entity_t *entity);

/* Makes all in `list` ready again, and all that wait for them, so that holders inherit their urgency. */
void takt_park_come_back(takt_entity_t *list, takt_instant_t instant);

void takt_park_lend(takt_entity_t *entity, takt_instant_t now);

/* Makes all entities that are parked at `resource` ready again. */
void takt_park_unpark(takt_resource_t *resource, takt_instant_t instant);

#endif
