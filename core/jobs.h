/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs: releases and ends. Internal to core.
 *
 * This file handles jobs of tasks without an extension, and has what the job sources of source.h share. */
#ifndef TAKT_CORE_JOBS_H
#define TAKT_CORE_JOBS_H

#include "core/urgency.h"

TAKT_C_BEGIN

/* Writes the job with these instants to `task`, which is in no ready set. */
TAKT_INLINE void takt_jobs_fill(takt_task_t *task, takt_instant_t nominal, takt_instant_t deadline) {
    task->job.release = nominal;
    task->job.deadline = deadline;
    task->job.remaining = task->wcet;
    takt_urgency_begin(task, &task->job);
}

/* Called when the release timer of `task` expires (step 7). */
void takt_jobs_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* Ends the current job of `task`, which is complete (step 2). */
void takt_jobs_complete(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* Suspends the current job of `entity`, which has an extension, until `until`. */
void takt_jobs_suspend(takt_entity_t *entity, takt_instant_t now, takt_instant_t until);

/* ---- shared by job sources, for tasks with an extension ---- */

/* Called before a job released at `instant` becomes the current one of `task`: puts changes up to then in force. */
TAKT_INLINE void takt_jobs_adopt_changes(takt_task_t *task, takt_instant_t instant) {
    if (TAKT_UNLIKELY(task->extension->behind != NULL)) {
        takt_change_adopt(task, instant);
    }
}

/* Makes the job with these instants the current one. */
void takt_jobs_write(takt_task_t *task, takt_instant_t nominal, takt_instant_t deadline);

/* Makes the current job, which has been written, ready from `instant` on. */
void takt_jobs_begin(takt_task_t *task, takt_instant_t instant);

/* True if a job released now is dropped because the current one, which is active, continues. */
TAKT_INLINE bool takt_jobs_is_skipping(const takt_task_t *task) {
    return (task->extension->on_miss & TAKT_ON_MISS_SKIP) != 0;
}

/* Drops the job that is released at `nominal`. */
void takt_jobs_skip(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                    takt_instant_t nominal);

/* Ends the current job, unfinished at its deadline (step 5). */
void takt_jobs_abort(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* Ends the current job at the nominal `instant`. */
void takt_jobs_end_extended(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                            takt_instant_t instant);

TAKT_C_END

#endif
