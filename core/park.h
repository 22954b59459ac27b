/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Park: entities that wait for a resource and are not ready. Internal to core. */
#ifndef TAKT_CORE_PARK_H
#define TAKT_CORE_PARK_H

#include "core/dispatcher.h"

void takt_park_append(takt_entity_t **list, takt_entity_t *entity);

void takt_park_detach(takt_entity_t **list, takt_entity_t *entity);

void takt_park(takt_entity_t *entity, takt_resource_t *resource, takt_instant_t now);

/* Who waits under `none` lends nothing, and is not ready as long as somebody else holds that. */
bool takt_park_stays(takt_entity_t *entity);

/* All in `list` are ready again, and all that wait for them, so that they lend them their urgency. */
void takt_park_come_back(takt_entity_t *list, takt_instant_t instant);

void takt_park_lend(takt_entity_t *entity, takt_instant_t now);

/* All that wait at `resource` are ready again. */
void takt_park_unpark(takt_resource_t *resource, takt_instant_t instant);

#endif
