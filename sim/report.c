/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reports of jobs that end without finishing, and of the end of a run; see report.h. */
#include "sim/report.h"

enum { DECISIONS_BETWEEN_PROGRESS = 1 << 16 };

bool takt_sim_report_allocated_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                      takt_instant_t finish) {
    return sim->system.rates != NULL ? takt_sim_report_rated_finish(sim, sinks, task, finish)
                                     : takt_sim_report_windowed_finish(sim, sinks, task, finish);
}

/* Returns the deadline of an arrival whose relative one is `relative`, unless a rule has given it. */
static takt_instant_t deadline_of(const takt_task_t *task, const takt_arrival_t *arrival,
                                  takt_duration_t relative) {
    return task->extension->rule != NULL ? arrival->deadline : arrival->deadline + relative;
}

/* Returns the deadline of the job skipped now: it has just left the ring, or never was in one. */
static takt_instant_t deadline_of_skipped(const takt_sim_t *sim, uint32_t index, takt_instant_t nominal) {
    const takt_task_t *task = &sim->system.tasks[index];
    if (takt_task_is_periodic(task)) {
        return nominal + task->relative_deadline;
    }
    return deadline_of(task, takt_task_arrival(task->extension, UINT32_MAX), task->relative_deadline);
}

void takt_sim_report_loss(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_record_t *record) {
    const uint32_t task = takt_sim_task_of(sim, record->entity);
    if (record->kind == TAKT_RECORD_SKIP) {
        takt_sim_report_dropped(sim, sinks, task, record->job, record->value,
                                deadline_of_skipped(sim, task, record->value));
        return;
    }
    const takt_instant_t release = sim->system.tasks[task].job.release;
    sim->statistics[task].aborted++;
    takt_sim_report_deadline(sim, sinks, task, record->job, sim->system.tasks[task].job.deadline);
    takt_sim_report_job(sim, sinks, task, record->job, release, TAKT_NEVER, true);
}

void takt_sim_report_drop(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_record_t *record) {
    const uint32_t index = takt_sim_task_of(sim, record->entity);
    const takt_task_t *task = &sim->system.tasks[index];
    const takt_arrival_t *arrival = takt_task_arrival(task->extension, (uint32_t)record->value);
    uint32_t job = task->job.number - !takt_task_is_active(task);
    for (uint32_t i = 0; i <= record->value; i++) {
        job += 1u + (uint32_t)takt_task_arrival(task->extension, i)->tag;
    }
    takt_sim_report_dropped(sim, sinks, index, job, arrival->nominal,
                            deadline_of(task, arrival, task->relative_deadline));
}

void takt_sim_report_dropped(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                             uint32_t job, takt_instant_t arrival, takt_instant_t deadline) {
    sim->statistics[task].skipped++;
    takt_sim_report_deadline(sim, sinks, task, job, deadline);
    takt_sim_report_job(sim, sinks, task, job, arrival, TAKT_NEVER, true);
}

/* The jobs of a task that are not the current one, in order. */
typedef struct others {
    const takt_task_t *task;
    uint32_t index;           /* of the next one */
    takt_instant_t next;      /* its arrival if the task is periodic */
    takt_change_t *change;    /* the first one of the task that the jobs have not reached */
    takt_duration_t period;   /* of the last one */
    takt_duration_t deadline; /* likewise, relative */
    takt_instant_t due;       /* deadline of the last one */
    uint32_t passed;          /* jobs right before the last one that have been dropped */
} others_t;

static void adopt(others_t *others, takt_instant_t release) {
    const takt_change_t *parameters = takt_change_pass(&others->change, release, NULL);
    if (parameters != NULL) {
        others->period = parameters->period;
        others->deadline = parameters->relative_deadline;
    }
}

/* Returns the first job that waits behind the current one; else the first that is not released. */
static takt_instant_t first_release(const takt_task_t *task, const takt_change_t *change) {
    if (task->waiting > 0) {
        return takt_change_next_release(change, task->job.release + task->job.period);
    }
    return takt_timer_is_armed(&task->timer) ? task->timer.instant : TAKT_NEVER;
}

static others_t others_of(const takt_task_t *task) {
    others_t others = {.task = task, .period = task->job.period, .deadline = task->relative_deadline};
    if (task->extension != NULL) {
        others.change = task->extension->behind;
    }
    if (takt_task_is_periodic(task)) {
        others.next = first_release(task, others.change);
    }
    return others;
}

/* Returns the arrival of the next job before `horizon`, TAKT_NEVER if there is none. */
static takt_instant_t take_periodic(others_t *others, takt_instant_t horizon) {
    const takt_instant_t arrival = others->next;
    if (arrival >= horizon) {
        return TAKT_NEVER;
    }
    adopt(others, arrival);
    others->due = arrival + others->deadline;
    others->next = takt_change_next_release(others->change, arrival + others->period);
    return arrival;
}

static takt_instant_t take_other(others_t *others, takt_instant_t horizon) {
    const takt_task_t *task = others->task;
    if (takt_task_is_periodic(task)) {
        return take_periodic(others, horizon);
    }
    if (others->index >= task->extension->count) {
        return TAKT_NEVER;
    }
    const takt_arrival_t *arrival = takt_task_arrival(task->extension, others->index);
    adopt(others, arrival->instant);
    others->index++;
    others->due = deadline_of(task, arrival, others->deadline);
    others->passed = task->extension->rule == NULL ? (uint32_t)arrival->tag : 0u;
    return arrival->nominal;
}

/* Reports jobs unfinished at the horizon: the current one, those that wait, and those whose release core has
 * not processed, because the task's server has been inactive since or the scheduler has not been entered. */
TAKT_RARE static void end_task(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t index,
                               takt_instant_t horizon, takt_instant_t seen) {
    const takt_task_t *task = &sim->system.tasks[index];
    takt_sim_statistics_t *statistics = &sim->statistics[index];
    const bool is_active = (task->entity->state & TAKT_STATE_ACTIVE) != 0;
    const uint32_t skipped = task->extension != NULL ? task->extension->skipped : 0u;
    uint32_t job = task->job.number + skipped + is_active;
    statistics->released = statistics->finished + statistics->aborted + statistics->skipped + is_active;
    statistics->busy = sim->work[index].served;
    if (is_active) {
        takt_sim_report_deadline(sim, sinks, index, task->job.number, task->job.deadline);
        takt_sim_report_job(sim, sinks, index, task->job.number, task->job.release, TAKT_NEVER,
                            task->job.deadline <= seen);
    }
    others_t others = others_of(task);
    takt_instant_t arrival;
    while ((arrival = take_other(&others, horizon)) != TAKT_NEVER) {
        statistics->released++;
        job += others.passed;
        takt_sim_report_deadline(sim, sinks, index, job, others.due);
        takt_sim_report_job(sim, sinks, index, job++, arrival, TAKT_NEVER, others.due <= seen);
    }
}

void takt_sim_report_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t horizon,
                         takt_instant_t seen) {
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        if (takt_task_is_allocated(&sim->system.tasks[task])) {
            takt_sim_report_windowed_end(sim, sinks, task, seen);
        } else {
            end_task(sim, sinks, task, horizon, seen);
        }
    }
}

bool takt_sim_is_wanted(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t now) {
    return sinks->progress == NULL || sim->decisions % DECISIONS_BETWEEN_PROGRESS != 0 ||
           sinks->progress(sinks->context, now);
}
