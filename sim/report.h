/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Telling: reports the jobs of a run to its sinks and in its statistics. Part of the simulator. */
#ifndef TAKT_SIM_REPORT_H
#define TAKT_SIM_REPORT_H

#include "sim/rated.h"
#include "sim/windowed.h"
#include "sim/work.h"

TAKT_INLINE void takt_sim_report_job(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                     uint32_t job, takt_instant_t release, takt_instant_t finish,
                                     bool missed) {
    sim->statistics[task].missed += missed;
    if (sinks->job != NULL) {
        sinks->job(sinks->context, task, job, release, finish, missed);
    }
}

/* As takt_sim_report_finish for a task with an allocation; returns whether the job is late. */
TAKT_RARE bool takt_sim_report_allocated_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks,
                                                uint32_t task, takt_instant_t finish);

/* True if deadlines do not follow from the tasks' parameters: rules assign them, some jobs are calls, or some count
 * from their origins. */
TAKT_INLINE bool takt_sim_gives_deadlines(const takt_sim_t *sim) {
    return sim->system.rules.is_any || sim->system.calls.task != NULL || sim->has_origins;
}

/* In such a system reports the deadline of the job reported next, if jobs are reported. */
TAKT_INLINE void takt_sim_report_deadline(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                          uint32_t job, takt_instant_t deadline) {
    if (sinks->job != NULL && sinks->window != NULL && takt_sim_gives_deadlines(sim)) {
        sinks->window(sinks->context, task, job, deadline, false);
    }
}

/* As takt_sim_report_allocated_finish for `of`, any other task. */
TAKT_INLINE bool takt_sim_report_plain_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks,
                                              uint32_t task, const takt_task_t *of, takt_instant_t finish) {
    takt_sim_report_deadline(sim, sinks, task, of->job.number, of->job.deadline);
    return finish > of->job.deadline;
}

/* The current job of `task` has received its demand, but core does not know yet. */
TAKT_INLINE void takt_sim_report_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                        takt_instant_t finish) {
    takt_sim_statistics_t *statistics = &sim->statistics[task];
    const takt_task_t *of = &sim->system.tasks[task];
    const takt_job_t *job = &of->job;
    const takt_duration_t response = finish - job->release;
    statistics->finished++;
    statistics->overruns += sim->work[task].total > of->wcet;
    statistics->response_sum += response;
    statistics->response_min = response < statistics->response_min ? response : statistics->response_min;
    statistics->response_max = response > statistics->response_max ? response : statistics->response_max;
    const bool missed = TAKT_UNLIKELY(takt_task_is_allocated(of))
                            ? takt_sim_report_allocated_finish(sim, sinks, task, finish)
                            : takt_sim_report_plain_finish(sim, sinks, task, of, finish);
    takt_sim_report_job(sim, sinks, task, job->number, job->release, finish, missed);
}

/* Index of the task whose entity has number `id`. */
TAKT_INLINE uint32_t takt_sim_task_of(const takt_sim_t *sim, uint32_t id) {
    return id - 1u - sim->system.server_count;
}

/* Reports a job that core has ended by itself: `record` is an abort or a skip. */
void takt_sim_report_loss(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_record_t *record);

/* Reports job `job` of `task`, which is dropped before it begins. */
void takt_sim_report_dropped(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                             uint32_t job, takt_instant_t arrival, takt_instant_t deadline);

/* Likewise, the one that `record` drops; core has not done so yet. */
void takt_sim_report_drop(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_record_t *record);

/* Called at the horizon: reports unfinished jobs, which have missed if their deadlines are at or before `seen`,
 * and closes the statistics. */
void takt_sim_report_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t horizon,
                         takt_instant_t seen);

/* Reports the progress of the run from time to time. Returns false if the run has to end. */
bool takt_sim_is_wanted(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t now);

#endif
