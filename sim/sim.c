/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The event loop of sim.h. */
#include "sim/sim.h"

#include "core/backend.h"
#include "sim/arrivals.h"
#include "sim/rated.h"
#include "sim/tell.h"
#include "sim/windowed.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    takt_trace_t trace;    /* core's sink, if records are needed; first member */
    takt_trace_t *forward; /* the user's trace */
    takt_sim_t *sim;
    takt_direct_t backend;
    uint32_t sequence;
    takt_instant_t horizon;
    takt_sim_sinks_t sinks;
    takt_sim_segment_t segment;
    const takt_entity_t *unfinished; /* ran last and is not finished */
    const takt_entity_t *last;       /* ran last */
    takt_decision_t decision;        /* in force */
    uint32_t job;                    /* of that decision */
    takt_instant_t next_tick;
    bool is_watched;           /* a sink needs budgets, or the ledger */
    bool is_costly;            /* the kernel takes time, or timers wait for points */
    bool is_pulling;           /* a non-preemptive job runs and timers wait */
    uint32_t expired;          /* of the dispatcher, up to the last pass; for costs */
    uint32_t releases;         /* likewise */
    uint32_t blocked_removals; /* likewise */
    takt_instant_t busy_until; /* end of the kernel's work, if in the future */
} run_t;

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

/* ---- execution ----------------------------------------------------------------------------------- */

static void extend_segment(run_t *run, uint32_t task, takt_instant_t start, takt_instant_t end) {
    takt_sim_extend_segment(&run->sinks, &run->segment, &(takt_sim_segment_t){start, end, task, run->job});
}

static uint32_t task_of(const takt_sim_t *sim, const takt_entity_t *entity) {
    return takt_sim_task_of(sim, takt_entity_number(entity));
}

/* True if `entity`, which was selected, is a task: neither NULL nor a server that idles. */
static bool is_task(const takt_entity_t *entity) { return entity != NULL && entity->task != NULL; }

static void count_preemption(run_t *run, const takt_entity_t *next) {
    if (run->unfinished != NULL && run->unfinished != next) {
        run->sim->statistics[task_of(run->sim, run->unfinished)].preemptions++;
        run->unfinished = NULL;
    }
}

/* `task` has received service in [start, end). */
static void serve(run_t *run, takt_sim_work_t *work, uint32_t task, takt_instant_t start,
                  takt_instant_t end) {
    work->at.left -= end - start;
    work->served += end - start;
    if (run->sinks.segment != NULL && end > start) {
        extend_segment(run, task, start, end);
    }
}

/* ---- jobs that end -------------------------------------------------------------------------------- */

/* The running job has received its demand. */
TAKT_INLINE void finish_job(run_t *run, uint32_t task, takt_instant_t finish) {
    run->unfinished = NULL;
    takt_sim_tell_finish(run->sim, &run->sinks, task, finish);
}

/* Core has ended a job by itself. */
static void lose_job(run_t *run, const takt_record_t *record) {
    const uint32_t task = takt_sim_task_of(run->sim, record->entity);
    if (record->kind == TAKT_RECORD_ABORT &&
        run->unfinished == takt_system_entity_of(&run->sim->system, task)) {
        run->unfinished = NULL;
    }
    takt_sim_tell_loss(run->sim, &run->sinks, record);
}

static void tell_lock(const run_t *run, const takt_record_t *record) {
    static const takt_sim_lock_t whats[] = {TAKT_SIM_LOCKED, TAKT_SIM_BLOCKED, TAKT_SIM_UNLOCKED,
                                            TAKT_SIM_DEADLOCKED};
    const uint32_t task = takt_sim_task_of(run->sim, record->entity);
    if (run->sinks.lock != NULL) {
        run->sinks.lock(run->sinks.context, record->now, task, record->job, (uint32_t)record->value,
                        whats[record->kind - TAKT_RECORD_GRANT]);
    }
}

/* A job has ended, or waits with an exhausted budget. */
static void tell_windowed(run_t *run, uint32_t task, takt_allocation_event_t event) {
    if (event == TAKT_ALLOCATION_OVERRUN) {
        return;
    }
    if (run->unfinished == takt_system_entity_of(&run->sim->system, task)) {
        run->unfinished = NULL;
    }
    takt_sim_tell_windowed_loss(run->sim, &run->sinks, task, event);
}

/* Handles an allocator's report on a task; a job may have used its whole budget, as intended. */
static void tell_allocation(run_t *run, const takt_record_t *record) {
    const uint32_t task = record->entity - 1u - run->sim->system.server_count;
    const takt_allocation_event_t event = takt_allocation_event_of(record->value);
    if (run->sim->system.rates == NULL) {
        tell_windowed(run, task, event);
        return;
    }
    const takt_rate_task_t *rate = &run->sim->system.rates[task];
    const bool has_target = event == TAKT_ALLOCATION_RERATED || event == TAKT_ALLOCATION_RESUMED ||
                            event == TAKT_ALLOCATION_CHANGED;
    const takt_rate_target_t *has = has_target ? &rate->target : &rate->now;
    if (event == TAKT_ALLOCATION_FINISHED) {
        finish_job(run, task, record->now);
    } else if (run->sinks.allocation != NULL) {
        run->sinks.allocation(run->sinks.context, record->now, task, event, has->rate, has->budget,
                              has->period);
    }
}

static void listen(takt_trace_t *trace, const takt_record_t *record) {
    run_t *run = TAKT_CONTAINER_OF(trace, run_t, trace);
    if (record->kind == TAKT_RECORD_ALLOCATION) {
        tell_allocation(run, record);
    } else if (record->kind >= TAKT_RECORD_GRANT && record->kind <= TAKT_RECORD_DEADLOCK) {
        tell_lock(run, record);
    } else if (record->kind == TAKT_RECORD_ABORT || record->kind == TAKT_RECORD_SKIP) {
        lose_job(run, record);
    }
    if (run->forward != NULL) {
        run->forward->record(run->forward, record);
    }
}

static bool has_to_listen(const takt_sim_t *sim, const takt_sim_sinks_t *sinks) {
    bool may = sim->system.resource_count > 0 || sim->system.windowed_count > 0 || sinks->allocation != NULL;
    for (uint32_t task = 0; task < sim->system.task_count; task++) {
        may |= sim->specs[task].on_miss != TAKT_ON_MISS_CONTINUE || sim->specs[task].is_greedy;
    }
    return may;
}

/* ---- budgets, for sinks ---------------------------------------------------------------------------- */

static bool is_charged(const takt_entity_t *running, const takt_server_t *server) {
    const takt_server_t *home = running != NULL ? running->home : NULL;
    if (running == &server->entity) {
        return true;
    }
    while (home != NULL && home != server) {
        home = home->entity.home;
    }
    return home != NULL;
}

static void report_budgets(const run_t *run, takt_instant_t now, const takt_entity_t *running) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        const takt_duration_t budget = takt_server_budget(server, now);
        const bool falls = budget > 0 && is_charged(running, server);
        run->sinks.budget(run->sinks.context, now, i, budget, falls);
    }
}

/* Replenishments that wait, in an inactive parent or for the kernel, count from their nominal instant. */
static void report_waiting_replenishments(const run_t *run, takt_instant_t after, takt_instant_t before) {
    const takt_system_t *system = &run->sim->system;
    for (uint32_t i = 0; i < system->server_count; i++) {
        const takt_server_t *server = &system->servers[i];
        takt_instant_t instant = takt_server_next_replenishment(server, after);
        for (; instant < before; instant = takt_server_next_replenishment(server, instant)) {
            run->sinks.budget(run->sinks.context, instant, i, takt_server_budget(server, instant), false);
        }
    }
}

/* ---- decisions -------------------------------------------------------------------------------------- */

static bool is_non_preemptive(const takt_entity_t *entity) {
    return (entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0 &&
           entity->task->preemption_key == TAKT_KEY_MOST_URGENT;
}

TAKT_INLINE void post(run_t *run, const takt_event_t *event) {
    run->sequence++;
    takt_direct_post(&run->backend, event, run->sequence);
}

/* Change number `index` of a task. */
TAKT_RARE static void post_change(run_t *run, uint32_t index, takt_instant_t now) {
    const takt_change_spec_t *change = &run->sim->changes[index];
    takt_entity_t *entity = takt_system_entity_of(&run->sim->system, change->task);
    takt_event_t event = {TAKT_EVENT_CHANGE, entity, now, {index}};
    if (takt_task_is_allocated(entity->task) && change->kind != TAKT_CHANGE_PARAMETERS) {
        event.kind = change->kind == TAKT_CHANGE_ENTER ? TAKT_EVENT_ENTER : TAKT_EVENT_LEAVE;
        event.nominal = now;
    }
    takt_sim_arrivals_change(run->sim, index);
    post(run, &event);
}

/* Posted at once, even while the kernel works; a change of the policy waits until it does not. */
TAKT_RARE static void post_change_of(run_t *run, takt_sim_source_t *source, const takt_arrival_t *arrival,
                                     takt_instant_t until) {
    if (source->task == TAKT_SIM_CHANGES) {
        post_change(run, (uint32_t)arrival->nominal, arrival->instant);
    } else if (run->busy_until > until) {
        takt_sim_arrivals_put_off(run->sim, source, run->busy_until);
    } else {
        post(run, &(takt_event_t){TAKT_EVENT_CHANGE, NULL, until, {arrival->nominal}});
    }
}

TAKT_RARE static void post_due_arrivals(run_t *run, takt_instant_t until) {
    takt_arrival_t arrival;
    takt_sim_source_t *source;
    while ((source = takt_sim_arrivals_take(run->sim, until, &arrival)) != NULL) {
        takt_system_t *system = &run->sim->system;
        if (source->task >= TAKT_SIM_POLICIES) {
            post_change_of(run, source, &arrival, until);
            continue;
        }
        if (!takt_system_reserve(system, source->task)) {
            run->sim->is_short_of_memory = true;
            run->horizon = 0;
            return;
        }
        takt_entity_t *entity = takt_system_entity_of(system, source->task);
        post(run, &(takt_event_t){TAKT_EVENT_ARRIVAL, entity, arrival.instant, {arrival.nominal}});
    }
}

/* Arrivals are posted when they happen, even while the kernel works. */
static inline void post_arrivals(run_t *run, takt_instant_t until) {
    if (takt_sim_arrivals_next(run->sim) <= until) {
        post_due_arrivals(run, until);
    }
}

static void tell_point(const run_t *run, takt_instant_t now, uint32_t task, bool is_optional,
                       bool should_yield) {
    if (run->sinks.point != NULL) {
        const uint32_t job = run->sim->system.tasks[task].job.number;
        run->sinks.point(run->sinks.context, now, task, job, is_optional, should_yield);
    }
}

static takt_duration_t pay_ticks(run_t *run, takt_instant_t now) {
    const takt_sim_costs_t *costs = &run->sim->options.costs;
    takt_duration_t cost = 0;
    for (; run->next_tick <= now; run->next_tick += costs->tick_period) {
        cost += costs->tick;
    }
    return cost;
}

/* True if `entity` is a job whose points call the scheduler, which does not run in between. */
static bool pulls(const run_t *run, const takt_entity_t *entity) {
    return run->sim->options.costs.is_pull && is_non_preemptive(entity) && takt_server_is_root(entity->home);
}

/* True if the scheduler had no choice: a non-preemptive job that should not yield continues, or a job that has just
 * locked or unlocked. */
static bool goes_on(const run_t *run, const takt_event_t *event, const takt_entity_t *chosen) {
    const bool goes_on =
        is_task(chosen) && chosen == run->decision.entity && chosen->task->job.number == run->job;
    if (goes_on && takt_event_is_lock(event) && run->backend.dispatcher->expired == run->expired) {
        return true;
    }
    const bool is_same = goes_on && is_non_preemptive(chosen);
    const bool is_silent = event->kind == TAKT_EVENT_TIME || event->kind == TAKT_EVENT_OPTIONAL_POINT ||
                           takt_event_is_lock(event) ||
                           (event->kind == TAKT_EVENT_POINT && run->sim->system.cpus->should_yield == 0);
    return is_same && is_silent && !pulls(run, chosen);
}

/* True if the pass handled something besides a tick or a timer that was not due. */
static bool is_busy(const run_t *run, const takt_event_t *event, const takt_entity_t *chosen) {
    const takt_dispatcher_t *dispatcher = run->backend.dispatcher;
    return event->kind != TAKT_EVENT_TIME || dispatcher->expired != run->expired ||
           dispatcher->blocked_removals != run->blocked_removals || chosen != run->decision.entity;
}

/* Returns the kernel time until the selected entity starts. */
static takt_duration_t kernel_time(run_t *run, const takt_event_t *event, const takt_entity_t *chosen,
                                   bool was_busy) {
    const takt_sim_costs_t *costs = &run->sim->options.costs;
    const uint32_t released = run->backend.dispatcher->releases - run->releases;
    takt_duration_t cost = pay_ticks(run, event->now) + released * costs->release;
    if (takt_event_is_point(event)) {
        cost += costs->point;
    }
    if (was_busy && !goes_on(run, event, chosen)) {
        cost += costs->scheduling;
    }
    if (is_task(chosen) && chosen != run->last) {
        cost += costs->context_switch;
    }
    return cost;
}

/* The kernel works in [now, start). */
static void take_time(run_t *run, takt_instant_t now, takt_instant_t start) {
    const takt_instant_t end = start < run->horizon ? start : run->horizon;
    run->sim->overhead += end - now;
    if (run->sinks.budget != NULL) {
        report_budgets(run, now, NULL);
        report_waiting_replenishments(run, now, start);
    }
    run->busy_until = start;
    post_arrivals(run, end - 1u);
}

/* Returns the instant at which the selected job starts: after the kernel's work. */
TAKT_RARE static takt_instant_t start_of(run_t *run, const takt_event_t *event) {
    takt_dispatcher_t *dispatcher = run->backend.dispatcher;
    const takt_entity_t *chosen = takt_dispatcher_choose(dispatcher, event->now);
    const bool was_busy = is_busy(run, event, chosen);
    const takt_instant_t start = event->now + kernel_time(run, event, chosen, was_busy);
    run->sim->invocations += was_busy;
    run->expired = dispatcher->expired;
    run->releases = dispatcher->releases;
    run->blocked_removals = dispatcher->blocked_removals;
    if (start > event->now) {
        take_time(run, event->now, start);
    }
    return start;
}

static void tell_state(const run_t *run, takt_instant_t now, const takt_entity_t *running) {
    if (run->sinks.budget != NULL) {
        report_budgets(run, now, running);
    }
    if (run->sinks.ledger != NULL) {
        run->sinks.ledger(run->sinks.context, now, run->sim->system.rate_based.reserved);
    }
}

static void take(run_t *run, takt_instant_t start) {
    const bool is_taken = takt_direct_take(&run->backend, run->sequence, start, &run->decision);
    (void)is_taken; /* the direct backend considers the last event */
    const takt_entity_t *chosen = run->decision.entity;
    run->sim->decisions++;
    count_preemption(run, chosen);
    if (!is_task(chosen)) {
        run->job = 0;
    } else {
        run->job = chosen->task->job.number;
        run->sim->switches += chosen != run->last;
        run->last = chosen;
    }
    if (TAKT_UNLIKELY(run->is_watched)) {
        tell_state(run, start, chosen);
    }
}

TAKT_INLINE void settle(run_t *run) { takt_direct_settle(&run->backend); }

/* As post, for a job at a point of its body. */
TAKT_RARE static void post_at_point(run_t *run, const takt_event_t *event) {
    const bool is_optional = event->kind == TAKT_EVENT_OPTIONAL_POINT;
    post(run, event);
    const bool should_yield = run->sim->system.cpus->should_yield != 0;
    tell_point(run, event->now, task_of(run->sim, event->entity), is_optional, should_yield);
}

/* Pull: while a non-preemptive job runs, time alone causes no decision. */
static void wait_for_point(run_t *run, takt_instant_t now) {
    post_arrivals(run, now);
    if (run->sinks.budget != NULL) {
        report_budgets(run, now, run->decision.entity);
    }
}

/* Pull: items that came due while a non-preemptive job ran precede the event that it now causes. Returns whether
 * it causes one: `event` is not just time. */
TAKT_RARE static bool catch_up(run_t *run, const takt_event_t *event) {
    if (event->kind == TAKT_EVENT_TIME) {
        wait_for_point(run, event->now);
        return false;
    }
    if (event->now > 0) {
        run->backend.now = event->now - 1u;
        settle(run);
    }
    return true;
}

static bool can_pull(const run_t *run, takt_instant_t start) {
    const takt_entity_t *chosen = run->decision.entity;
    return is_task(chosen) && pulls(run, chosen) && run->decision.until > start &&
           takt_sim_arrivals_next(run->sim) > start;
}

/* Posts `event` and takes the decision that considers it. Returns the instant from which it is in force. */
static takt_instant_t decide(run_t *run, const takt_event_t *event) {
    if (TAKT_UNLIKELY(run->is_pulling) && !catch_up(run, event)) {
        return event->now;
    }
    if (TAKT_UNLIKELY(takt_event_is_point(event))) {
        post_at_point(run, event);
    } else {
        post(run, event);
    }
    post_arrivals(run, event->now);
    settle(run);
    const takt_instant_t start = TAKT_UNLIKELY(run->is_costly) ? start_of(run, event) : event->now;
    take(run, start);
    run->is_pulling = run->is_costly && can_pull(run, start);
    return start;
}

/* ---- time passes -------------------------------------------------------------------------------------- */

static takt_resource_t *resource_of(const run_t *run, const takt_item_t *item) {
    return &run->sim->system.resources[item->ticks];
}

static takt_event_t lock_event(takt_event_kind_t kind, takt_entity_t *entity, takt_instant_t now,
                               takt_resource_t *resource) {
    return (takt_event_t){.kind = kind, .entity = entity, .now = now, .resource = resource};
}

/* The last of the unlocks of one instant is the event; earlier ones are posted at once. */
static takt_event_t unlock(run_t *run, takt_sim_work_t *work, uint32_t task, takt_event_t event) {
    const takt_task_spec_t *spec = &run->sim->specs[task];
    while (takt_work_unlocks_now(&work->at, spec)) {
        post(run, &event);
        event.resource = resource_of(run, takt_work_pass(&work->at, spec));
    }
    return event;
}

/* Returns the event at a milestone of the running job that is not its end; TIME if the job only continues. */
TAKT_RARE static takt_event_t pass_milestone(run_t *run, takt_sim_work_t *work, uint32_t task,
                                             takt_instant_t now) {
    takt_entity_t *entity = run->decision.entity;
    const takt_item_t *item = takt_work_pass(&work->at, &run->sim->specs[task]);
    const bool is_optional = item->kind == TAKT_ITEM_OPTIONAL_POINT;
    if (item->kind == TAKT_ITEM_SUSPEND) {
        run->unfinished = NULL;
        return (takt_event_t){TAKT_EVENT_SUSPEND, entity, now, {now + item->ticks}};
    }
    if (item->kind == TAKT_ITEM_LOCK) {
        return lock_event(TAKT_EVENT_LOCK, entity, now, resource_of(run, item));
    }
    if (item->kind == TAKT_ITEM_UNLOCK) {
        return unlock(run, work, task, lock_event(TAKT_EVENT_UNLOCK, entity, now, resource_of(run, item)));
    }
    if (is_non_preemptive(entity)) {
        return (takt_event_t){is_optional ? TAKT_EVENT_OPTIONAL_POINT : TAKT_EVENT_POINT, entity, now, {now}};
    }
    tell_point(run, now, task, is_optional, false);
    return (takt_event_t){TAKT_EVENT_TIME, NULL, now, {now}};
}

/* Returns until when the decision holds if its job causes no event. */
static takt_instant_t end_of_decision(const run_t *run, takt_instant_t now) {
    takt_instant_t end = run->is_pulling ? TAKT_NEVER : run->decision.until;
    const takt_instant_t arrival = takt_sim_arrivals_next(run->sim);
    end = arrival < end ? arrival : end;
    end = run->next_tick < end ? run->next_tick : end;
    end = run->horizon < end ? run->horizon : end;
    return end > now ? end : now;
}

static takt_event_t time_event(takt_instant_t now) {
    return (takt_event_t){TAKT_EVENT_TIME, NULL, now, {now}};
}

/* The processor idles in [start, end), charged to `entity` if that is a server. */
TAKT_RARE static takt_event_t idle(run_t *run, const takt_entity_t *entity, takt_instant_t start,
                                   takt_instant_t end) {
    if (entity != NULL && run->sinks.segment != NULL && end > start) {
        extend_segment(run, run->sim->system.task_count + takt_entity_number(entity) - 1u, start, end);
    }
    return time_event(end);
}

/* Executes the decision from `began` on until its job causes an event, its time ends or the horizon is reached.
 * Returns the next event. Items that came due while the kernel worked precede the job's events. A lock is tried
 * only after the job has been selected at that very instant. */
static takt_event_t advance(run_t *run, takt_instant_t began) {
    const takt_instant_t end = end_of_decision(run, began);
    takt_entity_t *entity = run->decision.entity;
    if (!is_task(entity) || end <= began) {
        return idle(run, entity, began, end);
    }
    const uint32_t task = task_of(run->sim, entity);
    takt_sim_work_t *work = takt_sim_work_on(run->sim, task, run->job);
    takt_instant_t now = began;
    takt_event_t event = time_event(end);
    run->unfinished = entity;
    while (event.kind == TAKT_EVENT_TIME) {
        const takt_instant_t start = now;
        now = work->at.left < end - now ? now + work->at.left : end;
        serve(run, work, task, start, now);
        if (work->at.left > 0 || (work->at.after > 0 && now >= run->horizon)) {
            return time_event(end);
        }
        if (work->at.after == 0) {
            finish_job(run, task, now);
            return (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}};
        }
        if (now > began && takt_work_kind(&work->at, &run->sim->specs[task]) == TAKT_ITEM_LOCK) {
            return time_event(now);
        }
        event = pass_milestone(run, work, task, now);
    }
    return event;
}

/* ---- the end -------------------------------------------------------------------------------------------- */

/* Steps 1 to 3 of the horizon itself. */
static void end(run_t *run, const takt_event_t *event, takt_instant_t horizon) {
    if (event->kind == TAKT_EVENT_COMPLETE) {
        takt_dispatcher_post(run->backend.dispatcher, event);
    }
    if (run->sinks.segment != NULL) {
        takt_sim_tell_segment(&run->sinks, &run->segment);
    }
    if (run->sim->system.rates != NULL) {
        takt_sim_tell_rated_end(run->sim, &run->sinks, horizon);
    } else {
        takt_sim_tell_end(run->sim, &run->sinks, horizon, horizon);
    }
}

static bool is_costly(const takt_sim_costs_t *costs) {
    const takt_duration_t sum =
        costs->context_switch | costs->release | costs->scheduling | costs->point | costs->tick;
    return sum != 0 || costs->is_pull;
}

void takt_sim_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace) {
    const takt_sim_costs_t *costs = &sim->options.costs;
    run_t run = {
        .trace = {listen},
        .forward = trace,
        .sim = sim,
        .backend = {.dispatcher = sim->system.dispatcher},
        .horizon = horizon,
        .next_tick = costs->tick > 0 ? costs->tick_period : TAKT_NEVER,
        .is_costly = is_costly(costs),
    };
    takt_event_t event = {TAKT_EVENT_TIME, NULL, 0, {0}};
    if (sinks != NULL) {
        run.sinks = *sinks;
        run.sinks.budget = sim->system.server_count > 0 ? sinks->budget : NULL;
        run.is_watched = run.sinks.budget != NULL || sinks->ledger != NULL;
    }
    takt_dispatcher_record_to(run.backend.dispatcher, has_to_listen(sim, &run.sinks) ? &run.trace : trace);
    while (event.now < run.horizon && takt_sim_is_wanted(sim, &run.sinks, event.now)) {
        const takt_instant_t start = decide(&run, &event);
        event = advance(&run, start);
        if (run.sinks.budget != NULL) {
            report_waiting_replenishments(&run, start, event.now);
        }
    }
    if (event.now >= horizon) {
        end(&run, &event, horizon);
    }
}
