/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Retelling of retell.h: a run (run.h) whose platform is the trace. */
#include "sim/retell.h"

#include "sim/run.h"

/* Longer than any job executes. */
#define UNKNOWN_DEMAND (UINT64_C(1) << 62)

typedef struct retell {
    takt_run_t run;      /* first of all: its trace observes the replay */
    takt_instant_t now;  /* of the last record */
    takt_instant_t seen; /* when the platform saw the event of the next record; TAKT_NEVER: then */
    bool is_over;        /* the job of the last decision has ended or suspended itself */
} retell_t;

static void end_service(takt_run_t *run) {
    TAKT_CONTAINER_OF(run, retell_t, run)->is_over = true;
    run->is_unfinished = false;
}

static void stop(takt_run_t *run, uint32_t task, takt_instant_t now) {
    (void)now;
    if (run->running == takt_system_entity_of(&run->sim->system, task)) {
        end_service(run);
    }
}

static const takt_platform_t recorded = {.stop = stop};

/* What runs has received service in [start, end). */
static void serve(takt_run_t *run, takt_instant_t start, takt_instant_t end) {
    const takt_entity_t *running = run->running;
    if (takt_run_is_task(running)) {
        const uint32_t task = takt_run_task_of(run, running);
        takt_run_serve(run, takt_sim_work_on(run->sim, task, run->job), task, start, end);
    } else if (running != NULL && takt_entity_is_server(running)) {
        takt_run_report_idle(run, running, start, end);
    }
}

/* Time passes until `now`. The instant of the last record is over, so that budgets are those after all its events. */
static void pass(retell_t *retell, takt_instant_t now) {
    takt_run_t *run = &retell->run;
    const takt_entity_t *running = run->sim->system.cpus->running;
    if (now > retell->now) {
        serve(run, retell->now, now);
        run->is_unfinished &= !retell->is_over;
        takt_sinks_report_budgets(run, retell->now, running);
        takt_sinks_report_exhaustions(run, retell->now, now, running);
        takt_sinks_report_replenishments(run, retell->now, now);
        retell->now = now;
    }
}

/* The demand of a job that finishes is what it has executed. It has finished when the platform saw that. */
static void complete(takt_run_t *run, const takt_record_t *record) {
    const takt_instant_t seen = TAKT_CONTAINER_OF(run, retell_t, run)->seen;
    const uint32_t task = takt_sim_task_of(run->sim, record->entity);
    takt_sim_work_t *work = takt_sim_work_on(run->sim, task, record->job);
    work->total -= work->at.left;
    work->at.left = 0;
    takt_sim_report_finish(run->sim, &run->sinks, task, takt_least_of(record->now, seen));
    work->total = UNKNOWN_DEMAND;
    end_service(run);
    run->running = NULL;
}

static void decide(takt_run_t *run, const takt_record_t *record) {
    run->running = takt_system_entity(&run->sim->system, record->entity);
    run->job = record->job;
    TAKT_CONTAINER_OF(run, retell_t, run)->is_over = false;
    run->sim->decisions++;
    if (run->running != run->last) {
        takt_run_switch(run, run->running);
    }
    if (run->sinks.ledger != NULL) {
        run->sinks.ledger(run->sinks.context, record->now, run->sim->system.rate_based.reserved);
    }
}

/* Core records a completion before it applies it, and an abort or skip when it happens. */
static void observe(takt_trace_t *trace, const takt_record_t *record) {
    retell_t *retell = TAKT_CONTAINER_OF(trace, retell_t, run.trace);
    takt_run_t *run = &retell->run;
    pass(retell, record->now);
    switch (record->kind) {
    case TAKT_RECORD_COMPLETE:
        complete(run, record);
        break;
    case TAKT_RECORD_SUSPEND:
        end_service(run);
        break;
    case TAKT_RECORD_LOCK:
        run->is_unfinished = takt_run_is_task(run->running); /* a job has started, if only to lock */
        break;
    case TAKT_RECORD_POINT:
    case TAKT_RECORD_OPTIONAL_POINT:
        takt_sinks_report_point(run, record->now, takt_sim_task_of(run->sim, record->entity),
                                record->kind == TAKT_RECORD_OPTIONAL_POINT, record->value != 0);
        break;
    case TAKT_RECORD_DECISION:
        decide(run, record);
        break;
    default:
        takt_sinks_listen(trace, record);
        break;
    }
    retell->seen = record->kind == TAKT_RECORD_LATE ? record->value : TAKT_NEVER;
}

takt_replay_result_t takt_sim_retell(takt_sim_t *sim, const takt_record_t *records, uint64_t count,
                                     takt_instant_t horizon, const takt_sim_sinks_t *sinks) {
    retell_t retell = {.run = {.trace = {.record = observe},
                               .sim = sim,
                               .platform = &recorded,
                               .sinks = *sinks,
                               .horizon = horizon},
                       .seen = TAKT_NEVER};
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        sim->work[task].total = UNKNOWN_DEMAND;
        sim->work[task].at.item = TAKT_SIM_PLAIN;
    }
    const takt_replay_result_t result = takt_replay_observed(&sim->system, records, count, &retell.run.trace);
    pass(&retell, horizon);
    takt_run_end_at(&retell.run, horizon);
    return result;
}
