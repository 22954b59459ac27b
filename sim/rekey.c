/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Keys that a policy outside of core gives before each decision; see takt_sim_sinks_t. Core learns of each that changes
 * by an event, so that a replay needs no policy. */
#include "sim/run.h"

/* The lane on which the job of `task` runs; NULL if it runs on none, or there is one processor. */
static const takt_lane_t *lane_of(const takt_run_t *run, uint32_t task) {
    const takt_lane_t *lane = run->lanes != NULL ? &run->lanes[run->stays[task].cpu % run->lane_count] : NULL;
    return lane != NULL && lane->entity != NULL && lane->task == task ? lane : NULL;
}

/* What the current job of `task` has executed up to now. It has executed nothing when it is seen first, for it is seen
 * before the decision that selects it first. */
static takt_duration_t executed(takt_run_t *run, uint32_t task, uint32_t job, const takt_lane_t *lane) {
    takt_rekey_start_t *start = &run->rekey_starts[task];
    const takt_duration_t served = run->sim->work[task].served + (lane != NULL ? run->now - lane->since : 0u);
    if (!start->is_set || start->job != job) {
        *start = (takt_rekey_start_t){served, job, true};
    }
    return served - start->served;
}

/* Appends the current job of `task` to run->rekey_jobs, which has `count`, if it is ready or runs. Returns the new
 * count. */
static uint32_t append(takt_run_t *run, uint32_t task, uint32_t count) {
    const takt_entity_t *entity = takt_system_entity_of(&run->sim->system, task);
    const takt_lane_t *lane = lane_of(run, task);
    if (!takt_task_is_active(entity->task) || (!takt_entity_is_ready(entity) && lane == NULL)) {
        return count;
    }
    const takt_job_t *job = &entity->task->job;
    const bool was_selected = run->running == entity && run->job == job->number;
    run->rekey_jobs[count] = (takt_sim_job_t){
        .task = task,
        .number = job->number,
        .release = job->release,
        .deadline = job->deadline,
        .executed = executed(run, task, job->number, lane),
        .is_running = lane != NULL || was_selected,
        .key = entity->task->base_key,
    };
    return count + 1u;
}

static void post_changed(takt_run_t *run, const takt_sim_job_t *job) {
    takt_entity_t *entity = takt_system_entity_of(&run->sim->system, job->task);
    if (entity->task->base_key != job->key) {
        takt_run_post(run, &(takt_event_t){TAKT_EVENT_PRIORITY, entity, run->now, {job->key}});
    }
}

void takt_run_rekey(takt_run_t *run) {
    const takt_duration_t every = run->sinks.rekey_every;
    uint32_t count = 0;
    for (uint32_t task = 0; task < run->sim->system.task_count; task++) {
        count = append(run, task, count);
    }
    if (count > 0) {
        run->sinks.rekey(run->sinks.context, run->now, run->rekey_jobs, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        post_changed(run, &run->rekey_jobs[i]);
    }
    if (every > 0 && run->now >= run->next_rekey) {
        run->next_rekey = run->now / every * every + every;
    }
    takt_run_settle(run);
}
