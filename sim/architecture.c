/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Architectures: cost models of a scheduler in software on the processor of the tasks, on a co-processor, or in
 * hardware. Two platforms of run.h.
 *
 * Source: Vetromille et al. 2006 (SoRTS, Co-SoRTS, HaRTS). The paper lists neither benchmarks nor all of the costs; SPEC.md, 5 has
 * the rules. Core alone decides which task runs: at each scheduling point the scheduler steps core up to the instant
 * that it knows, and takes the decision. An architecture determines the scheduling points, the instant known there,
 * and the costs of scheduling and switching. Core's clock is this known instant; with a co-processor it is past.
 *
 * A job is dropped when the scheduler learns that it is unfinished at its deadline. It is also dropped at its release
 * if its predecessor is unfinished. Both count as misses, and so does a job that finishes late.
 *
 * Left out: everything but periodic tasks at the root that only execute. */
#include "sim/run.h"

/* An entry saves the task, restores the scheduler, saves the scheduler and restores the next task; a switch saves what
 * ran and restores what runs. */
enum { STEPS_PER_ENTRY = 4, STEPS_PER_SWITCH = 2 };

static takt_instant_t later_of(takt_instant_t a, takt_instant_t b) { return a > b ? a : b; }

static const takt_architecture_t *architecture_of(const takt_run_t *run) {
    return run->sim->options.architecture;
}

static const takt_architecture_kind_t *kind_of(const takt_run_t *run) {
    return &takt_architecture_kinds[architecture_of(run)->model];
}

/* ---- decisions ---------------------------------------------------------------------------------------- */

/* Reports a completion to the scheduler. */
static void post_completion(takt_run_t *run) {
    if (run->event.kind == TAKT_EVENT_COMPLETE) {
        takt_run_post(run, &run->event);
    }
}

/* Takes a decision of the scheduler, which knows releases and deadlines up to `known`. */
static void invoke(takt_run_t *run, takt_instant_t known) {
    const takt_event_t time = takt_run_time(known);
    takt_run_post(run, &time);
    takt_run_settle(run);
    takt_run_take(run, known);
    run->sim->invocations++;
}

/* ---- jobs ---------------------------------------------------------------------------------------------- */

static takt_sim_work_t *work_of(const takt_run_t *run, const takt_entity_t *entity) {
    return takt_sim_work_on(run->sim, takt_run_task_of(run, entity), run->job);
}

/* Returns when the running job is complete if no event interrupts it. */
static takt_instant_t completion(const takt_run_t *run, takt_instant_t now) {
    const takt_entity_t *entity = run->running;
    return entity != NULL ? now + work_of(run, entity)->at.left : TAKT_NEVER;
}

/* Executes the running job, if any, in [start, next), before the horizon, and up to its completion at most. `next`
 * is the instant of the next event. */
static void execute_until(takt_run_t *run, takt_instant_t start, takt_instant_t next) {
    const takt_instant_t end = takt_least_of(next, run->horizon);
    takt_entity_t *entity = run->running;
    takt_run_wait(run, next);
    if (entity == NULL || start >= end) {
        return;
    }
    takt_sim_work_t *work = work_of(run, entity);
    if (work->at.left == work->total) {
        takt_duration_t *most = &run->sim->figures.max_start_jitter;
        *most = later_of(*most, start - entity->task->job.release);
    }
    takt_run_serve(run, work, takt_run_task_of(run, entity), start, end);
    if (work->at.left == 0) {
        takt_run_finish(run, entity, takt_run_task_of(run, entity), end);
        run->running = NULL;
    }
}

/* ---- costs ----------------------------------------------------------------------------------------------- */

/* How much of [start, end) lies before the horizon; `start` does. */
static takt_duration_t within(const takt_run_t *run, takt_instant_t start, takt_instant_t end) {
    return takt_least_of(end, run->horizon) - start;
}

static void report_kernel(const takt_run_t *run, takt_instant_t start, takt_instant_t end,
                          takt_sim_kernel_work_t what) {
    if (run->sinks.kernel != NULL && end > start) {
        run->sinks.kernel(run->sinks.context, start, takt_least_of(end, run->horizon), what);
    }
}

/* ---- software: the scheduler runs on the processor of the tasks ---------------------------------------- */

/* The tick after an entry from `now` to `end` that handles one. */
static takt_instant_t tick_after(const takt_architecture_t *architecture, takt_instant_t now,
                                 takt_instant_t end) {
    const takt_duration_t interval = architecture->interval;
    return architecture->is_fixed ? (now / interval + 1u) * interval : end + interval;
}

/* Enters the scheduler; returns the end of the entry. A tick and a completion at one instant are one entry. A
 * completion alone does not change the timer. */
static takt_instant_t enter(takt_run_t *run) {
    const takt_instant_t now = run->event.now;
    const takt_instant_t end = now + architecture_of(run)->context_switch;
    post_completion(run);
    invoke(run, now);
    run->sim->figures.switch_steps += STEPS_PER_ENTRY;
    run->sim->figures.scheduler_time += within(run, now, end);
    run->sim->figures.dispatches = run->sim->switches;
    report_kernel(run, now, end, TAKT_SIM_RTOS);
    if (run->next_entry <= now) {
        run->next_entry = tick_after(architecture_of(run), now, end);
    }
    return end;
}

/* Executes from the end of an entry to the next one: the tick, at once if it is pending, or the completion. */
static void execute_between(takt_run_t *run, takt_instant_t start) {
    const takt_instant_t tick = later_of(start, run->next_entry);
    execute_until(run, start, takt_least_of(tick, completion(run, start)));
}

/* ---- beside the processor: on a co-processor or in hardware --------------------------------------------- */

/* Switches to a task, or to idle, which is not reported. Returns the end of the switch. */
static takt_instant_t switch_to(takt_run_t *run, takt_instant_t now, const takt_entity_t *entity) {
    const takt_instant_t end = now + architecture_of(run)->context_switch / 2u;
    run->context = entity;
    run->sim->figures.switch_steps += STEPS_PER_SWITCH;
    run->sim->figures.switch_time += within(run, now, end);
    if (entity == NULL) {
        run->next_entry = end + architecture_of(run)->latency;
    } else {
        report_kernel(run, now, end, TAKT_SIM_SWITCH);
        run->sim->figures.dispatches += end <= run->horizon;
    }
    return end;
}

static bool goes_through_idle(const takt_run_t *run) {
    const bool is_complete = run->running == NULL && run->context != NULL;
    return is_complete && kind_of(run)->idles_between;
}

/* Takes a decision, or switches to idle after a completion. Returns the end of the switch that follows, or the instant
 * of the event if the same task, or idle, continues. */
static takt_instant_t decide_beside(takt_run_t *run) {
    const takt_instant_t now = run->event.now;
    post_completion(run);
    if (goes_through_idle(run)) {
        return switch_to(run, now, NULL);
    }
    run->next_entry = TAKT_NEVER;
    invoke(run, now - architecture_of(run)->latency);
    return run->running == run->context ? now : switch_to(run, now, run->running);
}

/* Returns the instant of the next decision: the one after a switch to idle, for which all others wait, else `latency`
 * after an event. */
static takt_instant_t next_decision(const takt_run_t *run, takt_instant_t now) {
    const takt_instant_t event = takt_timers_next(&run->dispatcher->root.timers);
    if (run->next_entry != TAKT_NEVER || event == TAKT_NEVER) {
        return run->next_entry;
    }
    return later_of(now, event + architecture_of(run)->latency);
}

/* Executes up to the next decision or completion. */
static void execute_beside(takt_run_t *run, takt_instant_t start) {
    execute_until(run, start, takt_least_of(next_decision(run, start), completion(run, start)));
}

/* ---- the platforms ----------------------------------------------------------------------------------------- */

/* A deadline that the scheduler has not processed is no miss. */
static void end(takt_run_t *run) {
    takt_architecture_figures_t *figures = &run->sim->figures;
    takt_run_end_at(run, 0);
    run->sim->overhead = figures->scheduler_time + figures->switch_time;
    run->sim->switches = figures->dispatches;
}

static const takt_platform_t software = {execute_between, enter, takt_run_stop, end};
static const takt_platform_t beside = {execute_beside, decide_beside, takt_run_stop, end};

void takt_run_architecture(takt_run_t *run) {
    if (kind_of(run)->is_entered) {
        takt_run_loop(run, &software);
    } else {
        run->next_entry = TAKT_NEVER;
        takt_run_loop(run, &beside);
    }
}
