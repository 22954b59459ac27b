/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deadlock: a cycle in which each entity waits for a resource that the next one holds. Internal to core. */
#ifndef TAKT_CORE_DEADLOCK_H
#define TAKT_CORE_DEADLOCK_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* Returns a member of the cycle that the wait chain of `entity` leads to, `entity` if it is one; NULL: no cycle. */
takt_entity_t *takt_deadlock_behind(takt_entity_t *entity);

/* Reports the deadlock of which `entity` is a member. Its jobs stay blocked. */
void takt_deadlock_report(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now);

void takt_deadlock_break(takt_entity_t *entity);

TAKT_C_END

#endif
