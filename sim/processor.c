/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* One processor: its jobs have bodies, and its kernel may take time. A platform of run.h.
 *
 * What most runs do without is constant in the loop for plain runs: costs, points that pull, and sinks that are called at
 * every decision. */
#include "sim/links.h"
#include "sim/run.h"

/* ---- decisions -------------------------------------------------------------------------------------- */

/* Posts the event of a job at a point of its body. */
TAKT_RARE static void post_at_point(takt_run_t *run) {
    const takt_event_t *event = &run->event;
    takt_run_post(run, event);
    takt_sinks_report_point(run, event->now, takt_run_task_of(run, event->entity),
                            event->kind == TAKT_EVENT_OPTIONAL_POINT,
                            run->sim->system.cpus->should_yield != 0);
}

TAKT_INLINE void post_event(takt_run_t *run) {
    if (run->event.kind != TAKT_EVENT_TIME && TAKT_UNLIKELY(takt_event_is_point(&run->event))) {
        post_at_point(run);
    } else {
        takt_run_post(run, &run->event);
    }
    takt_run_post_arrivals(run, run->event.now);
    takt_run_settle(run);
}

TAKT_INLINE takt_instant_t decide(takt_run_t *run) {
    post_event(run);
    takt_run_take(run, run->event.now);
    return run->event.now;
}

static takt_instant_t decide_at_cost(takt_run_t *run) {
    if (run->costs.is_pulling && !takt_costs_catch_up(run)) {
        return run->event.now;
    }
    post_event(run);
    if (run->sinks.rekey != NULL) {
        takt_run_rekey(run);
    }
    const takt_instant_t start = run->costs.is_any ? takt_costs_start(run) : run->event.now;
    takt_run_take(run, start);
    takt_sinks_report_budgets(run, start, run->running);
    if (run->sinks.ledger != NULL) {
        run->sinks.ledger(run->sinks.context, start, run->sim->system.rate_based.reserved);
    }
    run->costs.is_pulling = run->costs.is_any && takt_costs_can_pull(run, start);
    return start;
}

/* ---- milestones of a body ----------------------------------------------------------------------------- */

static takt_event_t lock_event(const takt_run_t *run, takt_event_kind_t kind, takt_instant_t now,
                               const takt_item_t *item) {
    takt_resource_t *resource = &run->sim->system.resources[item->ticks];
    return (takt_event_t){.kind = kind, .entity = run->running, .now = now, .resource = resource};
}

/* The last of the unlocks of one instant is the event; earlier ones are posted at once. */
static takt_event_t unlock(takt_run_t *run, takt_work_t *work, const takt_task_spec_t *spec,
                           takt_event_t event) {
    while (takt_work_unlocks_now(work, spec)) {
        takt_run_post(run, &event);
        event = lock_event(run, TAKT_EVENT_UNLOCK, event.now, takt_work_pass(work, spec));
    }
    return event;
}

static takt_event_t reach_point(const takt_run_t *run, uint32_t task, takt_instant_t now, bool is_optional) {
    const takt_event_kind_t kind = is_optional ? TAKT_EVENT_OPTIONAL_POINT : TAKT_EVENT_POINT;
    if (takt_costs_is_non_preemptive(run->running)) {
        return (takt_event_t){kind, run->running, now, {now}};
    }
    takt_sinks_report_point(run, now, task, is_optional, false);
    return takt_run_time(now);
}

/* Returns the event at a milestone of the running job that is not its end; TIME if the job only continues. */
static takt_event_t pass_milestone(takt_run_t *run, takt_work_t *work, uint32_t task, takt_instant_t now) {
    const takt_task_spec_t *spec = &run->sim->specs[task];
    const takt_item_t *item = takt_work_pass(work, spec);
    switch (item->kind) {
    case TAKT_ITEM_SUSPEND:
        run->is_unfinished = false;
        return (takt_event_t){TAKT_EVENT_SUSPEND, run->running, now, {now + item->ticks}};
    case TAKT_ITEM_LOCK:
        return lock_event(run, TAKT_EVENT_LOCK, now, item);
    case TAKT_ITEM_UNLOCK:
        return unlock(run, work, spec, lock_event(run, TAKT_EVENT_UNLOCK, now, item));
    case TAKT_ITEM_RELEASE:
        return takt_run_time(now); /* its event was sent when what comes before had been executed */
    default:
        return reach_point(run, task, now, item->kind == TAKT_ITEM_OPTIONAL_POINT);
    }
}

/* Passes the milestone of the running job at `now`. Returns whether the job continues at once; if not, writes the event.
 * Items that came due while the kernel worked precede the job's events: a lock is tried only after the job has been
 * selected at that very instant, `began`. */
static bool continues(takt_run_t *run, takt_work_t *work, uint32_t task, takt_instant_t began,
                      takt_instant_t now) {
    const bool has_to_be_selected =
        now > began && takt_work_kind(work, &run->sim->specs[task]) == TAKT_ITEM_LOCK;
    if (now >= run->horizon || has_to_be_selected) {
        takt_run_wait(run, now);
        return false;
    }
    run->event = pass_milestone(run, work, task, now);
    return run->event.kind == TAKT_EVENT_TIME;
}

/* ---- time passes ------------------------------------------------------------------------------------------ */

/* Serves the running job from `start` on, up to its next milestone or `end`. Returns until when. */
TAKT_INLINE takt_instant_t serve(takt_run_t *run, takt_sim_work_t *work, uint32_t task, takt_instant_t start,
                                 takt_instant_t end) {
    const takt_instant_t now = start + takt_least_of(work->at.left, end - start);
    takt_run_serve(run, work, task, start, now);
    return now;
}

/* The running job has been served until `now`: it is complete, or time is the event. */
TAKT_INLINE void finish_if_served(takt_run_t *run, const takt_sim_work_t *work, uint32_t task,
                                  takt_instant_t now) {
    if (work->at.left == 0) {
        takt_run_finish(run, run->running, task, now);
    } else {
        takt_run_wait(run, now);
    }
}

/* As execute_up_to, from the first milestone on, at `now`. */
TAKT_RARE static void pass_milestones(takt_run_t *run, takt_sim_work_t *work, takt_instant_t began,
                                      takt_instant_t now, takt_instant_t end) {
    const uint32_t task = takt_run_task_of(run, run->running);
    while (work->at.left == 0 && work->at.after > 0) {
        if (TAKT_UNLIKELY(run->sim->links != NULL) && now < run->horizon) {
            takt_links_reach(run->sim, task, work->at.item, now);
        }
        if (!continues(run, &work->at, task, began, now)) {
            return;
        }
        now = serve(run, work, task, now, end);
    }
    finish_if_served(run, work, task, now);
}

/* The processor idles in [start, end), charged to `entity` if that is a server. */
TAKT_RARE static void idle(takt_run_t *run, const takt_entity_t *entity, takt_instant_t start,
                           takt_instant_t end) {
    if (entity != NULL) {
        takt_run_report_idle(run, entity, start, end);
    }
    takt_run_wait(run, end);
}

/* Executes the decision up to `end`, or to the event of its job. */
TAKT_INLINE void execute_up_to(takt_run_t *run, takt_instant_t began, takt_instant_t end) {
    takt_entity_t *entity = run->running;
    if (!takt_run_is_task(entity) || end <= began) {
        idle(run, entity, began, end > began ? end : began);
        return;
    }
    const uint32_t task = takt_run_task_of(run, entity);
    takt_sim_work_t *work = takt_sim_work_on(run->sim, task, run->job);
    const takt_instant_t now = serve(run, work, task, began, end);
    if (work->at.left == 0 && TAKT_UNLIKELY(work->at.after > 0)) {
        pass_milestones(run, work, began, now, end);
    } else {
        finish_if_served(run, work, task, now);
    }
}

/* Returns when time causes an event after the decision, which holds until `until`. That may be past. */
TAKT_INLINE takt_instant_t end_of_decision(const takt_run_t *run, takt_instant_t until) {
    return takt_least_of(takt_least_of(until, takt_sim_arrivals_next(run->sim)), run->horizon);
}

TAKT_INLINE void execute(takt_run_t *run, takt_instant_t start) {
    execute_up_to(run, start, end_of_decision(run, run->until));
}

/* As end_of_decision, where the kernel takes time. */
TAKT_INLINE takt_instant_t end_at_cost(const takt_run_t *run) {
    const takt_instant_t until = run->costs.is_pulling ? TAKT_NEVER : run->until;
    const takt_instant_t tick = takt_least_of(run->costs.next_tick, run->next_rekey);
    return end_of_decision(run, takt_least_of(until, tick));
}

static void execute_at_cost(takt_run_t *run, takt_instant_t start) {
    execute_up_to(run, start, end_at_cost(run));
    takt_sinks_report_replenishments(run, start, run->event.now);
}

/* ---- the platforms ---------------------------------------------------------------------------------------- */

static void end(takt_run_t *run) { takt_run_end_at(run, run->horizon); }

static const takt_platform_t plain = {execute, decide, takt_run_stop, end};
static const takt_platform_t costly = {execute_at_cost, decide_at_cost, takt_run_stop, end};

static void set_costs(takt_run_t *run) {
    const takt_sim_costs_t *costs = &run->sim->options.costs;
    const takt_duration_t sum = costs->context_switch | costs->release | costs->scheduling | costs->point |
                                costs->tick | costs->wake_up;
    run->costs.next_tick = costs->tick > 0 ? costs->tick_period : TAKT_NEVER;
    run->costs.is_any = sum != 0 || costs->is_pull;
}

void takt_run_processor(takt_run_t *run) {
    set_costs(run);
    if (run->costs.is_any || run->sinks.budget != NULL || run->sinks.ledger != NULL ||
        run->sinks.rekey != NULL) {
        takt_run_loop(run, &costly);
    } else {
        takt_run_loop(run, &plain);
    }
}

/* ---- linked simulations: links.h ---------------------------------------------------------------------------- */

static takt_instant_t next(takt_run_t *run, takt_instant_t start) {
    takt_instant_t next = end_at_cost(run);
    if (takt_run_is_task(run->running)) {
        const uint32_t task = takt_run_task_of(run, run->running);
        next = takt_least_of(next, start + takt_sim_work_on(run->sim, task, run->job)->at.left);
    }
    return takt_later_of(next, start);
}

/* True if the running job is at a milestone that it has not passed. */
static bool is_at_milestone(const takt_run_t *run) {
    if (!takt_run_is_task(run->running)) {
        return false;
    }
    const takt_sim_work_t *work = &run->sim->work[takt_run_task_of(run, run->running)];
    return work->job == run->job && work->at.left == 0 && work->at.after > 0;
}

/* A milestone that a decision at this very instant precedes is passed without time. */
static void execute_linked(takt_run_t *run, takt_instant_t start) {
    const takt_instant_t end = takt_least_of(end_at_cost(run), run->step_end);
    if (is_at_milestone(run) && takt_least_of(run->until, run->costs.next_tick) > start) {
        const uint32_t task = takt_run_task_of(run, run->running);
        pass_milestones(run, &run->sim->work[task], start, start, takt_later_of(end, start));
    } else {
        execute_up_to(run, start, end);
    }
    takt_sinks_report_replenishments(run, start, run->event.now);
}

static bool is_due(const takt_run_t *run) {
    return run->event.kind != TAKT_EVENT_TIME || end_at_cost(run) <= run->event.now || is_at_milestone(run);
}

static void complete(takt_run_t *run) {
    if (run->event.kind == TAKT_EVENT_COMPLETE) {
        takt_links_complete(run->sim, takt_run_task_of(run, run->event.entity), run->event.now);
    }
}

static const takt_step_platform_t steps = {
    {execute_linked, decide_at_cost, takt_run_stop, end}, next, is_due, complete};

const takt_step_platform_t *takt_run_step_processor(takt_run_t *run) {
    set_costs(run);
    return &steps;
}
