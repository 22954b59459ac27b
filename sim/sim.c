/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory and runs of sim.h. */
#include "sim/run.h"

#include <stdlib.h>
#include <string.h>

bool takt_sim_create(takt_sim_t *sim, const takt_system_spec_t *spec, const takt_sim_options_t *options) {
    memset(sim, 0, sizeof *sim);
    const size_t count = spec->task_count > 0 ? spec->task_count : 1;
    sim->specs = spec->tasks;
    sim->changes = spec->changes;
    sim->windows = spec->windows;
    sim->options = options != NULL ? *options : (takt_sim_options_t){0};
    sim->statistics = calloc(count, sizeof *sim->statistics);
    sim->work = calloc(count, sizeof *sim->work);
    if (sim->statistics == NULL || sim->work == NULL || !takt_system_create(&sim->system, spec) ||
        !takt_sim_arrivals_create(sim)) {
        takt_sim_destroy(sim);
        return false;
    }
    for (uint32_t task = 0; task < spec->task_count; task++) {
        sim->statistics[task].response_min = TAKT_NEVER;
        takt_sim_work_init(&sim->work[task], &spec->tasks[task]);
    }
    return true;
}

void takt_sim_destroy(takt_sim_t *sim) {
    takt_system_destroy(&sim->system);
    free(sim->statistics);
    free(sim->work);
    free(sim->sources);
    free(sim->arrival_rows);
    memset(sim, 0, sizeof *sim);
}

/* True if a run of `sim` needs core's records. */
static bool needs_records(const takt_sim_t *sim, const takt_sim_sinks_t *sinks) {
    bool may = sim->system.resource_count > 0 || sim->system.windowed_count > 0 ||
               sinks->allocation != NULL || sim->links != NULL;
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        may |= sim->specs[task].on_miss != TAKT_ON_MISS_CONTINUE || sim->specs[task].is_greedy;
    }
    return may;
}

static void run_platform(takt_run_t *run) {
    if (run->sim->options.architecture != NULL) {
        takt_run_architecture(run);
    } else if (run->sim->system.is_global) {
        takt_run_processors(run);
    } else {
        takt_run_processor(run);
    }
}

/* Returns false if memory is short. */
static bool prepare_rekeys(takt_run_t *run) {
    if (run->sinks.rekey == NULL) {
        return true;
    }
    const size_t count = run->sim->system.task_count + 1u;
    run->rekey_jobs = calloc(count, sizeof *run->rekey_jobs);
    run->rekey_starts = calloc(count, sizeof *run->rekey_starts);
    run->next_rekey = run->sinks.rekey_every > 0 ? run->sinks.rekey_every : TAKT_NEVER;
    return run->rekey_jobs != NULL && run->rekey_starts != NULL;
}

bool takt_run_begin(takt_run_t *run, takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                    takt_trace_t *trace) {
    *run = (takt_run_t){
        .trace = {.record = takt_sinks_listen},
        .forward = trace,
        .sim = sim,
        .dispatcher = sim->system.dispatcher,
        .horizon = horizon,
        .next_rekey = TAKT_NEVER,
    };
    if (sinks != NULL) {
        run->sinks = *sinks;
        run->sinks.budget = sim->system.server_count > 0 ? sinks->budget : NULL;
    }
    takt_dispatcher_record_to(run->dispatcher, needs_records(sim, &run->sinks) ? &run->trace : trace);
    return prepare_rekeys(run);
}

void takt_run_end(takt_run_t *run) {
    takt_dispatcher_record_to(run->dispatcher, NULL);
    free(run->rekey_jobs);
    free(run->rekey_starts);
    free(run->lanes);
    free(run->stays);
}

void takt_sim_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace) {
    takt_run_t run;
    if (takt_run_begin(&run, sim, horizon, sinks, trace)) {
        run_platform(&run);
    } else {
        sim->is_short_of_memory = true;
    }
    takt_run_end(&run);
}
