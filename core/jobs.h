/* Jobs: how they are released and end. Internal to core. */
#ifndef TAKT_CORE_JOBS_H
#define TAKT_CORE_JOBS_H

#include "core/dispatcher.h"

/* Step 2, and 5 for an aborted job. */
void takt_jobs_end(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                   takt_instant_t instant);

/* The current job of `entity`, which has an extension, is not ready until `until`. */
void takt_jobs_suspend(takt_entity_t *entity, takt_instant_t now, takt_instant_t until);

/* A job of `task`, which has a ring, has arrived at `instant`; response counts from `nominal`. */
void takt_jobs_arrive(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal);

/* Step 5, or the second timer of a task with an allocation. */
void takt_jobs_expire(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* Step 7. */
void takt_jobs_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

#endif
