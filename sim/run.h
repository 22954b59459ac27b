/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Run: the one loop of the simulator, and what all platforms share. Internal to sim.
 *
 *              +--> execute: jobs receive service until the next event --+
 *              |                                                         |
 *      in force from `start`                                     run->event, at event.now
 *              |                                                         |
 *              +--- decide: core handles the event and decides <---------+
 *
 * A platform says what differs: one processor, whose kernel takes time or not (processor.c), several processors
 * (processors.c), or a scheduler in software, on a co-processor or in hardware (architecture.c). It is chosen once for a
 * run. The loop is inlined in each platform, whose functions it calls directly. */
#ifndef TAKT_SIM_RUN_H
#define TAKT_SIM_RUN_H

#include "core/backend.h"
#include "sim/arrivals.h"
#include "sim/report.h"

struct takt_run;

typedef struct takt_platform {
    /* Executes from `start` on, until a job causes an event, time does or the horizon is reached. Writes the event to
     * run->event. The first call finds no decision, and causes the event at 0. */
    void (*execute)(struct takt_run *run, takt_instant_t start);
    /* Handles run->event. Returns the instant from which the decisions are in force. */
    takt_instant_t (*decide)(struct takt_run *run);
    /* Called when core has ended the current job of `task` by itself. */
    void (*stop)(struct takt_run *run, uint32_t task, takt_instant_t now);
    /* Ends the run at its horizon. */
    void (*end)(struct takt_run *run);
} takt_platform_t;

/* How the loop of linked simulations (links.h) drives one of them. */
typedef struct takt_step_platform {
    takt_platform_t platform;
    /* Returns the earliest instant at which this simulation may cause an event, from `start` on. */
    takt_instant_t (*next)(struct takt_run *run, takt_instant_t start);
    /* True if what has been executed up to run->event.now calls for a decision. */
    bool (*is_due)(const struct takt_run *run);
    /* Passes the jobs that are complete at run->event.now to the links. */
    void (*complete)(struct takt_run *run);
} takt_step_platform_t;

/* A kernel that takes time, and timers that wait for points; see SPEC.md, 5. */
typedef struct takt_run_costs {
    takt_instant_t next_tick;  /* TAKT_NEVER if ticks have no cost */
    takt_instant_t busy_until; /* end of the last execution of a job or of the kernel, or later */
    uint32_t expired;          /* of the dispatcher, up to the last pass */
    uint32_t releases;         /* likewise */
    uint32_t blocked_removals; /* likewise */
    bool is_any;               /* the kernel takes time, or timers wait for points */
    bool is_pulling;           /* a non-preemptive job runs and timers wait */
} takt_run_costs_t;

/* A segment that may still grow. */
typedef struct takt_sim_segment {
    takt_instant_t start;
    takt_instant_t end;
    uint32_t task;
    uint32_t job;
} takt_sim_segment_t;

/* What a task's jobs had executed when its current one was seen first. */
typedef struct takt_rekey_start {
    takt_duration_t served;
    uint32_t job;
    bool is_set;
} takt_rekey_start_t;

/* What the loop knows of one of several processors. What its job has executed is written when it leaves the lane. */
typedef struct takt_lane {
    takt_entity_t *entity; /* whose job runs, NULL if idle */
    uint32_t task;         /* its index */
    uint32_t job;
    takt_instant_t since;
    takt_instant_t finish; /* if it stays; TAKT_NEVER if idle */
    uint32_t last;         /* task that ran here last */
} takt_lane_t;

/* Where the job of a task ran last. */
typedef struct takt_stay {
    uint32_t job;
    uint32_t cpu;
} takt_stay_t;

typedef struct takt_run {
    takt_trace_t trace;    /* core's sink, if records are needed; first member */
    takt_trace_t *forward; /* the user's trace */
    takt_sim_t *sim;
    const takt_platform_t *platform;
    takt_dispatcher_t *dispatcher;
    takt_instant_t now;        /* of the last event */
    bool is_charge_due;        /* time has passed without another event */
    takt_instant_t horizon;    /* 0: the run ends early */
    takt_event_t event;        /* the next one */
    takt_entity_t *running;    /* by the decision in force; NULL: idle, a server: idle at its cost */
    takt_instant_t until;      /* of that decision, or of the last one of several */
    uint32_t job;              /* of `running` */
    bool is_unfinished;        /* the job that ran last is not finished */
    const takt_entity_t *last; /* the task that ran last */
    takt_sim_sinks_t sinks;
    takt_sim_segment_t segment;
    takt_run_costs_t costs;
    takt_lane_t *lanes; /* several processors; see processors.c */
    takt_stay_t *stays; /* likewise of each task; cpu = lane_count: it has not run */
    uint32_t lane_count;
    const takt_entity_t *context;     /* architecture.c: loaded beside the scheduler, NULL for idle */
    takt_instant_t next_entry;        /* likewise: next tick, or decision after idle */
    takt_instant_t next_rekey;        /* next tick of sinks.rekey_every, TAKT_NEVER without */
    takt_sim_job_t *rekey_jobs;       /* room for one of each task; see rekey.c */
    takt_rekey_start_t *rekey_starts; /* of each task */
    takt_instant_t step_end;          /* links_run.c: nothing executes beyond */
} takt_run_t;

TAKT_INLINE uint32_t takt_run_task_of(const takt_run_t *run, const takt_entity_t *entity) {
    return takt_sim_task_of(run->sim, takt_entity_number(entity));
}

/* True if `entity`, which was selected, is a task: neither NULL nor a server that idles. */
TAKT_INLINE bool takt_run_is_task(const takt_entity_t *entity) {
    return entity != NULL && entity->task != NULL;
}

/* ---- events ------------------------------------------------------------------------------------------ */

TAKT_INLINE takt_event_t takt_run_time(takt_instant_t now) {
    return (takt_event_t){TAKT_EVENT_TIME, NULL, now, {now}};
}

/* Time is the next event, at `now`. */
TAKT_INLINE void takt_run_wait(takt_run_t *run, takt_instant_t now) {
    run->event.kind = TAKT_EVENT_TIME;
    run->event.now = now;
}

TAKT_INLINE void takt_run_post(takt_run_t *run, const takt_event_t *event) {
    run->now = event->now;
    if (event->kind == TAKT_EVENT_TIME) {
        run->is_charge_due = true;
    } else {
        takt_backend_post(run->dispatcher, event);
    }
}

/* Posts the arrivals and changes up to `until`. */
void takt_run_post_due(takt_run_t *run, takt_instant_t until);

/* Likewise, if there are any. */
TAKT_INLINE void takt_run_post_arrivals(takt_run_t *run, takt_instant_t until) {
    if (takt_sim_arrivals_next(run->sim) <= until) {
        takt_run_post_due(run, until);
    }
}

/* ---- decisions --------------------------------------------------------------------------------------- */

/* As calls of takt_backend_settle at the instant of the last event until it returns false. In one call of core: a call
 * for each due item would cost 40 to 100 instructions per job. */
TAKT_INLINE void takt_run_settle(takt_run_t *run) {
    if (run->is_charge_due || takt_dispatcher_is_due(run->dispatcher, run->now)) {
        run->is_charge_due = false;
        takt_dispatcher_settle(run->dispatcher, run->now);
    }
}

/* Another entity than the one that ran last was selected. */
TAKT_INLINE void takt_run_switch(takt_run_t *run, const takt_entity_t *next) {
    if (run->is_unfinished) {
        run->sim->statistics[takt_run_task_of(run, run->last)].preemptions++;
        run->is_unfinished = false;
    }
    if (takt_run_is_task(next)) {
        run->sim->switches++;
        run->last = next;
    }
}

/* Takes the decision for one processor, in force from `start`. */
TAKT_INLINE void takt_run_take(takt_run_t *run, takt_instant_t start) {
    const takt_decision_t decision = takt_backend_take(run->dispatcher, start);
    run->sim->decisions++;
    if (decision.entity != run->last) {
        takt_run_switch(run, decision.entity);
    }
    run->running = decision.entity;
    run->until = decision.until;
    run->job = takt_entity_job_number(decision.entity);
}

/* ---- service ----------------------------------------------------------------------------------------- */

/* Extends the last segment by `next`, or reports it and replaces it by `next`. */
void takt_run_extend_segment(takt_run_t *run, const takt_sim_segment_t *next);

/* `task` or idling server has run job `job` in [start, end) on the only processor. */
TAKT_INLINE void takt_run_report_segment(takt_run_t *run, takt_instant_t start, takt_instant_t end,
                                         uint32_t task) {
    if (TAKT_UNLIKELY(run->sinks.segment != NULL) && end > start) {
        takt_run_extend_segment(run, &(takt_sim_segment_t){start, end, task, run->job});
    }
}

/* `server`, which was selected and has no work, has idled in [start, end). */
TAKT_INLINE void takt_run_report_idle(takt_run_t *run, const takt_entity_t *server, takt_instant_t start,
                                      takt_instant_t end) {
    takt_run_report_segment(run, start, end, run->sim->system.task_count + takt_entity_number(server) - 1u);
}

/* The running job, of `task`, has received service in [start, end). */
TAKT_INLINE void takt_run_serve(takt_run_t *run, takt_sim_work_t *work, uint32_t task, takt_instant_t start,
                                takt_instant_t end) {
    work->at.left -= end - start;
    work->served += end - start;
    run->is_unfinished = true;
    takt_run_report_segment(run, start, end, task);
}

/* The job of `entity`, which runs, has received its demand at `now`: that is the next event. */
TAKT_INLINE void takt_run_finish(takt_run_t *run, takt_entity_t *entity, uint32_t task, takt_instant_t now) {
    run->is_unfinished = false;
    takt_sim_report_finish(run->sim, &run->sinks, task, now);
    run->event = (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}};
}

/* ---- the run ------------------------------------------------------------------------------------------ */

/* As takt_platform_t.stop, for one processor. */
TAKT_INLINE void takt_run_stop(takt_run_t *run, uint32_t task, takt_instant_t now) {
    (void)now;
    if (run->last == takt_system_entity_of(&run->sim->system, task)) {
        run->is_unfinished = false;
    }
}

/* Steps 1 to 3 of the horizon itself, on one processor. Unfinished jobs have missed deadlines up to `seen`. */
void takt_run_end_at(takt_run_t *run, takt_instant_t seen);

/* ---- the kernel's own time, on one processor: costs.c --------------------------------------------------- */

/* Returns the instant at which the job that core selects for the event starts: after the kernel's work. */
takt_instant_t takt_costs_start(takt_run_t *run);

/* Pull: items that came due while a non-preemptive job ran precede the event that it now causes. Returns whether it
 * causes one: the event is not just time. */
TAKT_MUST_USE bool takt_costs_catch_up(takt_run_t *run);

/* True if the running job pulls from `start` on: its points call the scheduler, which does not run in between. */
TAKT_MUST_USE bool takt_costs_can_pull(const takt_run_t *run, takt_instant_t start);

/* True if `entity` is non-preemptive. */
TAKT_INLINE bool takt_costs_is_non_preemptive(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0 &&
           entity->task->preemption_key == TAKT_KEY_MOST_URGENT;
}

/* ---- what core does by itself, and budgets: sinks.c ----------------------------------------------------- */

/* As the function of takt_trace_t, for the trace of a run. */
void takt_sinks_listen(takt_trace_t *trace, const takt_record_t *record);

/* If budgets have a sink, reports them at `now`, charged to `running`, which may be NULL. */
void takt_sinks_report_budgets(const takt_run_t *run, takt_instant_t now, const takt_entity_t *running);

/* If budgets have a sink, reports those charged to `running` that end between `after` and `before`, before they are
 * replenished: a kernel that is late has not handled it. */
void takt_sinks_report_exhaustions(const takt_run_t *run, takt_instant_t after, takt_instant_t before,
                                   const takt_entity_t *running);

/* If budgets have a sink, reports the replenishments between `after` and `before`. Those that wait, in an inactive parent
 * or for the kernel, count from their nominal instant. */
void takt_sinks_report_replenishments(const takt_run_t *run, takt_instant_t after, takt_instant_t before);

/* Reports a point of the current job of `task`. */
void takt_sinks_report_point(const takt_run_t *run, takt_instant_t now, uint32_t task, bool is_optional,
                             bool should_yield);

/* ---- keys from outside: rekey.c ------------------------------------------------------------------------- */

/* Asks sinks.rekey, which there is, for the keys of all jobs, and settles. Between the settling of an event and the
 * decision. */
void takt_run_rekey(takt_run_t *run);

/* ---- the loop ----------------------------------------------------------------------------------------- */

/* The loop of the simulator. `platform` is a constant. */
TAKT_INLINE void takt_run_loop(takt_run_t *run, const takt_platform_t *platform) {
    const takt_instant_t horizon = run->horizon;
    takt_instant_t start = 0;
    run->platform = platform;
    do {
        platform->execute(run, start);
        if (run->event.now >= run->horizon || !takt_sim_is_wanted(run->sim, &run->sinks, run->event.now)) {
            break;
        }
        start = platform->decide(run);
    } while (true);
    if (run->event.now >= horizon) {
        platform->end(run);
    }
}

/* Prepares `run` for steps; returns how it is driven, NULL if memory is short. */
const takt_step_platform_t *takt_run_step_processor(takt_run_t *run);
const takt_step_platform_t *takt_run_step_processors(takt_run_t *run);

/* Begins a run of `sim`, and ends it: sinks, trace and memory. Begin returns false if memory is short; end in any case. */
TAKT_MUST_USE bool takt_run_begin(takt_run_t *run, takt_sim_t *sim, takt_instant_t horizon,
                                  const takt_sim_sinks_t *sinks, takt_trace_t *trace);
void takt_run_end(takt_run_t *run);

/* Each runs the loop: on one processor, on several, and under an architecture. */
void takt_run_processor(takt_run_t *run);
void takt_run_processors(takt_run_t *run);
void takt_run_architecture(takt_run_t *run);

#endif
