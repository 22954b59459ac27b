/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Job source: produces the jobs of a task. Internal to core.
 *
 * A task without an extension is periodic and has no source: core/jobs.c releases its jobs, with as few
 * instructions as possible. Every other task has one of these:
 *
 *   periodic   a job each period, with changes, suspensions, resources, aborts or skips
 *   events     jobs that arrive and wait in a ring until their release
 *   allocated  an allocator begins, moves and ends the jobs; see allocator.h */
#ifndef TAKT_CORE_SOURCE_H
#define TAKT_CORE_SOURCE_H

#include "core/dispatcher.h"

/* Instants are nominal; `now` is observed. */
typedef struct takt_job_source {
    /* The release timer of `task` has expired. */
    void (*release)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);
    /* The second timer of `task`, extension->expiry, has expired. */
    void (*expire)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);
    /* The current job ends, at `instant`. */
    void (*end)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now, takt_instant_t instant);
    /* Makes the oldest waiting job the current one. NULL if jobs never wait. */
    void (*next)(takt_task_t *task);
    /* A job has arrived at `instant`; its response time counts from `nominal`. NULL if jobs do not arrive as events. */
    void (*arrive)(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal);
    /* `change` of the task is handed over. */
    void (*change)(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_change_t *change,
                   takt_instant_t now);
} takt_job_source_t;

extern const takt_job_source_t takt_source_periodic;
extern const takt_job_source_t takt_source_events;
extern const takt_job_source_t takt_source_allocated;

#endif
