/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Near layer of releases: periodic jobs that begin in the ready set of the running entity, without a pass. A kernel calls
 * these functions when the last decision has ended; where they give up it calls the full pass. Both decide alike.
 *
 * Source: SPEC.md, 2, steps 1, 4 and 7; takt_dispatcher_step, of which this is the common case.
 *
 * Where a decision ends, a timer is due, or a budget is exhausted. A due timer that only has to be moved changes no ready
 * set, and a release changes one. If that is the set of the running entity, the observation of near.h holds: the same
 * budgets pay.
 *
 * What makes that true, beyond the conditions of near.h:
 *   - No budget is exhausted: what pays is one server directly below the root, and something is left of it.
 *   - The due timer is a release at the root, or the wake of the running entity's server, and a release in there. The job's
 *     entity has the attributes of the running one, but for that of the heap; its task has no extension.
 *
 * These items are counted neither as steps nor in `expired` and `releases`, which only simulators read. */
#ifndef TAKT_CORE_RELEASE_H
#define TAKT_CORE_RELEASE_H

#include "core/between.h"
#include "core/jobs.h"

/* Charges what `running`, for which takt_near_leaves holds, has executed up to `now`. Returns false, and charges nothing, if
 * the full pass must: a budget is exhausted, or not one server's. */
TAKT_INLINE bool takt_release_charge(takt_cpu_t *cpu, const takt_entity_t *running, takt_instant_t now) {
    takt_server_t *parent = running->parent;
    if ((running->attributes & TAKT_ATTRIBUTE_IN_SERVER) == 0) {
        return true;
    }
    if (!takt_between_admits_set(parent) || now - cpu->charged_at >= parent->job.remaining) {
        return false;
    }
    takt_between_charge(cpu, running, now);
    return true;
}

/* Begins the job that is released at `nominal`, or lets it wait behind the current one. */
TAKT_INLINE void takt_release_job(takt_task_t *task, takt_instant_t nominal) {
    takt_entity_t *entity = task->entity;
    if (takt_task_is_active(task)) {
        task->waiting++;
        return;
    }
    takt_jobs_fill(task, nominal, nominal + task->relative_deadline);
    takt_near_insert(entity, takt_near_has_keys(entity), 1);
    takt_entity_set_state(entity, TAKT_STATE_ACTIVE | TAKT_STATE_READY);
}

/* True if the release of `task` concerns only the ready set of `running`, for which takt_near_leaves holds. It was found at
 * the root, or in the server of `running`: the attributes tell which. */
TAKT_INLINE bool takt_release_is_near(const takt_task_t *task, const takt_entity_t *running) {
    const takt_entity_t *entity = task->entity;
    return task->extension == NULL && takt_near_is_beside(entity, running);
}

/* Handles `timer`, which is due in `timers` and not a wake; NULL: a move. Returns false, and does nothing, if the full pass
 * must. */
TAKT_INLINE bool takt_release_handle(takt_timers_t *timers, takt_timer_t *timer, takt_instant_t now,
                                     const takt_entity_t *running) {
    if (timer == NULL) {
        return takt_timers_take(timers, now) == NULL;
    }
    takt_task_t *task = TAKT_CONTAINER_OF(timer, takt_task_t, timer);
    if (timer->kind != TAKT_TIMER_RELEASE || !takt_release_is_near(task, running)) {
        return false;
    }
    const takt_instant_t nominal = timer->instant;
    takt_timers_renew(timers, timer, nominal + task->job.period);
    takt_release_job(task, nominal);
    return true;
}

/* Likewise for `timer`, the wake of a server: handles what is due in there, up to the instant of the wake. */
TAKT_INLINE bool takt_release_handle_wake(takt_timers_t *outer, takt_timer_t *timer,
                                          const takt_entity_t *running) {
    takt_server_t *server = TAKT_CONTAINER_OF(timer, takt_server_t, wake);
    takt_timers_t *timers = &server->timers;
    if (server != running->parent ||
        !takt_release_handle(timers, takt_timers_first(timers, timer->instant), timer->instant, running)) {
        return false;
    }
    takt_timers_renew(outer, timer, takt_timers_next(timers));
    return true;
}

#endif
