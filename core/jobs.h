/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs: how they are released and end. Internal to core.
 *
 * This file has the jobs of tasks without an extension, and what the job sources of source.h have in common. */
#ifndef TAKT_CORE_JOBS_H
#define TAKT_CORE_JOBS_H

#include "core/dispatcher.h"

/* The release timer of `task` has come (step 7). */
void takt_jobs_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* The current job of `task` is complete (step 2). */
void takt_jobs_complete(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* The current job of `entity`, which has an extension, is not ready until `until`. */
void takt_jobs_suspend(takt_entity_t *entity, takt_instant_t now, takt_instant_t until);

/* ---- what job sources have in common: of tasks with an extension ---- */

/* A job that was released at `instant` is about to be the current one of `task`. */
TAKT_INLINE void takt_jobs_adopt_changes(takt_task_t *task, takt_instant_t instant) {
    if (TAKT_UNLIKELY(task->extension->behind != NULL)) {
        takt_change_adopt(task, instant);
    }
}

/* Makes the job with these instants the current one. */
void takt_jobs_write(takt_task_t *task, takt_instant_t nominal, takt_instant_t deadline);

/* The current job, which has been written, is ready from `instant` on. */
void takt_jobs_begin(takt_task_t *task, takt_instant_t instant);

/* Whether a job that is released now is to be dropped, because the current one, which is active, goes on. */
TAKT_INLINE bool takt_jobs_is_skipping(const takt_task_t *task) {
    return (task->extension->on_miss & TAKT_ON_MISS_SKIP) != 0;
}

/* The job that is released at `nominal` is dropped. */
void takt_jobs_skip(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                    takt_instant_t nominal);

/* The current job ends unfinished at its deadline (step 5). */
void takt_jobs_abort(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now);

/* The current job ends, at the nominal `instant`. */
void takt_jobs_end_extended(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                            takt_instant_t instant);

#endif
