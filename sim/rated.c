/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Windows of jobs of rate-based systems; see rated.h. */
#include "sim/rated.h"

#include "policy/rate_based.h"
#include "sim/report.h"

/* Reports the deadlines of a job: the last one, unknown if it had no window, and `asked`, the requested
 * deadline. */
static void report_window(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task, uint32_t job,
                          takt_instant_t asked, takt_instant_t deadline, takt_instant_t end) {
    const bool missed = end > asked;
    sim->statistics[task].missed_requested += missed;
    if (sinks->window != NULL) {
        sinks->window(sinks->context, task, job, deadline, missed);
    }
}

bool takt_sim_report_rated_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                  takt_instant_t finish) {
    const takt_task_t *of = &sim->system.tasks[task];
    report_window(sim, sinks, task, of->job.number, of->job.release + of->relative_deadline, of->job.deadline,
                  finish);
    return takt_rate_task_of(of)->is_late;
}

/* Returns the rest of the budget of `task` at the horizon, where core is not called any more. */
static takt_duration_t budget_at(const takt_sim_t *sim, const takt_task_t *task, takt_instant_t horizon) {
    const takt_cpu_t *cpu = sim->system.cpus;
    const bool is_charged = cpu->running == task->entity && takt_task_is_open(task);
    return task->job.remaining - (is_charged ? horizon - cpu->charged_at : 0u);
}

static bool is_late_at(const takt_sim_t *sim, const takt_task_t *task, takt_instant_t horizon) {
    const takt_rate_task_t *rate = takt_rate_task_of(task);
    const bool is_due =
        task->job.task_class == TAKT_CLASS_HARD || takt_rate_has_budget(rate, budget_at(sim, task, horizon));
    return rate->is_late || (rate->stage != TAKT_RATE_OUT && task->job.deadline <= horizon && is_due);
}

/* Reports the jobs of a task that wait for their first windows, from number `job` on. */
static void report_waiting(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t index, uint32_t job,
                           takt_instant_t horizon) {
    const takt_task_t *task = &sim->system.tasks[index];
    takt_change_t *change = task->extension->behind;
    takt_duration_t period = task->job.period;
    takt_duration_t deadline = task->relative_deadline;
    takt_instant_t release = takt_rate_first_waiting(takt_rate_task_of(task));
    for (uint32_t i = 0; i < task->waiting; i++) {
        const takt_change_t *parameters = takt_change_pass(&change, release, NULL);
        period = parameters != NULL ? parameters->period : period;
        deadline = parameters != NULL ? parameters->relative_deadline : deadline;
        report_window(sim, sinks, index, job + i, release + deadline, TAKT_NEVER, horizon + 1u);
        takt_sim_report_job(sim, sinks, index, job + i, release, TAKT_NEVER, false);
        release += period;
    }
}

static void end_task(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t index,
                     takt_instant_t horizon) {
    const takt_task_t *task = &sim->system.tasks[index];
    const takt_job_t *current = &task->job;
    const takt_rate_task_t *rate = takt_rate_task_of(task);
    takt_sim_statistics_t *statistics = &sim->statistics[index];
    const bool is_active = takt_task_is_active(task);
    statistics->released = statistics->finished + is_active + task->waiting;
    statistics->busy = sim->work[index].served;
    statistics->allocator_calls = rate->begun + rate->fed_back;
    statistics->feedback_calls = rate->fed_back;
    if (is_active) {
        report_window(sim, sinks, index, current->number, current->release + task->relative_deadline,
                      current->deadline, horizon + 1u);
        takt_sim_report_job(sim, sinks, index, current->number, current->release, TAKT_NEVER,
                            is_late_at(sim, task, horizon));
    }
    report_waiting(sim, sinks, index, current->number + is_active, horizon);
}

/* A job that uses its whole budget may have received it just now. */
static void finish_greedy_job(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t horizon) {
    takt_entity_t *running = sim->system.cpus->running;
    takt_task_t *task = running != NULL ? running->task : NULL;
    if (task != NULL && takt_task_is_open(task) && takt_rate_task_of(task)->is_greedy &&
        budget_at(sim, task, horizon) == 0) {
        takt_sim_report_finish(sim, sinks, takt_sim_task_of(sim, takt_entity_number(running)), horizon);
        takt_entity_clear_state(running, TAKT_STATE_ACTIVE);
        task->job.number++;
    }
}

void takt_sim_report_rated_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t horizon) {
    finish_greedy_job(sim, sinks, horizon);
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        end_task(sim, sinks, task, horizon);
    }
}
