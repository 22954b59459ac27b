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

/* Removes `entity`, whose wait is `wait`, from its cycle and from the list where it waits. Returns whether it was in a
 * list. */
bool takt_deadlock_leave_queue(takt_entity_t *entity, takt_lock_wait_t *wait);

TAKT_C_END

#endif
