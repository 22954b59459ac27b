/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Receive: events that a scheduler at a distance gets late.
 *
 * Rules 3 and 4 of docs/explanation/remote.md. The platform observed the event earlier, and names the job that it
 * concerns. The instant of the event is that of its receipt. A program whose scheduler is not remote posts directly
 * and is linked without these functions.
 *
 * The trace of the dispatcher is one with is_remote, if there is one. */
#ifndef TAKT_CORE_RECEIVE_H
#define TAKT_CORE_RECEIVE_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* True if `event` concerns job number `job` of a task, and that is not its current, unfinished job, or waits
 * for its next budget and the event is no completion. Completions, yields,
 * points, suspensions, locks, withdrawals and blocks of a task concern a job. Other events never are stale. */
TAKT_MUST_USE bool takt_dispatcher_is_stale(const takt_event_t *event, uint32_t job);

/* Receives `event`, observed at `seen` <= event->now, of job number `job`. Posts it and returns true. A stale event has
 * no effect: it is recorded and counted in the sequence, and false is returned. */
bool takt_dispatcher_receive(takt_dispatcher_t *dispatcher, const takt_event_t *event, uint32_t job,
                             takt_instant_t seen);

/* Records at `now` that the platform got no decision: the last one was taken, and dropped (`was_taken`), or none was,
 * because an event is under way. */
void takt_dispatcher_drop(takt_dispatcher_t *dispatcher, takt_instant_t now, bool was_taken);

/* Records at `now`, after takt_dispatcher_settle, which entity would be selected. */
void takt_dispatcher_signal(takt_dispatcher_t *dispatcher, takt_instant_t now);

TAKT_C_END

#endif
