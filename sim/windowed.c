/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Windows of jobs in simulated systems; see windowed.h. */
#include "sim/windowed.h"

#include "sim/report.h"

static takt_duration_t above(takt_duration_t ticks, takt_duration_t part) {
    return ticks > part ? ticks - part : 0u;
}

/* Returns the execution time of the current job of `task`. */
static takt_duration_t executed_by_job(const takt_sim_t *sim, uint32_t task) {
    const takt_sim_work_t *work = takt_sim_work_on(sim, task, sim->system.tasks[task].job.number);
    return work->total - work->at.left - work->at.after;
}

static bool is_imprecise(const takt_sim_t *sim, uint32_t task) {
    return sim->windows[task].kind == TAKT_WINDOWS_IMPRECISE;
}

/* The current job of `task` ends: counts what it executed of its optional part. */
static void count_optional(const takt_sim_t *sim, uint32_t task) {
    const takt_duration_t part = sim->windows[task].parameters.part;
    if (is_imprecise(sim, task)) {
        sim->statistics[task].optional_executed += above(executed_by_job(sim, task), part);
        sim->statistics[task].optional_wanted += above(sim->work[task].total, part);
    }
}

/* Returns the deadline of the current job by the task's parameters; of a call, when it is needed. */
static takt_instant_t deadline_of(const takt_sim_t *sim, uint32_t task) {
    const takt_task_t *of = &sim->system.tasks[task];
    return takt_system_is_allocator(&sim->system, of) ? of->job.deadline
                                                      : of->job.release + sim->specs[task].relative_deadline;
}

bool takt_sim_report_windowed_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                     takt_instant_t finish) {
    const takt_instant_t deadline = deadline_of(sim, task);
    count_optional(sim, task);
    takt_sim_report_deadline(sim, sinks, task, sim->system.tasks[task].job.number, deadline);
    return finish > deadline;
}

void takt_sim_report_windowed_loss(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                   takt_allocation_event_t event) {
    const takt_job_t *job = &sim->system.tasks[task].job;
    const bool is_cut = event == TAKT_ALLOCATION_CUT;
    count_optional(sim, task);
    sim->statistics[task].cut += is_cut;
    sim->statistics[task].aborted += !is_cut;
    takt_sim_report_deadline(sim, sinks, task, job->number, deadline_of(sim, task));
    takt_sim_report_job(sim, sinks, task, job->number, job->release, TAKT_NEVER, !is_cut);
}

/* True if the current job of `task` has missed its deadline at `seen`. */
static bool has_missed(const takt_sim_t *sim, uint32_t task, takt_instant_t seen) {
    const takt_duration_t part = sim->windows[task].parameters.part;
    return deadline_of(sim, task) <= seen && !(is_imprecise(sim, task) && executed_by_job(sim, task) >= part);
}

/* Reports the jobs of `task`, number `index`, that wait behind the current one. */
static void report_waiting(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, const takt_task_t *task,
                           uint32_t index, takt_instant_t seen) {
    for (uint32_t i = 0; i < task->waiting; i++) {
        const takt_instant_t release = task->job.release + (i + 1u) * task->job.period;
        const takt_instant_t deadline = release + task->relative_deadline;
        takt_sim_report_deadline(sim, sinks, index, task->job.number + 1u + i, deadline);
        takt_sim_report_job(sim, sinks, index, task->job.number + 1u + i, release, TAKT_NEVER,
                            deadline <= seen);
    }
}

/* Likewise the calls that wait. */
static void report_waiting_calls(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t index,
                                 takt_instant_t seen) {
    const takt_calls_t *calls = &sim->system.calls;
    uint32_t job = calls->task->job.number;
    const takt_call_t *call = calls->first;
    while (call != NULL && (call = call->next) != NULL) {
        job++;
        takt_sim_report_deadline(sim, sinks, index, job, call->needed);
        takt_sim_report_job(sim, sinks, index, job, call->asked, TAKT_NEVER, call->needed <= seen);
    }
}

void takt_sim_report_windowed_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t index,
                                  takt_instant_t seen) {
    const takt_task_t *task = &sim->system.tasks[index];
    takt_sim_statistics_t *statistics = &sim->statistics[index];
    const bool is_active = takt_task_is_active(task);
    const uint64_t ended = statistics->finished + statistics->aborted + statistics->cut;
    statistics->released = ended + is_active + task->waiting;
    statistics->busy = sim->work[index].served;
    statistics->allocator_calls = takt_windowed_of(task)->called;
    if (is_active) {
        takt_sim_report_deadline(sim, sinks, index, task->job.number, deadline_of(sim, index));
        takt_sim_report_job(sim, sinks, index, task->job.number, task->job.release, TAKT_NEVER,
                            has_missed(sim, index, seen));
    }
    if (takt_system_is_allocator(&sim->system, task)) {
        report_waiting_calls(sim, sinks, index, seen);
    } else {
        report_waiting(sim, sinks, task, index, seen);
    }
}
