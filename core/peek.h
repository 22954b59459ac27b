/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Peek: the entity that takt_dispatcher_take would return, without the effects of that call.
 *
 * A take starts jobs with thresholds, grants resources and removes blocked entities from the ready set. A scheduler at
 * a distance compares between two takes: it signals if another entity would be selected (docs/explanation/remote.md).
 * Nothing is written here, and nothing is recorded.
 *
 * Both functions are for one processor. The resources of a dispatcher have protocols that takt_protocols_mix allows. */
#ifndef TAKT_CORE_PEEK_H
#define TAKT_CORE_PEEK_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* Returns the entity that takt_dispatcher_take would name at the instant of the last settle; NULL: none. As cheap as a
 * take while no resource is registered as locked and no server is selected. Else O(ready entities) for each blocked one
 * that is more urgent than the result, and O(ready entities^2) if a ceiling bars it although it waits. */
TAKT_MUST_USE takt_entity_t *takt_dispatcher_peek(const takt_dispatcher_t *dispatcher);

/* Returns until when the scheduler need not be called if the entity that runs continues: the instant of the first timer,
 * of the end of a budget that pays for it, or when a waiting entity overtakes it. After a take, its decision's `until`.
 * Correct also if execution has not been charged since. */
TAKT_MUST_USE takt_instant_t takt_dispatcher_next(const takt_dispatcher_t *dispatcher);

TAKT_C_END

#endif
