/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Sinks: passes on what core does by itself, and the budgets of servers; see run.h. */
#include "sim/run.h"

/* ---- records of core ----------------------------------------------------------------------------------- */

/* Core has ended a job by itself. */
static void lose_job(takt_run_t *run, const takt_record_t *record) {
    if (record->kind == TAKT_RECORD_ABORT) {
        run->platform->stop(run, takt_sim_task_of(run->sim, record->entity), record->now);
    }
    takt_sim_report_loss(run->sim, &run->sinks, record);
}

static void report_lock(const takt_run_t *run, const takt_record_t *record) {
    static const takt_sim_lock_t whats[] = {TAKT_SIM_LOCKED, TAKT_SIM_BLOCKED, TAKT_SIM_UNLOCKED,
                                            TAKT_SIM_DEADLOCKED};
    const uint32_t task = takt_sim_task_of(run->sim, record->entity);
    if (run->sinks.lock != NULL && task < run->sim->system.task_count) {
        run->sinks.lock(run->sinks.context, record->now, task, record->job, (uint32_t)record->value,
                        whats[record->kind - TAKT_RECORD_GRANT]);
    }
}

/* A job has ended, or waits with an exhausted budget. */
static void report_windowed(takt_run_t *run, uint32_t task, takt_instant_t now,
                            takt_allocation_event_t event) {
    if (event != TAKT_ALLOCATION_OVERRUN) {
        run->platform->stop(run, task, now);
        takt_sim_report_windowed_loss(run->sim, &run->sinks, task, event);
    }
}

/* Handles an allocator's report on a task; a job may have used its whole budget, as intended. */
static void report_allocation(takt_run_t *run, const takt_record_t *record) {
    const uint32_t task = takt_sim_task_of(run->sim, record->entity);
    const takt_allocation_event_t event = takt_allocation_event_of(record->value);
    if (run->sim->system.rates == NULL) {
        report_windowed(run, task, record->now, event);
        return;
    }
    const takt_rate_task_t *rate = &run->sim->system.rates[task];
    const bool has_target = event == TAKT_ALLOCATION_RERATED || event == TAKT_ALLOCATION_RESUMED ||
                            event == TAKT_ALLOCATION_CHANGED;
    const takt_rate_target_t *has = has_target ? &rate->target : &rate->now;
    if (event == TAKT_ALLOCATION_FINISHED) {
        run->is_unfinished = false;
        takt_sim_report_finish(run->sim, &run->sinks, task, record->now);
    } else if (run->sinks.allocation != NULL) {
        run->sinks.allocation(run->sinks.context, record->now, task, event, has->rate, has->budget,
                              has->period);
    }
}

void takt_sinks_listen(takt_trace_t *trace, const takt_record_t *record) {
    takt_run_t *run = TAKT_CONTAINER_OF(trace, takt_run_t, trace);
    if (record->kind == TAKT_RECORD_ALLOCATION) {
        report_allocation(run, record);
    } else if (record->kind >= TAKT_RECORD_GRANT && record->kind <= TAKT_RECORD_DEADLOCK) {
        report_lock(run, record);
    } else if (record->kind == TAKT_RECORD_ABORT || record->kind == TAKT_RECORD_SKIP) {
        lose_job(run, record);
    }
    if (run->forward != NULL) {
        run->forward->record(run->forward, record);
    }
}

void takt_sinks_report_point(const takt_run_t *run, takt_instant_t now, uint32_t task, bool is_optional,
                             bool should_yield) {
    if (run->sinks.point != NULL) {
        const uint32_t job = run->sim->system.tasks[task].job.number;
        run->sinks.point(run->sinks.context, now, task, job, is_optional, should_yield);
    }
}

/* ---- budgets --------------------------------------------------------------------------------------------- */

static bool is_charged(const takt_entity_t *running, const takt_server_t *server) {
    const takt_server_t *parent = running != NULL ? running->parent : NULL;
    if (running == &server->entity) {
        return true;
    }
    while (parent != NULL && parent != server) {
        parent = parent->entity.parent;
    }
    return parent != NULL;
}

void takt_sinks_report_budgets(const takt_run_t *run, takt_instant_t now, const takt_entity_t *running) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; run->sinks.budget != NULL && i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        const takt_duration_t budget = takt_server_budget(server, now);
        const bool falls = budget > 0 && is_charged(running, server);
        run->sinks.budget(run->sinks.context, now, i, budget, falls);
    }
}

void takt_sinks_report_exhaustions(const takt_run_t *run, takt_instant_t after, takt_instant_t before,
                                   const takt_entity_t *running) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; run->sinks.budget != NULL && i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        const takt_duration_t budget = takt_server_budget(server, after);
        const takt_instant_t end = takt_least_of(before, takt_server_next_replenishment(server, after));
        if (budget > 0 && budget < end - after && is_charged(running, server)) {
            run->sinks.budget(run->sinks.context, after + budget, i, 0, false);
        }
    }
}

void takt_sinks_report_replenishments(const takt_run_t *run, takt_instant_t after, takt_instant_t before) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; run->sinks.budget != NULL && i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        takt_instant_t instant = takt_server_next_replenishment(server, after);
        for (; instant < before; instant = takt_server_next_replenishment(server, instant)) {
            run->sinks.budget(run->sinks.context, instant, i, takt_server_budget(server, instant), false);
        }
    }
}
