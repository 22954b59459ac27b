/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Job source: where the jobs of a task come from. Internal to core.
 *
 * A task without an extension is periodic and has no source: core/jobs.c releases its jobs itself, with as few
 * instructions as it can. Any other task has one of these:
 *
 *   periodic   a job each period, with changes, suspensions, resources, aborts or skips
 *   events     jobs that arrive and stand in a ring until their release
 *   allocated  an allocator begins, moves and ends the jobs; see allocator.h */
#ifndef TAKT_CORE_SOURCE_H
#define TAKT_CORE_SOURCE_H

#include "core/dispatcher.h"

/* Instants are nominal; `now` is observed. */
typedef struct takt_job_source {
    /* The release timer of `task` has come. */
    void (*release)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);
    /* The second timer of `task` has come, extension->expiry. */
    void (*expire)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);
    /* The current job ends, at `instant`. */
    void (*end)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now, takt_instant_t instant);
    /* Makes the oldest job that waits the current one. NULL if none waits ever. */
    void (*next)(takt_task_t *task);
    /* A job has arrived at `instant`; its response time counts from `nominal`. NULL if none does. */
    void (*arrive)(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal);
    /* `change` of the task is handed over. */
    void (*change)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_change_t *change,
                   takt_instant_t now);
} takt_job_source_t;

extern const takt_job_source_t takt_source_periodic;
extern const takt_job_source_t takt_source_events;
extern const takt_job_source_t takt_source_allocated;

#endif
