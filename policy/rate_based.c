/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rate-based scheduler of rate_based.h. What the equations call x, phi, u, C, P and d is served, share, rate,
 * budget, period and deadline here. */
#include "policy/rate_based.h"

#include "policy/rate_ledger.h"
#include "policy/table.h"

/* ---- what core calls ------------------------------------------------------------------------------------ */

static void count(takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    rates->admitted[class_of(rate)]++;
    rates->requested[class_of(rate)] += rate->request;
    rates->weights += rate->weight;
    add_blocking(&rates->blocking, rate);
}

static void discount(takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    rates->admitted[class_of(rate)]--;
    rates->requested[class_of(rate)] -= rate->request;
    rates->weights -= rate->weight;
    remove_blocking(&rates->blocking, rate, TAKT_RATE_IN);
}

/* True if hard tasks fit; beta is kept free even while there is no best-effort task. */
static bool fits(const takt_rate_based_t *rates) {
    const uint64_t hard = rates->requested[TAKT_CLASS_HARD];
    return hard + beta_of(rates) + rates->settings.sigma + taken_by(&rates->blocking) <= WHOLE;
}

/* Counts `rate` if it is admissible. A task that is not hard is rejected only if it would lengthen blocking. */
static bool admit(takt_rate_based_t *rates, takt_rate_task_t *rate) {
    const uint64_t before = taken_by(&rates->blocking);
    count(rates, rate);
    if ((!is_hard(rate) && taken_by(&rates->blocking) == before) || fits(rates)) {
        add_blocking(&rates->blocking_there, rate);
        return true;
    }
    discount(rates, rate);
    return false;
}

static void rate_based_enter(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    takt_rate_based_t *rates = rates_of(rate);
    if (rate->stage == TAKT_RATE_WAITING || rate->stage == TAKT_RATE_IN) {
        return;
    }
    if (rate->stage == TAKT_RATE_LEAVING || has_work(rate) || !admit(rates, rate)) {
        note(rate, TAKT_ALLOCATION_REJECTED, now);
        return;
    }
    rate->stage = TAKT_RATE_WAITING;
    note(rate, TAKT_ALLOCATION_ADMITTED, now);
    pend(rate);
    divide(rates, now);
}

static void rate_based_leave(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    if (rate->stage != TAKT_RATE_WAITING && rate->stage != TAKT_RATE_IN) {
        return;
    }
    rate->stage = TAKT_RATE_LEAVING;
    end_pending(rate);
    disarm_start(task);
    if (!is_open(rate)) {
        takt_allocator_arm_finish(task, release_of_rate(rate, now));
    }
    discount(rates_of(rate), rate);
    divide(rates_of(rate), now);
}

static takt_duration_t window_of(takt_duration_t period, takt_duration_t relative_deadline) {
    return least_of(period, relative_deadline);
}

/* Returns the rate of a hard or soft task. */
static uint64_t rate_for(takt_duration_t estimate, takt_duration_t window) {
    return takt_quotient_up(estimate * WHOLE, window);
}

static takt_duration_t window_with(const takt_change_t *change) {
    return window_of(change->period, change->relative_deadline);
}

/* A new wcet resets the estimate. */
static takt_duration_t estimate_with(const takt_rate_task_t *rate, const takt_change_t *change) {
    const takt_duration_t estimate = change->wcet != rate->wcet ? change->wcet : rate->estimate;
    return least_of(estimate, window_with(change));
}

/* A request for less than before is never rejected. */
static bool may_have(takt_rate_based_t *rates, const takt_rate_task_t *rate, const takt_change_t *change) {
    const uint64_t request = rate_for(estimate_with(rate, change), window_with(change));
    if (!is_hard(rate) || request <= rate->request) {
        return true;
    }
    rates->requested[TAKT_CLASS_HARD] += request - rate->request;
    const bool may = fits(rates);
    rates->requested[TAKT_CLASS_HARD] -= request - rate->request;
    return may;
}

static void ask(takt_rate_task_t *rate, takt_change_t *change) {
    rate->estimate = estimate_with(rate, change);
    rate->finished = change->wcet != rate->wcet ? 0u : rate->finished;
    rate->wcet = change->wcet;
    rate->window = window_with(change);
    if (class_of(rate) == TAKT_CLASS_NONE) {
        rate->weight = change->weight;
    } else {
        rate->request = rate_for(rate->estimate, rate->window);
    }
    rate->asked = change;
    rate->is_asking = true;
}

/* Of a task that is not there, or leaves, it is what it will ask for when it enters. */
static void rate_based_request(takt_task_t *task, takt_change_t *change, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    takt_rate_based_t *rates = rates_of(rate);
    if (rate->stage != TAKT_RATE_WAITING && rate->stage != TAKT_RATE_IN) {
        ask(rate, change);
        return;
    }
    if (!may_have(rates, rate, change)) {
        note(rate, TAKT_ALLOCATION_REJECTED, now);
        return;
    }
    discount(rates, rate);
    ask(rate, change);
    count(rates, rate);
    note(rate, TAKT_ALLOCATION_ADMITTED, now);
    divide(rates, now);
    if (rate->stage == TAKT_RATE_IN && is_at_boundary(rate, now)) {
        takt_allocator_arm_finish(task, now);
    }
}

static void exhaust(takt_rate_task_t *rate, takt_instant_t now) {
    if (is_hard(rate)) {
        note(rate, TAKT_ALLOCATION_OVERRUN, now);
        end_chunk(rate, now);
    } else if (rate->stage == TAKT_RATE_LEAVING || is_to_shrink(rate) || parameters_of(rate).budget == 0) {
        end_chunk(rate, now);
    } else {
        refill(rate, now);
    }
}

/* Several budgets are exhausted at once if a section has used them all. */
static void exhaust_all(takt_rate_task_t *rate, takt_instant_t now) {
    while (is_open(rate) && task_of(rate)->job.remaining == 0) {
        exhaust(rate, now);
    }
}

/* In a section a job continues without budget, as if it had one. */
static void lend(takt_rate_task_t *rate) {
    rate->now.budget += CREDIT - rate->credit;
    rate->credit = CREDIT;
    task_of(rate)->job.remaining = CREDIT;
}

/* Called when `rate` has freed its last resource: if it continued without budget, its budget is now exhausted. */
static void end_credit(takt_rate_task_t *rate) {
    if (rate->credit > 0) {
        rate->debt = rate->credit - task_of(rate)->job.remaining;
        rate->now.budget -= rate->credit;
        rate->credit = 0;
        task_of(rate)->job.remaining = 0;
    }
}

static void rate_based_exhaust(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    rate->fed_back++;
    if (rate->is_greedy) {
        note(rate, TAKT_ALLOCATION_FINISHED, now);
        rate_based_complete(task, now);
    } else if (is_holding(rate)) {
        lend(rate);
    } else {
        exhaust_all(rate, now);
    }
}

/* What counts for the ceiling of a resource as long as `rate` adopts nothing. */
static takt_key_t level_of(const takt_rate_task_t *rate) {
    return is_hard(rate) ? task_of(rate)->relative_deadline : task_of(rate)->job.level;
}

static void rate_based_lock(takt_task_t *task, takt_resource_t *resource) {
    takt_key_t ceiling = TAKT_KEY_LEAST_URGENT;
    const takt_rate_use_t *use = rates_of(takt_rate_task_of(task))->shares[resource->number].uses;
    for (; use != NULL; use = use->next_of_same) {
        if (use->user->stage >= TAKT_RATE_IN) {
            ceiling = least_of(ceiling, level_of(use->user));
        }
    }
    resource->ceiling = ceiling;
}

static bool rate_based_may_lock(const takt_task_t *task, const takt_resource_t *resource) {
    const takt_rate_use_t *use = takt_rate_task_of(task)->uses;
    while (use != NULL && use->resource != resource) {
        use = use->next;
    }
    return use != NULL;
}

static void rate_based_unlock(takt_task_t *task, const takt_resource_t *resource, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    takt_rate_based_t *rates = rates_of(rate);
    takt_rate_share_t *share = &rates->shares[resource->number];
    const bool may_move = !is_holding(rate) && rate->stage == TAKT_RATE_IN && changes_in_flight(rates);
    if (!is_holding(rate)) {
        end_credit(rate);
    }
    if (share->is_awaited || (may_move && rate->is_pending)) {
        share->is_awaited = false;
        rates->swept = rates->epoch - 1u; /* open windows that have to give up rate are checked again */
        takt_allocator_call(&rates->allocation, now);
    }
    if (may_move && now < rate->deadline && is_to_shrink(rate)) {
        takt_allocator_arm_finish(task, now);
    }
}

/* A job unfinished at its deadline has missed it; with refilled budgets, only if it has budget left. */
static void note_miss(takt_rate_task_t *rate) {
    const takt_task_t *task = task_of(rate);
    if (takt_task_is_active(task) && (is_hard(rate) || takt_rate_has_budget(rate, task->job.remaining))) {
        rate->is_late = true;
    }
}

/* Called when `rate` may change its rate. */
static void meet_boundary(takt_rate_task_t *rate, takt_instant_t instant) {
    const bool has_target = target_of(rate)->rate == rate->now.rate;
    if (TAKT_LIKELY(has_target && !rate->is_asking)) {
        return;
    }
    if (is_to_shrink(rate)) {
        take_target(rate, instant);
    } else if (is_to_grow(rate)) {
        pend(rate);
        takt_allocator_call(rate->extension.allocation, instant);
    } else if (rate->is_asking) {
        come_into_force(rate, instant);
    }
}

/* What a section executed before may be all of the budget with which a window begins, and more. */
TAKT_INLINE void begin_if_possible(takt_rate_task_t *rate, const takt_rate_target_t *parameters,
                                   takt_instant_t instant) {
    if (!is_enough(rate, parameters)) {
        pend(rate);
        return;
    }
    begin_window(rate, parameters, instant);
    if (TAKT_UNLIKELY(task_of(rate)->job.remaining == 0)) {
        exhaust_all(rate, instant);
    }
}

/* A release or a window is due; `parameters` are those of the window, NULL if they are not computed yet. */
TAKT_INLINE void start(takt_rate_task_t *rate, const takt_rate_target_t *parameters, takt_instant_t instant) {
    takt_task_t *task = task_of(rate);
    if (is_hard(rate) && instant >= rate->next_release) {
        task->waiting++;
        rate->next_release += rate->extension.period;
    }
    const bool continues = is_at_boundary(rate, instant) && (has_work(rate) || !is_hard(rate));
    if (continues) {
        const takt_rate_target_t known = parameters != NULL ? *parameters : parameters_of(rate);
        begin_if_possible(rate, &known, instant);
    }
    if (is_hard(rate)) {
        arm_start(rate, instant);
    }
}

static void rate_based_start(takt_task_t *task, takt_instant_t instant) {
    start(takt_rate_task_of(task), NULL, instant);
}

/* `rate` has requested to leave: it leaves unless its job is still served. */
static void finish_leaving(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = task_of(rate);
    if (!is_open(rate)) {
        takt_timers_remove(&task->entity->parent->timers, &task->extension->expiry);
        depart(rate, instant);
    }
}

/* The deadline has come. Where the finish timer stood for the start timer, that follows after all grants of the
 * instant, or at once if none of them can matter. */
static void end_window(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = task_of(rate);
    if (!is_open(rate)) {
        meet_boundary(rate, instant);
    }
    if (takt_timer_is_armed(&task->timer)) {
        return;
    }
    if (!is_open(rate) && !is_to_grow(rate)) {
        const takt_rate_target_t parameters = parameters_of(rate);
        if (is_enough(rate, &parameters)) {
            start(rate, &parameters, instant);
            return;
        }
    }
    takt_allocator_arm_start(task, instant);
}

/* Before its deadline `rate` is woken because it is not ahead of its share, or was not when the timer was armed. */
static void rate_based_finish(takt_task_t *task, takt_instant_t instant) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    if (instant >= rate->deadline) {
        note_miss(rate);
    } else {
        takt_allocator_arm_finish(task, rate->deadline);
    }
    if (rate->stage == TAKT_RATE_LEAVING) {
        finish_leaving(rate, instant);
    } else if (instant >= rate->deadline) {
        end_window(rate, instant);
    } else {
        shrink_in_flight(rate, instant);
    }
}

static void rate_based_stop(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    if (waits_to_shrink_in_flight(rate)) {
        takt_allocator_arm_finish(task, release_of_rate(rate, now));
    }
}

static void rate_based_timer(takt_allocation_t *allocation, takt_instant_t instant) {
    takt_rate_based_t *rates = TAKT_CONTAINER_OF(allocation, takt_rate_based_t, allocation);
    sweep(rates, instant);
    for (uint32_t task_class = 0; task_class < 3; task_class++) {
        shrink_pending(rates->pending[task_class], instant);
    }
    for (uint32_t task_class = 0; task_class < 3; task_class++) {
        grant_pending(rates->pending[task_class], instant);
    }
    takt_timers_remove(&allocation->dispatcher->root.timers, &allocation->timer);
}

static const takt_allocator_t rate_based_allocator = {
    .version = TAKT_ALLOCATOR_VERSION,
    .size = sizeof(takt_allocator_t),
    .name = "rate-based",
    .enter = rate_based_enter,
    .leave = rate_based_leave,
    .request = rate_based_request,
    .finish = rate_based_finish,
    .timer = rate_based_timer,
    .start = rate_based_start,
    .complete = rate_based_complete,
    .exhaust = rate_based_exhaust,
    .stop = rate_based_stop,
    .lock = rate_based_lock,
    .unlock = rate_based_unlock,
    .may_lock = rate_based_may_lock,
};

/* ---- the interface --------------------------------------------------------------------------------------- */

void takt_rate_based_init(takt_rate_based_t *rates, const takt_rate_settings_t *settings,
                          takt_dispatcher_t *dispatcher) {
    rates->settings.beta = settings->beta;
    rates->settings.sigma = settings->sigma;
    rates->settings.grid = settings->grid;
    rates->settings.rule = settings->rule;
    rates->settings.estimate_jobs = settings->estimate_jobs;
    rates->settings.has_formula = settings->has_formula;
    rates->settings.has_background = settings->has_background;
    rates->settings.has_compression = settings->has_compression;
    rates->settings.has_cuts = settings->has_cuts;
    takt_allocation_init(&rates->allocation, &rate_based_allocator, dispatcher);
}

static void append(takt_rate_based_t *rates, takt_rate_task_t *rate) {
    if (rates->last != NULL) {
        rates->last->next = rate;
    } else {
        rates->first = rate;
    }
    rates->last = rate;
}

void takt_rate_based_add(takt_rate_based_t *rates, takt_rate_task_t *rate, takt_task_t *task,
                         takt_entity_t *entity, const takt_task_parameters_t *parameters, uint64_t weight,
                         bool is_greedy) {
    rate->extension.allocation = &rates->allocation;
    rate->is_greedy = is_greedy;
    rate->wcet = parameters->wcet;
    rate->estimate = parameters->wcet;
    rate->window = window_of(parameters->period, parameters->relative_deadline);
    if (parameters->task_class == TAKT_CLASS_NONE) {
        rate->weight = weight;
    } else {
        rate->request = rate_for(rate->estimate, rate->window);
    }
    takt_dispatcher_add_task(task, entity, &rates->allocation.dispatcher->root, parameters);
    append(rates, rate);
}

void takt_rate_based_use(takt_rate_task_t *rate, takt_rate_use_t *use, takt_resource_t *resource) {
    takt_rate_share_t *share = &rates_of(rate)->shares[resource->number];
    use->resource = resource;
    use->user = rate;
    use->next = rate->uses;
    use->next_of_same = share->uses;
    rate->uses = use;
    share->uses = use;
}

/* ---- the policy ------------------------------------------------------------------------------------------- */

static void rate_based_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->deadline;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

/* Returns the length of the window as it began, see begin_window. */
static takt_key_t rate_based_level(const takt_job_t *job) { return job->level; }

const takt_policy_t takt_policy_rate_based = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "rate-based",
    .summary = "rates for hard, soft and other tasks, kept in a ledger: the earliest end of a window first",
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = rate_based_release,
    .level = rate_based_level,
    .traits = TAKT_POLICY_RATES,
};
