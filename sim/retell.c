/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jobs of retell.h. */
#include "sim/retell.h"

#include "sim/tell.h"

/* Longer than any job executes. */
#define UNKNOWN_DEMAND (UINT64_C(1) << 62)

typedef struct retell {
    takt_trace_t trace; /* first of all */
    takt_sim_t *sim;
    const takt_sim_sinks_t *sinks;
    takt_record_t running; /* the last decision */
} retell_t;

static bool is_task(const takt_sim_t *sim, uint32_t id) {
    return id != TAKT_NO_ENTITY && takt_sim_task_of(sim, id) < sim->system.task_count;
}

/* Counts the execution of the job of the last decision until `now`. */
static void charge(retell_t *retell, takt_instant_t now) {
    takt_record_t *running = &retell->running;
    if (is_task(retell->sim, running->entity)) {
        takt_sim_work_t *work =
            takt_sim_work_on(retell->sim, takt_sim_task_of(retell->sim, running->entity), running->job);
        work->at.left -= now - running->now;
        work->served += now - running->now;
    }
    running->now = now;
}

static void tell_allocation(const retell_t *retell, const takt_record_t *record) {
    const uint32_t task = takt_sim_task_of(retell->sim, record->entity);
    const takt_allocation_event_t event = takt_allocation_event_of(record->value);
    const bool is_rated = retell->sim->system.rates != NULL;
    if (is_rated && event == TAKT_ALLOCATION_FINISHED) {
        takt_sim_tell_finish(retell->sim, retell->sinks, task, record->now);
    } else if (!is_rated && event != TAKT_ALLOCATION_OVERRUN) {
        takt_sim_tell_windowed_loss(retell->sim, retell->sinks, task, event);
    }
}

/* Core records a completion before it applies it, and an abort or skip when it happens. */
static void observe(takt_trace_t *trace, const takt_record_t *record) {
    retell_t *retell = TAKT_CONTAINER_OF(trace, retell_t, trace);
    charge(retell, record->now);
    switch (record->kind) {
    case TAKT_RECORD_COMPLETE:
        takt_sim_tell_finish(retell->sim, retell->sinks, takt_sim_task_of(retell->sim, record->entity),
                             record->now);
        retell->running.entity = TAKT_NO_ENTITY;
        break;
    case TAKT_RECORD_ABORT:
    case TAKT_RECORD_SKIP:
        takt_sim_tell_loss(retell->sim, retell->sinks, record);
        break;
    case TAKT_RECORD_ALLOCATION:
        tell_allocation(retell, record);
        break;
    case TAKT_RECORD_DECISION:
        retell->running = *record;
        break;
    default:
        break;
    }
}

takt_replay_result_t takt_sim_retell(takt_sim_t *sim, const takt_record_t *records, uint64_t count,
                                     takt_instant_t horizon, const takt_sim_sinks_t *sinks) {
    retell_t retell = {
        .trace = {.record = observe}, .sim = sim, .sinks = sinks, .running = {.entity = TAKT_NO_ENTITY}};
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        sim->work[task].total = UNKNOWN_DEMAND;
        sim->work[task].at.item = TAKT_SIM_PLAIN;
    }
    const takt_replay_result_t result = takt_replay_observed(&sim->system, records, count, &retell.trace);
    charge(&retell, horizon);
    if (sim->system.rates != NULL) {
        takt_sim_tell_rated_end(sim, sinks, horizon);
    } else {
        takt_sim_tell_end(sim, sinks, horizon, horizon);
    }
    return result;
}
