/* What is told when jobs end without finishing, and at the end of a run; see tell.h. */
#include "sim/tell.h"

enum { DECISIONS_BETWEEN_PROGRESS = 1 << 16 };

/* Of the job that is skipped now: it has just left the ring, or never was in one. */
static takt_instant_t deadline_of_skipped(const takt_sim_t *sim, uint32_t index, takt_instant_t nominal) {
    const takt_task_t *task = &sim->system.tasks[index];
    return takt_task_is_periodic(task) ? nominal + task->relative_deadline
                                       : takt_task_arrival(task->extension, UINT32_MAX)->deadline;
}

void takt_sim_tell_loss(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_record_t *record) {
    const uint32_t task = takt_sim_task_of(sim, record->entity);
    if (record->kind == TAKT_RECORD_SKIP) {
        sim->statistics[task].skipped++;
        takt_sim_tell_deadline(sim, sinks, task, record->job, deadline_of_skipped(sim, task, record->value));
        takt_sim_tell_job(sim, sinks, task, record->job, record->value, TAKT_NEVER, true);
        return;
    }
    const takt_instant_t release = sim->system.tasks[task].job.release;
    sim->statistics[task].aborted++;
    takt_sim_tell_deadline(sim, sinks, task, record->job, sim->system.tasks[task].job.deadline);
    takt_sim_tell_job(sim, sinks, task, record->job, release, TAKT_NEVER, true);
}

static uint64_t unreleased(const takt_task_t *task, takt_instant_t horizon) {
    if (!takt_task_is_periodic(task)) {
        return task->extension->count - task->waiting;
    }
    const takt_instant_t next = task->timer.instant;
    return next < horizon ? (horizon - next + task->job.period - 1u) / task->job.period : 0u;
}

/* The `index`th job that is not the current one. */
static takt_arrival_t arrival_of(const takt_task_t *task, uint64_t index) {
    if (!takt_task_is_periodic(task)) {
        return *takt_task_arrival(task->extension, (uint32_t)index);
    }
    const takt_instant_t nominal =
        task->timer.instant - task->waiting * task->job.period + index * task->job.period;
    return (takt_arrival_t){.nominal = nominal, .deadline = nominal + task->relative_deadline};
}

/* Jobs that are unfinished at the horizon: the current one, those that wait, and those whose release core
 * has not seen, because the task's server has been inactive since or the scheduler has not looked. */
static void end_task(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t index,
                     takt_instant_t horizon, takt_instant_t seen) {
    const takt_task_t *task = &sim->system.tasks[index];
    takt_sim_statistics_t *statistics = &sim->statistics[index];
    const bool is_active = (task->entity->state & TAKT_STATE_ACTIVE) != 0;
    const uint64_t others = task->waiting + unreleased(task, horizon);
    const uint32_t skipped = task->extension != NULL ? task->extension->skipped : 0u;
    const uint32_t first = task->job.number + skipped + is_active;
    const uint64_t ended = statistics->finished + statistics->aborted + statistics->skipped;
    statistics->released = ended + is_active + others;
    statistics->busy = sim->work[index].served;
    if (is_active) {
        takt_sim_tell_deadline(sim, sinks, index, task->job.number, task->job.deadline);
        takt_sim_tell_job(sim, sinks, index, task->job.number, task->job.release, TAKT_NEVER,
                          task->job.deadline <= seen);
    }
    for (uint64_t i = 0; i < others; i++) {
        const takt_arrival_t arrival = arrival_of(task, i);
        takt_sim_tell_deadline(sim, sinks, index, first + (uint32_t)i, arrival.deadline);
        takt_sim_tell_job(sim, sinks, index, first + (uint32_t)i, arrival.nominal, TAKT_NEVER,
                          arrival.deadline <= seen);
    }
}

void takt_sim_tell_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t horizon,
                       takt_instant_t seen) {
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        end_task(sim, sinks, task, horizon, seen);
    }
}

bool takt_sim_is_wanted(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t now) {
    return sinks->progress == NULL || sim->decisions % DECISIONS_BETWEEN_PROGRESS != 0 ||
           sinks->progress(sinks->context, now);
}
