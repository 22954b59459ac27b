/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocked: lists of entities that wait for a resource outside the ready set. Internal to core. */
#ifndef TAKT_CORE_BLOCKED_H
#define TAKT_CORE_BLOCKED_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

void takt_blocked_append(takt_entity_t **list, takt_entity_t *entity);

void takt_blocked_detach(takt_entity_t **list, takt_entity_t *entity);

/* Moves `entity` from the ready set to the list of `resource`. */
void takt_blocked_add(takt_entity_t *entity, takt_resource_t *resource, takt_instant_t now);

/* True if `entity` waits for a held resource without inheritance (protocol `none`): it is out until the unlock. */
bool takt_blocked_stays(takt_entity_t *entity);

/* Makes all in `list` ready again, and all that wait for them, so that holders inherit their urgency. */
void takt_blocked_come_back(takt_entity_t *list, takt_instant_t instant);

void takt_blocked_lend(takt_entity_t *entity, takt_instant_t now);

/* Makes all entities in the list of `resource` ready again. */
void takt_blocked_unblock(takt_resource_t *resource, takt_instant_t instant);

TAKT_C_END

#endif
