/* Releases and ends of jobs.h. */
#include "core/jobs.h"

#include "core/account.h"
#include "core/allocator.h"
#include "core/hierarchy.h"
#include "core/locks.h"
#include "core/record.h"
#include "core/rule.h"
#include "core/urgency.h"

/* A job that was released at `instant` is about to be the current one of `task`, which has an extension. */
TAKT_INLINE void adopt_changes(takt_task_t *task, takt_instant_t instant) {
    if (TAKT_UNLIKELY(task->extension->behind != NULL)) {
        takt_change_adopt(task, instant);
    }
}

/* Makes the job that arrived at `nominal` the current one. */
TAKT_INLINE void write_job(takt_task_t *task, takt_instant_t nominal, takt_instant_t deadline) {
    task->job.release = nominal;
    task->job.deadline = deadline;
    task->job.remaining = task->wcet;
    takt_urgency_begin(task, &task->job);
    if (task->extension != NULL && (task->extension->on_miss & TAKT_ON_MISS_ABORT) != 0) {
        takt_timers_insert(&task->entity->home->timers, &task->extension->expiry, task->job.deadline);
    }
}

/* Likewise of a task without a rule. */
TAKT_INLINE void write_plain_job(takt_task_t *task, takt_instant_t nominal) {
    write_job(task, nominal, nominal + task->relative_deadline);
}

static const takt_arrival_t *pop_arrival(takt_task_extension_t *extension) {
    const takt_arrival_t *arrival = takt_task_arrival(extension, 0);
    extension->first++;
    extension->count--;
    return arrival;
}

/* Makes the oldest job that arrived as an event the current one. */
TAKT_RARE static void write_arrived_job(takt_task_t *task) {
    takt_task_extension_t *extension = task->extension;
    adopt_changes(task, takt_task_arrival(extension, 0)->instant);
    const takt_arrival_t *arrival = pop_arrival(extension);
    extension->tag = arrival->tag;
    if (extension->rule == NULL) {
        write_plain_job(task, arrival->nominal);
    } else {
        write_job(task, arrival->nominal, arrival->deadline);
    }
}

/* The current job has been written. */
static void begin_job(takt_task_t *task, takt_instant_t instant) {
    takt_entity_set_state(task->entity, TAKT_STATE_ACTIVE);
    takt_hierarchy_join(task->entity, instant);
}

/* The release timer stands at the first arrival that is neither released nor put off. */
static void arm_release(takt_task_t *task) {
    const takt_task_extension_t *extension = task->extension;
    if (extension->count > task->waiting && !takt_timer_is_armed(&task->timer)) {
        const takt_instant_t instant = takt_task_arrival(extension, task->waiting)->instant;
        if (instant != TAKT_NEVER) {
            takt_timers_insert(&task->entity->home->timers, &task->timer, instant);
        }
    }
}

/* The nominal release of the oldest job that waits, of a periodic task. */
TAKT_INLINE takt_instant_t next_release(takt_task_t *task) {
    const takt_instant_t nominal = task->job.release + task->job.period;
    return task->extension == NULL ? nominal : takt_change_next_release(task->extension->behind, nominal);
}

TAKT_INLINE void write_next_job(takt_task_t *task) {
    task->waiting--;
    if (!takt_task_is_periodic(task)) {
        write_arrived_job(task);
        return;
    }
    const takt_instant_t nominal = next_release(task);
    if (task->extension != NULL) {
        adopt_changes(task, nominal);
    }
    write_plain_job(task, nominal);
}

/* The next job takes over in place, so that the server of a task with work never leaves its parent. */
static void take_over(takt_task_t *task, takt_instant_t instant) {
    takt_entity_t *entity = task->entity;
    const bool is_ready = takt_entity_is_ready(entity);
    if (is_ready) {
        takt_ready_remove(&entity->home->ready, entity);
    }
    write_next_job(task);
    if (is_ready) {
        takt_ready_insert(&entity->home->ready, entity);
    } else {
        takt_hierarchy_join(entity, instant);
    }
}

/* What the extension of a task has to do when its job ends. */
TAKT_RARE static void end_extended_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                                       takt_instant_t instant) {
    takt_timers_t *timers = &task->entity->home->timers;
    takt_timers_remove(timers, &task->extension->expiry);
    takt_timers_remove(timers, &task->extension->resume);
    if (takt_entity_is_locking(task->entity)) {
        takt_locks_end_job(dispatcher, task, now, instant);
    }
    task->job.number += 1u + task->extension->skipped;
    task->extension->skipped = 0;
}

void takt_jobs_end(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                   takt_instant_t instant) {
    if (takt_task_is_allocated(task)) {
        if (TAKT_UNLIKELY(takt_entity_is_locking(task->entity))) {
            takt_locks_end_job(dispatcher, task, now, instant);
        }
        takt_task_allocator(task)->complete(task, now);
        return;
    }
    takt_entity_clear_state(task->entity, TAKT_STATE_STARTED);
    if (task->extension != NULL) {
        end_extended_job(dispatcher, task, now, instant);
    } else {
        task->job.number++;
    }
    if (task->waiting > 0) {
        take_over(task, instant);
    } else {
        takt_entity_clear_state(task->entity, TAKT_STATE_ACTIVE);
        takt_hierarchy_leave(task->entity, instant);
    }
}

TAKT_RARE void takt_jobs_suspend(takt_entity_t *entity, takt_instant_t now, takt_instant_t until) {
    takt_urgency_end_region(entity);
    takt_hierarchy_leave(entity, now);
    takt_timers_insert(&entity->home->timers, &entity->task->extension->resume, until);
}

TAKT_RARE void takt_jobs_arrive(takt_task_t *task, takt_instant_t instant, takt_instant_t nominal) {
    takt_task_extension_t *extension = task->extension;
    extension->count++;
    takt_arrival_t *arrival = takt_task_arrival(extension, extension->count - 1u);
    arrival->instant = instant;
    arrival->nominal = nominal;
    arrival->deadline = nominal + task->relative_deadline;
    arrival->tag = 0;
    if (extension->rule != NULL) {
        extension->rule->arrive(task, arrival);
    }
    arm_release(task);
}

void takt_rule_release(takt_task_t *task, takt_arrival_t *arrival, takt_instant_t instant) {
    arrival->instant = instant;
    arm_release(task);
    takt_hierarchy_rearm_wakes(task->entity->home);
}

/* Step 5. */
TAKT_RARE static void abort_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    takt_record_end(dispatcher, TAKT_RECORD_ABORT, task, 0, now, task->job.deadline);
    takt_server_t *home = task->entity->home;
    takt_jobs_end(dispatcher, task, now, takt_timers_position(&home->timers));
    if (TAKT_UNLIKELY(home->sharing != TAKT_PROTOCOL_NONE) && !takt_server_is_active(home)) {
        takt_account_exhaust_server(home, now);
    }
}

void takt_jobs_expire(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    if (task->extension->allocation != NULL) {
        takt_task_allocator(task)->finish(task, task->extension->expiry.instant);
    } else {
        abort_job(dispatcher, task, now);
    }
}

TAKT_RARE static void skip_job(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now,
                               takt_instant_t nominal) {
    task->extension->skipped++;
    takt_record_end(dispatcher, TAKT_RECORD_SKIP, task, task->extension->skipped, now, nominal);
}

static bool is_to_be_skipped(const takt_task_t *task) {
    return takt_task_is_active(task) && (task->extension->on_miss & TAKT_ON_MISS_SKIP) != 0;
}

TAKT_RARE static void release_arrival(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t instant = task->timer.instant;
    if (is_to_be_skipped(task)) {
        skip_job(dispatcher, task, now, pop_arrival(task->extension)->nominal);
    } else if (takt_task_is_active(task)) {
        task->waiting++;
    } else {
        write_arrived_job(task);
        begin_job(task, instant);
    }
    arm_release(task);
}

TAKT_RARE static void release_extended(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t nominal = task->timer.instant;
    takt_change_arm_release(task, nominal + task->extension->period);
    if (!takt_task_is_active(task)) {
        adopt_changes(task, nominal);
        write_plain_job(task, nominal);
        begin_job(task, nominal);
    } else if (is_to_be_skipped(task)) {
        skip_job(dispatcher, task, now, nominal);
    } else {
        task->waiting++;
    }
}

static void release_periodic(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    const takt_instant_t nominal = task->timer.instant;
    if (TAKT_UNLIKELY(task->extension != NULL)) {
        release_extended(dispatcher, task, now);
        return;
    }
    takt_timers_insert(&task->entity->home->timers, &task->timer, nominal + task->job.period);
    if (!takt_task_is_active(task)) {
        write_plain_job(task, nominal);
        begin_job(task, nominal);
    } else {
        task->waiting++;
    }
}

void takt_jobs_release(takt_dispatcher_t *dispatcher, takt_task_t *task, takt_instant_t now) {
    dispatcher->releases++;
    if (takt_task_is_periodic(task)) {
        release_periodic(dispatcher, task, now);
    } else if (task->extension->allocation != NULL) {
        takt_task_allocator(task)->start(task, task->timer.instant);
    } else {
        release_arrival(dispatcher, task, now);
    }
}
