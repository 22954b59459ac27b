/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A job each period, of a task with an extension; see source.h and change.h. */
#include "core/jobs.h"
#include "core/source.h"

static void write_periodic(takt_task_t *task, takt_instant_t nominal) {
    takt_jobs_adopt_changes(task, nominal);
    takt_jobs_write(task, nominal, nominal + task->relative_deadline);
}

static void periodic_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t nominal = task->timer.instant;
    takt_change_arm_release(task, nominal + task->extension->period);
    if (!takt_task_is_active(task)) {
        write_periodic(task, nominal);
        takt_jobs_begin(task, nominal);
    } else if (takt_jobs_is_skipping(task)) {
        takt_jobs_skip(dispatcher, task, now, nominal);
    } else {
        task->waiting++;
    }
}

static void periodic_next(takt_task_t *task) {
    const takt_instant_t nominal = task->job.release + task->job.period;
    write_periodic(task, takt_change_next_release(task->extension->behind, nominal));
}

static void periodic_change(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_change_t *change,
                            takt_instant_t now) {
    (void)dispatcher;
    takt_change_hand_over(task, change, now);
    takt_change_rearm_release(task, now);
}

const takt_job_source_t takt_source_periodic = {
    .release = periodic_release,
    .expire = takt_jobs_abort,
    .end = takt_jobs_end_extended,
    .next = periodic_next,
    .change = periodic_change,
};
