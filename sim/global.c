/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The event loop of global.h.
 *
 * A lane is what the loop knows of one processor. What its job has executed is written when it leaves the lane. */
#include "sim/global.h"

#include "sim/arrivals.h"
#include "sim/tell.h"

#include <stdlib.h>

typedef struct lane {
    takt_entity_t *entity; /* whose job runs, NULL if idle */
    uint32_t task;         /* its index */
    uint32_t job;
    takt_instant_t since;
    takt_instant_t finish; /* if it stays; TAKT_NEVER if idle */
    uint32_t last;         /* task that ran here last */
} lane_t;

/* Where the job of a task ran last. */
typedef struct stay {
    uint32_t job;
    uint32_t cpu;
} stay_t;

enum { NO_TASK = UINT32_MAX };

typedef struct run {
    takt_trace_t trace; /* core's sink, if records are needed; first member */
    takt_trace_t *forward;
    takt_sim_t *sim;
    takt_dispatcher_t *dispatcher;
    uint32_t lane_count;
    lane_t *lanes;
    stay_t *stays; /* of each task; cpu = lane_count: it has not run */
    takt_instant_t horizon;
    takt_instant_t until; /* instant of the next call of the scheduler */
    takt_sim_sinks_t sinks;
} run_t;

/* ---- running jobs ------------------------------------------------------------------------------------- */

/* The job of a lane leaves it at `now`, finished or not. */
static void leave_lane(run_t *run, lane_t *lane, takt_instant_t now) {
    takt_sim_work_t *work = &run->sim->work[lane->task];
    work->at.left -= now - lane->since;
    work->served += now - lane->since;
    if (run->sinks.segment != NULL) {
        run->sinks.segment(run->sinks.context, lane->since, now, (uint32_t)(lane - run->lanes), lane->task,
                           lane->job);
    }
    lane->entity = NULL;
    lane->finish = TAKT_NEVER;
}

/* True if the job continues on another processor than the one it ran on. */
static bool has_migrated(const run_t *run, const lane_t *lane) {
    const stay_t *stay = &run->stays[lane->task];
    const uint32_t cpu = (uint32_t)(lane - run->lanes);
    return stay->cpu != run->lane_count && stay->job == lane->job && stay->cpu != cpu;
}

static void enter_lane(run_t *run, lane_t *lane, takt_entity_t *entity, takt_instant_t now) {
    takt_sim_t *sim = run->sim;
    lane->entity = entity;
    lane->task = takt_sim_task_of(sim, takt_entity_number(entity));
    lane->job = entity->task->job.number;
    lane->since = now;
    lane->finish = now + takt_sim_work_on(sim, lane->task, lane->job)->at.left;
    sim->statistics[lane->task].migrations += has_migrated(run, lane);
    run->stays[lane->task] = (stay_t){lane->job, (uint32_t)(lane - run->lanes)};
    sim->switches += lane->task != lane->last;
    lane->last = lane->task;
}

/* ---- the scheduler ------------------------------------------------------------------------------------- */

static void abort_job(run_t *run, const takt_record_t *record) {
    const uint32_t task = takt_sim_task_of(run->sim, record->entity);
    lane_t *lane = &run->lanes[run->stays[task].cpu % run->lane_count];
    if (lane->entity != NULL && lane->task == task) {
        leave_lane(run, lane, record->now);
    }
}

/* Core has ended a job by itself. */
static void listen(takt_trace_t *trace, const takt_record_t *record) {
    run_t *run = TAKT_CONTAINER_OF(trace, run_t, trace);
    if (record->kind == TAKT_RECORD_ABORT) {
        abort_job(run, record);
    }
    if (record->kind == TAKT_RECORD_ABORT || record->kind == TAKT_RECORD_SKIP) {
        takt_sim_tell_loss(run->sim, &run->sinks, record);
    }
    if (run->forward != NULL) {
        run->forward->record(run->forward, record);
    }
}

static void obey(run_t *run, const takt_decision_t *decision, takt_instant_t now) {
    lane_t *lane = &run->lanes[decision->cpu];
    run->sim->decisions++;
    if (lane->entity != NULL) {
        run->sim->statistics[lane->task].preemptions++;
        leave_lane(run, lane, now);
    }
    if (decision->entity != NULL) {
        enter_lane(run, lane, decision->entity, now);
    }
}

/* Handles all due items. */
static void settle(run_t *run, takt_instant_t now) {
    while (takt_dispatcher_is_due(run->dispatcher, now)) {
        takt_dispatcher_step(run->dispatcher, now);
    }
}

static void decide(run_t *run, takt_instant_t now) {
    takt_decision_t decision;
    while (takt_dispatcher_take_next(run->dispatcher, now, &decision)) {
        obey(run, &decision, now);
    }
    run->until = decision.until;
}

/* ---- what happens --------------------------------------------------------------------------------------- */

/* The job of `lane` has received its demand. */
static void complete(run_t *run, lane_t *lane, takt_instant_t now) {
    takt_entity_t *entity = lane->entity;
    const uint32_t task = lane->task;
    leave_lane(run, lane, now);
    takt_sim_tell_finish(run->sim, &run->sinks, task, now);
    takt_dispatcher_post(run->dispatcher, &(takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}});
}

static void complete_all(run_t *run, takt_instant_t now) {
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        if (run->lanes[cpu].finish == now) {
            complete(run, &run->lanes[cpu], now);
        }
    }
}

static void post_arrivals(run_t *run, takt_instant_t now) {
    takt_arrival_t arrival;
    takt_sim_source_t *source = takt_sim_arrivals_take(run->sim, now, &arrival);
    for (; source != NULL; source = takt_sim_arrivals_take(run->sim, now, &arrival)) {
        if (!takt_system_reserve(&run->sim->system, source->task)) {
            run->sim->is_short_of_memory = true;
            run->horizon = now;
            return;
        }
        takt_entity_t *entity = takt_system_entity_of(&run->sim->system, source->task);
        takt_dispatcher_post(run->dispatcher,
                             &(takt_event_t){TAKT_EVENT_ARRIVAL, entity, arrival.instant, {arrival.nominal}});
    }
}

static takt_instant_t earlier_of(takt_instant_t a, takt_instant_t b) { return a < b ? a : b; }

/* The next instant at which something happens, or the horizon. */
static takt_instant_t next_instant(const run_t *run) {
    takt_instant_t next = earlier_of(run->until, takt_sim_arrivals_next(run->sim));
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        next = earlier_of(next, run->lanes[cpu].finish);
    }
    return earlier_of(next, run->horizon);
}

/* All that happens at `now`. */
static void pass(run_t *run, takt_instant_t now) {
    complete_all(run, now);
    post_arrivals(run, now);
    settle(run, now);
    decide(run, now);
}

/* ---- the run --------------------------------------------------------------------------------------------- */

/* Steps 1 to 3 of the horizon itself. */
static void end(run_t *run) {
    complete_all(run, run->horizon);
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        if (run->lanes[cpu].entity != NULL) {
            leave_lane(run, &run->lanes[cpu], run->horizon);
        }
    }
    takt_sim_tell_end(run->sim, &run->sinks, run->horizon, run->horizon);
}

static bool make_lanes(run_t *run) {
    const uint32_t tasks = run->sim->system.task_count;
    run->lanes = calloc(run->lane_count, sizeof *run->lanes);
    run->stays = calloc(tasks > 0 ? tasks : 1u, sizeof *run->stays);
    if (run->lanes == NULL || run->stays == NULL) {
        return false;
    }
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        run->lanes[cpu].finish = TAKT_NEVER;
        run->lanes[cpu].last = NO_TASK;
    }
    for (uint32_t task = 0; task < tasks; task++) {
        run->stays[task].cpu = run->lane_count;
    }
    return true;
}

static void run_all(run_t *run) {
    takt_instant_t now = 0;
    while (now < run->horizon && takt_sim_is_wanted(run->sim, &run->sinks, now)) {
        pass(run, now);
        now = next_instant(run);
    }
    if (now >= run->horizon) {
        end(run);
    }
}

static bool has_to_listen(const takt_sim_t *sim) {
    bool may = false;
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        may |= sim->specs[task].on_miss != TAKT_ON_MISS_CONTINUE;
    }
    return may;
}

void takt_global_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                     takt_trace_t *trace) {
    run_t run = {
        .trace = {listen},
        .forward = trace,
        .sim = sim,
        .dispatcher = sim->system.dispatcher,
        .lane_count = sim->system.dispatcher->ncpu,
        .horizon = horizon,
    };
    if (sinks != NULL) {
        run.sinks = *sinks;
    }
    takt_dispatcher_record_to(sim->system.dispatcher, has_to_listen(sim) ? &run.trace : trace);
    if (make_lanes(&run)) {
        run_all(&run);
    } else {
        sim->is_short_of_memory = true;
    }
    takt_dispatcher_record_to(sim->system.dispatcher, NULL);
    free(run.lanes);
    free(run.stays);
}
