/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Costs: the time of the kernel's own work, and non-preemptive jobs that pull; see run.h and SPEC.md, 5. */
#include "sim/run.h"

/* ---- the kernel's time ------------------------------------------------------------------------------------ */

static takt_duration_t pay_ticks(takt_run_t *run, takt_instant_t now) {
    const takt_sim_costs_t *costs = &run->sim->options.costs;
    takt_duration_t cost = 0;
    for (; run->costs.next_tick <= now; run->costs.next_tick += costs->tick_period) {
        cost += costs->tick;
    }
    return cost;
}

/* True if `entity` is a job whose points call the scheduler, which does not run in between. */
static bool pulls(const takt_run_t *run, const takt_entity_t *entity) {
    return run->sim->options.costs.is_pull && takt_costs_is_non_preemptive(entity) &&
           takt_server_is_root(entity->parent);
}

/* True if the scheduler had no choice: a non-preemptive job that should not yield continues, or a job that has just
 * locked or unlocked. */
static bool goes_on(const takt_run_t *run, const takt_entity_t *chosen) {
    const takt_event_t *event = &run->event;
    const bool goes_on =
        takt_run_is_task(chosen) && chosen == run->running && chosen->task->job.number == run->job;
    if (goes_on && takt_event_is_lock(event) && run->dispatcher->expired == run->costs.expired) {
        return true;
    }
    const bool is_same = goes_on && takt_costs_is_non_preemptive(chosen);
    const bool is_silent = event->kind == TAKT_EVENT_TIME || event->kind == TAKT_EVENT_OPTIONAL_POINT ||
                           takt_event_is_lock(event) ||
                           (event->kind == TAKT_EVENT_POINT && run->sim->system.cpus->should_yield == 0);
    return is_same && is_silent && !pulls(run, chosen);
}

/* True if the pass handled something besides a tick or a timer that was not due. */
static bool is_busy(const takt_run_t *run, const takt_entity_t *chosen) {
    const takt_dispatcher_t *dispatcher = run->dispatcher;
    return run->event.kind != TAKT_EVENT_TIME || dispatcher->expired != run->costs.expired ||
           dispatcher->blocked_removals != run->costs.blocked_removals || chosen != run->running;
}

/* True if neither a job nor the kernel has executed right before this pass. */
static bool has_idled(const takt_run_t *run) {
    return !takt_run_is_task(run->running) && run->event.now > run->costs.busy_until;
}

/* Returns the kernel time until the selected entity starts. */
static takt_duration_t kernel_time(takt_run_t *run, const takt_entity_t *chosen, bool was_busy) {
    const takt_sim_costs_t *costs = &run->sim->options.costs;
    const uint32_t released = run->dispatcher->releases - run->costs.releases;
    takt_duration_t cost = pay_ticks(run, run->event.now) + released * costs->release;
    if (takt_event_is_point(&run->event)) {
        cost += costs->point;
    }
    if (was_busy && !goes_on(run, chosen)) {
        cost += costs->scheduling;
    }
    if (takt_run_is_task(chosen)) {
        cost += (chosen != run->last ? costs->context_switch : 0) + (has_idled(run) ? costs->wake_up : 0);
    }
    return cost;
}

/* The kernel works in [now, start). */
static void take_time(takt_run_t *run, takt_instant_t now, takt_instant_t start) {
    const takt_instant_t end = takt_least_of(start, run->horizon);
    run->sim->overhead += end - now;
    takt_sinks_report_budgets(run, now, NULL);
    takt_sinks_report_replenishments(run, now, start);
    takt_run_post_arrivals(run, end - 1u);
}

TAKT_RARE takt_instant_t takt_costs_start(takt_run_t *run) {
    takt_dispatcher_t *dispatcher = run->dispatcher;
    const takt_instant_t now = run->event.now;
    const takt_entity_t *chosen = takt_dispatcher_choose(dispatcher, now);
    const bool was_busy = is_busy(run, chosen);
    const takt_instant_t start = now + kernel_time(run, chosen, was_busy);
    run->sim->invocations += was_busy;
    run->costs.expired = dispatcher->expired;
    run->costs.releases = dispatcher->releases;
    run->costs.blocked_removals = dispatcher->blocked_removals;
    if (start > now || takt_run_is_task(run->running)) {
        run->costs.busy_until = start;
    }
    if (start > now) {
        take_time(run, now, start);
    }
    return start;
}

/* ---- pull -------------------------------------------------------------------------------------------------- */

/* While a non-preemptive job runs, time alone causes no decision. */
static void wait_for_point(takt_run_t *run) {
    takt_run_post_arrivals(run, run->event.now);
    takt_sinks_report_budgets(run, run->event.now, run->running);
}

TAKT_RARE bool takt_costs_catch_up(takt_run_t *run) {
    if (run->event.kind == TAKT_EVENT_TIME) {
        wait_for_point(run);
        return false;
    }
    if (run->event.now > 0) {
        run->now = run->event.now - 1u;
        takt_run_settle(run);
    }
    return true;
}

bool takt_costs_can_pull(const takt_run_t *run, takt_instant_t start) {
    const takt_entity_t *chosen = run->running;
    return takt_run_is_task(chosen) && pulls(run, chosen) && run->until > start &&
           takt_sim_arrivals_next(run->sim) > start;
}
