/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The event loops of architecture.h. */
#include "sim/architecture.h"

#include "core/backend.h"
#include "sim/tell.h"

/* An entry saves the task, restores the scheduler, saves the scheduler and restores the next task; a switch saves what
 * ran and restores what runs. */
enum { STEPS_PER_ENTRY = 4, STEPS_PER_SWITCH = 2 };

typedef struct run {
    takt_trace_t trace; /* core's sink; first member */
    takt_trace_t *forward;
    takt_sim_t *sim;
    const takt_architecture_t *architecture;
    takt_architecture_figures_t *figures;
    takt_direct_t backend;
    uint32_t sequence;
    takt_instant_t horizon;
    takt_sim_sinks_t sinks;
    takt_sim_segment_t segment;
    takt_entity_t *chosen;              /* at the last decision, until its job is complete; NULL: idle */
    const takt_entity_t *unfinished;    /* ran last and is not finished */
    const takt_entity_t *context;       /* software: chosen last; else the loaded context, NULL for idle */
    takt_instant_t next_tick;           /* software */
    takt_instant_t decision_after_idle; /* else: all others wait for it; TAKT_NEVER if there is none */
} run_t;

static takt_instant_t earlier_of(takt_instant_t a, takt_instant_t b) { return a < b ? a : b; }

static takt_instant_t later_of(takt_instant_t a, takt_instant_t b) { return a > b ? a : b; }

/* ---- the scheduler ------------------------------------------------------------------------------------ */

static void listen(takt_trace_t *trace, const takt_record_t *record) {
    run_t *run = TAKT_CONTAINER_OF(trace, run_t, trace);
    if (record->kind == TAKT_RECORD_ABORT || record->kind == TAKT_RECORD_SKIP) {
        takt_sim_tell_loss(run->sim, &run->sinks, record);
    }
    if (record->kind == TAKT_RECORD_ABORT && run->unfinished != NULL &&
        takt_entity_number(run->unfinished) == record->entity) {
        run->unfinished = NULL;
    }
    if (run->forward != NULL) {
        run->forward->record(run->forward, record);
    }
}

static void post(run_t *run, const takt_event_t *event) {
    run->sequence++;
    takt_direct_post(&run->backend, event, run->sequence);
}

static void count_preemption(run_t *run) {
    if (run->unfinished != NULL && run->unfinished != run->chosen) {
        run->sim->statistics[takt_sim_task_of(run->sim, takt_entity_number(run->unfinished))].preemptions++;
        run->unfinished = NULL;
    }
}

/* Takes a decision of the scheduler, which knows releases and deadlines up to `known`. */
static void invoke(run_t *run, takt_instant_t known) {
    takt_decision_t decision;
    post(run, &(takt_event_t){TAKT_EVENT_TIME, NULL, known, {known}});
    takt_direct_settle(&run->backend);
    const bool is_taken = takt_direct_take(&run->backend, run->sequence, known, &decision);
    (void)is_taken; /* the direct backend considers the last event */
    run->chosen = decision.entity;
    run->sim->decisions++;
    run->sim->invocations++;
    count_preemption(run);
}

/* ---- jobs ---------------------------------------------------------------------------------------------- */

static takt_sim_work_t *work_of(const run_t *run, const takt_entity_t *entity) {
    return takt_sim_work_on(run->sim, takt_sim_task_of(run->sim, takt_entity_number(entity)),
                            entity->task->job.number);
}

/* Returns when the chosen job is complete if no event interrupts it. */
static takt_instant_t completion(const run_t *run, takt_instant_t now) {
    return run->chosen != NULL ? now + work_of(run, run->chosen)->at.left : TAKT_NEVER;
}

static void note_start(const run_t *run, takt_instant_t start) {
    const takt_duration_t jitter = start - run->chosen->task->job.release;
    run->figures->max_start_jitter = later_of(run->figures->max_start_jitter, jitter);
}

static void complete(run_t *run, uint32_t task, takt_instant_t now) {
    takt_entity_t *entity = run->chosen;
    takt_sim_tell_finish(run->sim, &run->sinks, task, now);
    run->unfinished = NULL;
    run->chosen = NULL;
    post(run, &(takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}});
}

/* Executes the chosen job, if any, in [start, end), up to its completion at most. */
static void execute(run_t *run, takt_instant_t start, takt_instant_t end) {
    if (run->chosen == NULL || start >= end) {
        return;
    }
    const uint32_t task = takt_sim_task_of(run->sim, takt_entity_number(run->chosen));
    takt_sim_work_t *work = work_of(run, run->chosen);
    if (work->at.left == work->total) {
        note_start(run, start);
    }
    work->at.left -= end - start;
    work->served += end - start;
    run->unfinished = run->chosen;
    if (run->sinks.segment != NULL) {
        takt_sim_extend_segment(&run->sinks, &run->segment,
                                &(takt_sim_segment_t){start, end, task, run->chosen->task->job.number});
    }
    if (work->at.left == 0) {
        complete(run, task, end);
    }
}

/* ---- costs ----------------------------------------------------------------------------------------------- */

/* How much of [start, end) lies before the horizon; `start` does. */
static takt_duration_t within(const run_t *run, takt_instant_t start, takt_instant_t end) {
    return earlier_of(end, run->horizon) - start;
}

static void tell_kernel(const run_t *run, takt_instant_t start, takt_instant_t end,
                        takt_sim_kernel_work_t what) {
    if (run->sinks.kernel != NULL && end > start) {
        run->sinks.kernel(run->sinks.context, start, earlier_of(end, run->horizon), what);
    }
}

/* ---- software: the scheduler runs on the processor of the tasks ---------------------------------------- */

/* Another task than the last one that was chosen; idle is no choice. */
static void count_dispatch(run_t *run) {
    if (run->chosen != NULL && run->chosen != run->context) {
        run->context = run->chosen;
        run->figures->dispatches++;
    }
}

/* The tick after an entry from `now` to `end` that handles one. */
static takt_instant_t tick_after(const takt_architecture_t *architecture, takt_instant_t now,
                                 takt_instant_t end) {
    const takt_duration_t interval = architecture->interval;
    return architecture->is_fixed ? (now / interval + 1u) * interval : end + interval;
}

/* Enters the scheduler; returns the end of the entry. A tick and a completion at one instant are one entry. A
 * completion alone does not change the timer. */
static takt_instant_t enter(run_t *run, takt_instant_t now) {
    const takt_instant_t end = now + run->architecture->context_switch;
    invoke(run, now);
    count_dispatch(run);
    run->figures->switch_steps += STEPS_PER_ENTRY;
    run->figures->scheduler_time += within(run, now, end);
    tell_kernel(run, now, end, TAKT_SIM_RTOS);
    if (run->next_tick <= now) {
        run->next_tick = tick_after(run->architecture, now, end);
    }
    return end;
}

/* Executes an entry, then the chosen job. Returns the next entry: the tick, at once if it is pending, or the
 * completion. */
static takt_instant_t pass_in_software(run_t *run, takt_instant_t now) {
    const takt_instant_t end = enter(run, now);
    const takt_instant_t tick = later_of(end, run->next_tick);
    const takt_instant_t next = earlier_of(tick, completion(run, end));
    execute(run, end, earlier_of(next, run->horizon));
    return next;
}

/* ---- beside the processor: on a co-processor or in hardware --------------------------------------------- */

/* Switches to a task, or to idle, which is not reported. Returns the end of the switch. */
static takt_instant_t switch_to(run_t *run, takt_instant_t now, takt_entity_t *entity) {
    const takt_instant_t end = now + run->architecture->context_switch / 2u;
    run->context = entity;
    run->figures->switch_steps += STEPS_PER_SWITCH;
    run->figures->switch_time += within(run, now, end);
    if (entity == NULL) {
        run->decision_after_idle = end + run->architecture->latency;
    } else {
        tell_kernel(run, now, end, TAKT_SIM_SWITCH);
        run->figures->dispatches += end <= run->horizon;
    }
    return end;
}

/* Takes a decision. Returns the end of the switch that follows, or `now` if the same task, or idle, continues. */
static takt_instant_t decide(run_t *run, takt_instant_t now) {
    run->decision_after_idle = TAKT_NEVER;
    invoke(run, now - run->architecture->latency);
    return run->chosen == run->context ? now : switch_to(run, now, run->chosen);
}

/* Returns the instant of the next decision: the one after a switch to idle, else `latency` after an event. */
static takt_instant_t next_decision(const run_t *run, takt_instant_t now) {
    const takt_instant_t event = takt_timers_next(&run->backend.dispatcher->root.timers);
    if (run->decision_after_idle != TAKT_NEVER || event == TAKT_NEVER) {
        return run->decision_after_idle;
    }
    return later_of(now, event + run->architecture->latency);
}

static bool goes_through_idle(const run_t *run) {
    const bool is_complete = run->chosen == NULL && run->context != NULL;
    return is_complete && takt_architecture_kinds[run->architecture->model].idles_between;
}

/* Executes up to the next decision or completion, and handles it. Returns when the processor is free
 * again. */
static takt_instant_t pass_beside(run_t *run, takt_instant_t now) {
    const takt_instant_t next = earlier_of(next_decision(run, now), completion(run, now));
    if (next >= run->horizon) {
        execute(run, now, run->horizon);
        return run->horizon;
    }
    execute(run, now, next);
    return goes_through_idle(run) ? switch_to(run, next, NULL) : decide(run, next);
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

static void end(run_t *run) {
    if (run->sinks.segment != NULL) {
        takt_sim_tell_segment(&run->sinks, &run->segment);
    }
    takt_sim_tell_end(run->sim, &run->sinks, run->horizon, 0);
    run->sim->overhead = run->figures->scheduler_time + run->figures->switch_time;
    run->sim->switches = run->figures->dispatches;
}

void takt_architecture_run(takt_sim_t *sim, const takt_architecture_t *architecture, takt_instant_t horizon,
                           const takt_sim_sinks_t *sinks, takt_trace_t *trace,
                           takt_architecture_figures_t *figures) {
    run_t run = {
        .trace = {listen},
        .forward = trace,
        .sim = sim,
        .architecture = architecture,
        .figures = figures,
        .backend = {.dispatcher = sim->system.dispatcher},
        .horizon = horizon,
        .decision_after_idle = TAKT_NEVER,
    };
    if (sinks != NULL) {
        run.sinks = *sinks;
    }
    *figures = (takt_architecture_figures_t){0};
    const bool is_entered = takt_architecture_kinds[architecture->model].is_entered;
    takt_dispatcher_record_to(sim->system.dispatcher, &run.trace);
    takt_instant_t now = 0;
    while (now < horizon && takt_sim_is_wanted(sim, &run.sinks, now)) {
        now = is_entered ? pass_in_software(&run, now) : pass_beside(&run, now);
    }
    takt_dispatcher_record_to(sim->system.dispatcher, NULL);
    if (now >= horizon) {
        end(&run);
    }
}
