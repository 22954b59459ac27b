/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fits: events by numbers, as records and messages have them, and the preconditions of core for an event.
 *
 *     takt_event_t event = {kind, NULL, now, {value}};
 *     takt_event_of_numbers(system, number, &event) && takt_fits(system, &event)
 *     takt_event_give_wait(system, &event)           then post it
 *
 * Core checks no event: a platform that observes its own events keeps the preconditions by construction. An event that
 * comes from elsewhere, such as a file or another processor, is checked here first. */
#ifndef TAKT_SYSTEM_FITS_H
#define TAKT_SYSTEM_FITS_H

#include "system/build.h"

/* Completes `event`, whose kind, now and value (nominal, or the number of a resource) are set: of entity `number`, no
 * server, or of none if it is TAKT_NO_ENTITY and the kind is a change. Returns false if there is no such kind of event, entity,
 * resource or change. */
TAKT_MUST_USE bool takt_event_of_numbers(takt_system_t *system, uint32_t number, takt_event_t *event);

/* True if `event` meets the preconditions of takt_dispatcher_post in the present state, except that a ring of arrivals
 * may be full. Of a change: true also if it is the one in the table for this entity, and is not made yet. */
TAKT_MUST_USE bool takt_fits(const takt_system_t *system, const takt_event_t *event);

/* Gives the plain thread that `event`, which fits, is of the memory for its wait, if it is about to lock. */
void takt_event_give_wait(const takt_system_t *system, const takt_event_t *event);

#endif
