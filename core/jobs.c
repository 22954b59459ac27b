/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Releases and ends of jobs.h. */
#include "core/jobs.h"

#include "core/account.h"
#include "core/hierarchy.h"
#include "core/locks.h"
#include "core/record.h"
#include "core/source.h"

/* ---- jobs that begin ------------------------------------------------------------------------------- */

TAKT_INLINE void begin_job(takt_task_t *task, takt_instant_t instant) {
    takt_entity_set_state(task->entity, TAKT_STATE_ACTIVE);
    takt_hierarchy_join(task->entity, instant);
}

void takt_jobs_write(takt_task_t *task, takt_instant_t nominal, takt_instant_t deadline) {
    takt_jobs_fill(task, nominal, deadline);
    if ((task->extension->on_miss & TAKT_ON_MISS_ABORT) != 0) {
        takt_timers_insert(&task->entity->parent->timers, &task->extension->expiry, deadline);
    }
}

void takt_jobs_begin(takt_task_t *task, takt_instant_t instant) { begin_job(task, instant); }

TAKT_RARE void takt_jobs_skip(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                              takt_instant_t nominal) {
    task->extension->skipped++;
    takt_record_job(dispatcher, TAKT_RECORD_SKIP, task, task->extension->skipped, now, nominal);
}

static void release_plain(takt_task_t *task) {
    const takt_instant_t nominal = task->timer.instant;
    takt_timers_insert(&task->entity->parent->timers, &task->timer, nominal + task->job.period);
    if (takt_task_is_active(task)) {
        task->waiting++;
    } else {
        takt_jobs_fill(task, nominal, nominal + task->relative_deadline);
        begin_job(task, nominal);
    }
}

void takt_jobs_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    dispatcher->releases++;
    if (TAKT_UNLIKELY(task->extension != NULL)) {
        task->extension->source->release(dispatcher, task, now);
    } else {
        release_plain(task);
    }
}

/* ---- jobs that end --------------------------------------------------------------------------------- */

TAKT_INLINE void write_next_job(takt_task_t *task) {
    task->waiting--;
    if (task->extension != NULL) {
        task->extension->source->next(task);
    } else {
        const takt_instant_t nominal = task->job.release + task->job.period;
        takt_jobs_fill(task, nominal, nominal + task->relative_deadline);
    }
}

/* Replaces the current job by the next one in place, so that the server of a task with work never leaves its parent. */
static void take_over(takt_task_t *task, takt_instant_t instant) {
    takt_entity_t *entity = task->entity;
    const bool is_ready = takt_entity_is_ready(entity);
    if (is_ready) {
        takt_ready_remove(&entity->parent->ready, entity);
    }
    write_next_job(task);
    if (is_ready) {
        takt_ready_insert(&entity->parent->ready, entity);
    } else {
        takt_hierarchy_join(entity, instant);
    }
}

TAKT_INLINE void end_job(takt_task_t *task, takt_instant_t instant) {
    if (task->waiting > 0) {
        take_over(task, instant);
    } else {
        takt_entity_clear_state(task->entity, TAKT_STATE_ACTIVE);
        takt_hierarchy_leave(task->entity, instant);
    }
}

TAKT_RARE void takt_jobs_end_extended(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                                      takt_instant_t instant) {
    takt_timers_t *timers = &task->entity->parent->timers;
    takt_entity_clear_state(task->entity, TAKT_STATE_STARTED);
    takt_timers_remove(timers, &task->extension->expiry);
    takt_timers_remove(timers, &task->extension->resume);
    if (takt_entity_is_locking(task->entity)) {
        dispatcher->locks->end_job(dispatcher, task, now, instant);
    }
    task->job.number += 1u + task->extension->skipped;
    task->extension->skipped = 0;
    end_job(task, instant);
}

void takt_jobs_complete(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    if (task->extension != NULL) {
        task->extension->source->end(dispatcher, task, now, now);
    } else {
        takt_entity_clear_state(task->entity, TAKT_STATE_STARTED);
        task->job.number++;
        end_job(task, now);
    }
}

TAKT_RARE void takt_jobs_abort(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    takt_record_job(dispatcher, TAKT_RECORD_ABORT, task, 0, now, task->job.deadline);
    takt_server_t *parent = task->entity->parent;
    takt_jobs_end_extended(dispatcher, task, now, takt_timers_position(&parent->timers));
    if (TAKT_UNLIKELY(parent->sharing != TAKT_PROTOCOL_NONE) && !takt_server_is_active(parent)) {
        takt_account_exhaust_server(dispatcher, parent, now);
    }
}

TAKT_RARE void takt_jobs_suspend(takt_entity_t *entity, takt_instant_t now, takt_instant_t until) {
    takt_urgency_end_region(entity);
    takt_hierarchy_leave(entity, now);
    takt_timers_insert(&entity->parent->timers, &entity->task->extension->resume, until);
}
