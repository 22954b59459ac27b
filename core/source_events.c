/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs that arrive as events: a ring of the jobs that wait behind the current one, then of those not released yet.
 * See source.h, and rule.h for their deadlines. */
#include "core/hierarchy.h"
#include "core/jobs.h"
#include "core/rule.h"
#include "core/source.h"

static const takt_arrival_t *pop_arrival(takt_task_extension_t *extension) {
    const takt_arrival_t *arrival = takt_task_arrival(extension, 0);
    extension->first++;
    extension->count--;
    return arrival;
}

/* Without a rule the deadline follows from the parameters that are in force at the release. */
static void events_next(takt_task_t *task) {
    takt_task_extension_t *extension = task->extension;
    takt_jobs_adopt_changes(task, takt_task_arrival(extension, 0)->instant);
    const takt_arrival_t *arrival = pop_arrival(extension);
    if (extension->rule != NULL) {
        extension->tag = arrival->tag;
        takt_jobs_write(task, arrival->nominal, arrival->deadline);
        return;
    }
    task->job.number += (uint32_t)arrival->tag;
    takt_jobs_write(task, arrival->nominal, arrival->deadline + task->relative_deadline);
}

/* Drops the arrival that is released now, because the job before it continues. */
TAKT_RARE static void skip(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    takt_task_extension_t *extension = task->extension;
    const takt_arrival_t *arrival = pop_arrival(extension);
    extension->skipped += extension->rule == NULL ? (uint32_t)arrival->tag : 0u;
    takt_jobs_skip(dispatcher, task, now, arrival->nominal);
}

/* Arms the release timer at the first arrival that is neither released nor postponed. */
static void arm_release(takt_task_t *task) {
    const takt_task_extension_t *extension = task->extension;
    if (extension->count > task->waiting && !takt_timer_is_armed(&task->timer)) {
        const takt_instant_t instant = takt_task_arrival(extension, task->waiting)->instant;
        if (instant != TAKT_NEVER) {
            takt_timers_insert(&task->entity->parent->timers, &task->timer, instant);
        }
    }
}

static void events_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t instant = task->timer.instant;
    if (!takt_task_is_active(task)) {
        events_next(task);
        takt_jobs_begin(task, instant);
    } else if (takt_jobs_is_skipping(task)) {
        skip(dispatcher, task, now);
    } else {
        task->waiting++;
    }
    arm_release(task);
}

static void events_arrive(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal) {
    takt_task_extension_t *extension = task->extension;
    extension->count++;
    takt_arrival_t *arrival = takt_task_arrival(extension, extension->count - 1u);
    arrival->instant = instant;
    arrival->nominal = nominal;
    arrival->deadline = nominal;
    arrival->tag = 0;
    if (extension->rule != NULL) {
        arrival->deadline = nominal + task->relative_deadline;
        extension->rule->arrive(task, arrival);
    }
    arm_release(task);
}

void takt_rule_release(takt_task_t *task, takt_arrival_t *arrival, takt_instant_t instant) {
    arrival->instant = instant;
    arm_release(task);
    takt_hierarchy_rearm_wakes(task->entity->parent);
}

static void events_change(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_change_t *change,
                          takt_instant_t now) {
    (void)dispatcher;
    takt_change_hand_over(task, change, now);
}

const takt_job_source_t takt_source_events = {
    .release = events_release,
    .expire = takt_jobs_abort,
    .end = takt_jobs_end_extended,
    .next = events_next,
    .arrive = events_arrive,
    .change = events_change,
};
