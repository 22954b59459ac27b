/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs that other tasks release: what a platform says of them besides their arrivals. Internal to core and its platforms.
 *
 * Such a job arrives as any event does (source_events.c). The platform counts the events of the edges between tasks and
 * joins them, because it knows both ends of an edge, which may be in two dispatchers. What only core can do is here.
 *
 * Conditions of all functions: `task` is in the dispatcher, its jobs arrive as events, and it has no rule (rule.h). A
 * program that has no such tasks is linked without these functions. */
#ifndef TAKT_CORE_SOURCE_AFTER_H
#define TAKT_CORE_SOURCE_AFTER_H

#include "core/dispatcher.h"

TAKT_C_BEGIN

/* The relative deadline of the last arrival of `task` counts from `origin`, not from the arrival. Call right after the
 * arrival. */
void takt_after_set_origin(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                           takt_instant_t origin);

/* Drops the job at `place` of the ring of arrivals, 0 = the oldest one that has not begun. Those behind it keep their
 * numbers; if it is the last one, takt_after_pass says so of the next arrival. */
void takt_after_drop(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now, uint32_t place);

/* `count` jobs between the last arrival of `task` and the one before it have been dropped, and have had numbers. */
void takt_after_pass(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now, uint32_t count);

TAKT_C_END

#endif
