/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Blocker: the resource that blocks an entity, by its holder or its ceiling. Internal to core. */
#ifndef TAKT_CORE_BLOCKER_H
#define TAKT_CORE_BLOCKER_H

#include "core/protocol.h"
#include "core/waiting.h"

TAKT_C_BEGIN

/* True if the ceiling of `locked` counts for `entity` and `bars`. A suspended holder bars no entity from running. */
bool takt_blocker_counts(const takt_entity_t *entity, const takt_resource_t *locked,
                         takt_protocol_bars_t bars);

/* Returns the resource with the highest ceiling that others hold under protocols with `bars`, if the level of `entity`
 * is not above that ceiling; else NULL. */
takt_resource_t *takt_blocker_ceiling(takt_entity_t *entity, takt_protocol_bars_t bars);

/* Returns what blocks the lock of `entity`: the resource that it requests, or one with a ceiling; NULL if nothing
 * does. */
TAKT_INLINE takt_resource_t *takt_blocker_of(takt_entity_t *entity) {
    takt_resource_t *wanted = takt_waiting_wanted_by(entity);
    takt_resource_t *ceiling = NULL;
    if (wanted != NULL && TAKT_UNLIKELY(wanted->kind->bars == TAKT_BARS_LOCKS)) {
        const takt_protocol_kind_t *protocol = wanted->kind;
        ceiling = protocol->highest(entity, TAKT_BARS_LOCKS);
    }
    if (wanted == NULL || ceiling != NULL) {
        return ceiling;
    }
    return wanted->holder != NULL ? wanted : NULL;
}

/* True if `entity` has to wait for the budget that its section may need. A nested section is part of the outer one. */
TAKT_INLINE bool takt_blocker_is_budget(takt_entity_t *entity) {
    const takt_resource_t *wanted = takt_waiting_wanted_by(entity);
    return wanted != NULL && wanted->kind->awaits_budget && *takt_waiting_held_by(entity) == NULL &&
           entity->parent->job.remaining < wanted->longest;
}

TAKT_C_END

#endif
