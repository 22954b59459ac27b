/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Several processors: global scheduling of plain tasks, without costs. A platform of run.h.
 *
 * Source: SPEC.md, 11. Left out: all that makes jobs wait, and the kernel's own work; the creator of the spec rejects
 * these. */
#include "sim/links.h"
#include "sim/run.h"

#include <stdlib.h>

enum { NO_TASK = UINT32_MAX };

/* ---- running jobs ------------------------------------------------------------------------------------- */

/* The job of a lane leaves it at `now`, finished or not. */
static void leave_lane(takt_run_t *run, takt_lane_t *lane, takt_instant_t now) {
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
static bool has_migrated(const takt_run_t *run, const takt_lane_t *lane) {
    const takt_stay_t *stay = &run->stays[lane->task];
    const uint32_t cpu = (uint32_t)(lane - run->lanes);
    return stay->cpu != run->lane_count && stay->job == lane->job && stay->cpu != cpu;
}

static void enter_lane(takt_run_t *run, takt_lane_t *lane, takt_entity_t *entity, takt_instant_t now) {
    takt_sim_t *sim = run->sim;
    lane->entity = entity;
    lane->task = takt_run_task_of(run, entity);
    lane->job = entity->task->job.number;
    lane->since = now;
    lane->finish = now + takt_sim_work_on(sim, lane->task, lane->job)->at.left;
    sim->statistics[lane->task].migrations += has_migrated(run, lane);
    run->stays[lane->task] = (takt_stay_t){lane->job, (uint32_t)(lane - run->lanes)};
    sim->switches += lane->task != lane->last;
    lane->last = lane->task;
}

static void stop(takt_run_t *run, uint32_t task, takt_instant_t now) {
    takt_lane_t *lane = &run->lanes[run->stays[task].cpu % run->lane_count];
    if (lane->entity != NULL && lane->task == task) {
        leave_lane(run, lane, now);
    }
}

/* The job of `lane` has received its demand. */
static void complete(takt_run_t *run, takt_lane_t *lane, takt_instant_t now) {
    takt_entity_t *entity = lane->entity;
    leave_lane(run, lane, now);
    takt_run_finish(run, entity, lane->task, now);
    takt_run_post(run, &run->event);
}

static void complete_all(takt_run_t *run, takt_instant_t now) {
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        if (run->lanes[cpu].finish == now) {
            complete(run, &run->lanes[cpu], now);
        }
    }
}

/* ---- the platform --------------------------------------------------------------------------------------- */

static void obey(takt_run_t *run, const takt_decision_t *decision, takt_instant_t now) {
    takt_lane_t *lane = &run->lanes[decision->cpu];
    run->sim->decisions++;
    if (lane->entity != NULL) {
        run->sim->statistics[lane->task].preemptions++;
        leave_lane(run, lane, now);
    }
    if (decision->entity != NULL) {
        enter_lane(run, lane, decision->entity, now);
    }
}

TAKT_INLINE takt_instant_t decide(takt_run_t *run) {
    const takt_instant_t now = run->event.now;
    takt_decision_t decision;
    run->now = now;
    complete_all(run, now);
    takt_run_post_arrivals(run, now);
    takt_run_settle(run);
    if (TAKT_UNLIKELY(run->sinks.rekey != NULL)) {
        takt_run_rekey(run);
    }
    while (takt_dispatcher_take_next(run->dispatcher, now, &decision)) {
        obey(run, &decision, now);
    }
    run->until = decision.until;
    return now;
}

/* Jobs that run are known by their ends: only the next instant at which something happens is to be found. */
TAKT_INLINE void execute(takt_run_t *run, takt_instant_t start) {
    takt_instant_t next = takt_least_of(run->until, takt_sim_arrivals_next(run->sim));
    next = takt_least_of(next, run->next_rekey);
    (void)start;
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        next = takt_least_of(next, run->lanes[cpu].finish);
    }
    takt_run_wait(run, takt_least_of(next, run->horizon));
}

static void end(takt_run_t *run) {
    complete_all(run, run->horizon);
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        if (run->lanes[cpu].entity != NULL) {
            leave_lane(run, &run->lanes[cpu], run->horizon);
        }
    }
    takt_sim_report_end(run->sim, &run->sinks, run->horizon, run->horizon);
}

/* The caller of the run frees them. */
static bool make_lanes(takt_run_t *run) {
    const uint32_t tasks = run->sim->system.task_count;
    run->lane_count = run->dispatcher->ncpu;
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

static const takt_platform_t processors = {execute, decide, stop, end};

void takt_run_processors(takt_run_t *run) {
    if (make_lanes(run)) {
        takt_run_loop(run, &processors);
    } else {
        run->sim->is_short_of_memory = true;
    }
}

/* ---- linked simulations: links.h ---------------------------------------------------------------------------- */

static takt_instant_t next(takt_run_t *run, takt_instant_t start) {
    execute(run, start);
    return run->event.now;
}

static bool is_due(const takt_run_t *run) {
    bool is_due = takt_least_of(takt_least_of(run->until, run->next_rekey),
                                takt_sim_arrivals_next(run->sim)) <= run->event.now;
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        is_due |= run->lanes[cpu].finish == run->event.now;
    }
    return is_due;
}

static void complete_linked(takt_run_t *run) {
    for (uint32_t cpu = 0; cpu < run->lane_count; cpu++) {
        if (run->lanes[cpu].finish == run->event.now) {
            takt_links_complete(run->sim, run->lanes[cpu].task, run->event.now);
        }
    }
}

static takt_instant_t decide_linked(takt_run_t *run) { return decide(run); }

static void execute_linked(takt_run_t *run, takt_instant_t start) {
    (void)start;
    takt_run_wait(run, run->step_end);
}

static const takt_step_platform_t steps = {
    {execute_linked, decide_linked, stop, end}, next, is_due, complete_linked};

const takt_step_platform_t *takt_run_step_processors(takt_run_t *run) {
    return make_lanes(run) ? &steps : NULL;
}
