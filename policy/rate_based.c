/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rate-based scheduler of rate_based.h. What the equations call x, phi, u, C, P and d is served, share, rate,
 * budget, period and deadline here. */
#include "policy/rate_based.h"

#include "policy/rate_ledger.h"
#include "policy/rate_targets.h"
#include "policy/rate_windows.h"
#include "policy/table.h"

/* What a section may execute beyond its budget until it is asked again. */
#define CREDIT TAKT_RATE_LONGEST

/* ---- entry, exit and requests --------------------------------------------------------------------------- */

static void rate_based_enter(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    if (takt_rate_is_admitted(rate)) {
        return;
    }
    if (rate->stage == TAKT_RATE_LEAVING || takt_rate_has_work(rate) || !takt_rate_admit(rate, now)) {
        takt_rate_note(rate, TAKT_ALLOCATION_REJECTED, now);
        return;
    }
    rate->stage = TAKT_RATE_WAITING;
    takt_rate_note(rate, TAKT_ALLOCATION_ADMITTED, now);
    takt_rate_pend(rate);
}

static void rate_based_leave(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    if (!takt_rate_is_admitted(rate)) {
        return;
    }
    rate->stage = TAKT_RATE_LEAVING;
    takt_rate_end_pending(rate);
    takt_timers_remove(&task->entity->parent->timers, &task->timer);
    if (!takt_rate_is_open(rate)) {
        takt_rate_arm_release(rate, now);
    }
    takt_rate_withdraw(rate, now);
}

static void rate_based_request(takt_task_t *task, takt_change_t *change, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    const bool is_granted = takt_rate_request_parameters(rate, change, now);
    if (takt_rate_is_admitted(rate)) {
        takt_rate_note(rate, is_granted ? TAKT_ALLOCATION_ADMITTED : TAKT_ALLOCATION_REJECTED, now);
    }
    if (is_granted && rate->stage == TAKT_RATE_IN && takt_rate_is_at_boundary(rate, now)) {
        takt_allocator_arm_finish(task, now);
    }
}

/* ---- budgets -------------------------------------------------------------------------------------------- */

static void exhaust(takt_rate_task_t *rate, takt_instant_t now) {
    if (takt_rate_is_hard(rate)) {
        takt_rate_note(rate, TAKT_ALLOCATION_OVERRUN, now);
        takt_rate_end_chunk(rate, now);
    } else if (rate->stage == TAKT_RATE_LEAVING || takt_rate_is_to_shrink(rate) ||
               !takt_rate_refill_window(rate, now)) {
        takt_rate_end_chunk(rate, now);
    } else if (TAKT_UNLIKELY(rate->is_asking) && !takt_rate_is_to_grow(rate)) {
        takt_rate_come_into_force(rate, now);
    }
}

/* Several budgets are exhausted at once if a section has used them all. */
static void exhaust_all(takt_rate_task_t *rate, takt_instant_t now) {
    while (takt_rate_is_open(rate) && rate->extension.task->job.remaining == 0) {
        exhaust(rate, now);
    }
}

/* In a section a job continues without budget, as if it had one. */
static void lend(takt_rate_task_t *rate) {
    rate->now.budget += CREDIT - rate->credit;
    rate->credit = CREDIT;
    rate->extension.task->job.remaining = CREDIT;
}

/* Called when `rate` has freed its last resource: if it continued without budget, its budget is now exhausted. */
static void end_credit(takt_rate_task_t *rate) {
    if (rate->credit > 0) {
        rate->debt = rate->credit - rate->extension.task->job.remaining;
        rate->now.budget -= rate->credit;
        rate->credit = 0;
        rate->extension.task->job.remaining = 0;
    }
}

static void rate_based_exhaust(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    rate->fed_back++;
    if (rate->is_greedy) {
        takt_rate_note(rate, TAKT_ALLOCATION_FINISHED, now);
        takt_rate_complete(task, now);
    } else if (takt_rate_is_holding(rate)) {
        lend(rate);
    } else {
        exhaust_all(rate, now);
    }
}

/* ---- sections ------------------------------------------------------------------------------------------- */

/* What counts for the ceiling of a resource as long as `rate` adopts nothing. */
static takt_key_t level_of(const takt_rate_task_t *rate) {
    return takt_rate_is_hard(rate) ? rate->extension.task->relative_deadline
                                   : rate->extension.task->job.level;
}

static void rate_based_lock(takt_task_t *task, takt_resource_t *resource) {
    takt_key_t ceiling = TAKT_KEY_LEAST_URGENT;
    const takt_rate_use_t *use = takt_rate_based_of(takt_rate_task_of(task))->shares[resource->number].uses;
    for (; use != NULL; use = use->next_of_same) {
        if (use->user->stage >= TAKT_RATE_IN) {
            ceiling = takt_least_of(ceiling, level_of(use->user));
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
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    takt_rate_share_t *share = &rates->shares[resource->number];
    const bool may_move =
        !takt_rate_is_holding(rate) && rate->stage == TAKT_RATE_IN && takt_rate_changes_in_flight(rates);
    if (!takt_rate_is_holding(rate)) {
        end_credit(rate);
    }
    if (share->is_awaited || (may_move && rate->is_pending)) {
        share->is_awaited = false;
        rates->swept = rates->epoch - 1u; /* open windows that have to give up rate are checked again */
        takt_allocator_call(&rates->allocation, now);
    }
    if (may_move && now < rate->deadline && takt_rate_is_to_shrink(rate)) {
        takt_allocator_arm_finish(task, now);
    }
}

/* ---- starts and ends of windows ------------------------------------------------------------------------- */

/* A job unfinished at its deadline has missed it; with refilled budgets, only if it has budget left. */
static void note_miss(takt_rate_task_t *rate) {
    const takt_task_t *task = rate->extension.task;
    if (takt_task_is_active(task) &&
        (takt_rate_is_hard(rate) || takt_rate_has_budget(rate, task->job.remaining))) {
        rate->is_late = true;
    }
}

/* True if a window of `rate` can begin with `parameters`. */
static bool is_enough(const takt_rate_task_t *rate, const takt_rate_target_t *parameters) {
    return rate->now.rate > 0 && parameters->budget > 0;
}

/* What a section executed before may be all of the budget with which a window begins, and more. */
TAKT_INLINE void begin_if_possible(takt_rate_task_t *rate, const takt_rate_target_t *parameters,
                                   takt_instant_t instant) {
    if (!is_enough(rate, parameters)) {
        takt_rate_pend(rate);
        return;
    }
    if (rate->is_pending && !takt_rate_may_wait_in_flight(rate)) {
        takt_rate_end_pending(rate);
    }
    takt_rate_begin_window(rate, parameters->budget, parameters->period, instant);
    if (TAKT_UNLIKELY(rate->extension.task->job.remaining == 0)) {
        exhaust_all(rate, instant);
    }
}

/* A release or a window is due; `parameters` are those of the window, NULL if they are not computed yet. */
TAKT_INLINE void start(takt_rate_task_t *rate, const takt_rate_target_t *parameters, takt_instant_t instant) {
    takt_task_t *task = rate->extension.task;
    if (takt_rate_is_hard(rate) && instant >= rate->next_release) {
        task->waiting++;
        rate->next_release += rate->extension.period;
    }
    const bool continues =
        takt_rate_is_at_boundary(rate, instant) && (takt_rate_has_work(rate) || !takt_rate_is_hard(rate));
    if (continues) {
        const takt_rate_target_t known = parameters != NULL ? *parameters : takt_rate_parameters_of(rate);
        begin_if_possible(rate, &known, instant);
    }
    if (takt_rate_is_hard(rate)) {
        takt_rate_arm_start(rate, instant);
    }
}

static void rate_based_start(takt_task_t *task, takt_instant_t instant) {
    start(takt_rate_task_of(task), NULL, instant);
}

/* `rate` has requested to leave: it leaves unless its job is still served. */
static void finish_leaving(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = rate->extension.task;
    if (!takt_rate_is_open(rate)) {
        takt_timers_remove(&task->entity->parent->timers, &task->extension->expiry);
        takt_rate_depart(rate, instant);
    }
}

/* The deadline has come. Where the finish timer stood for the start timer, that follows after all grants of the
 * instant, or at once if none of them can matter. */
static void end_window(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = rate->extension.task;
    if (!takt_rate_is_open(rate) && TAKT_UNLIKELY(rate->is_asking || !takt_rate_has_target(rate))) {
        takt_rate_meet_boundary(rate, instant);
    }
    if (takt_timer_is_armed(&task->timer)) {
        return;
    }
    if (!takt_rate_is_open(rate) && !takt_rate_is_to_grow(rate)) {
        const takt_rate_target_t parameters = takt_rate_parameters_of(rate);
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
        takt_rate_shrink_in_flight(rate, instant);
    }
}

static void rate_based_timer(takt_allocation_t *allocation, takt_instant_t instant) {
    takt_rate_based_t *rates = TAKT_CONTAINER_OF(allocation, takt_rate_based_t, allocation);
    takt_rate_grant_all(rates, instant);
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
    .complete = takt_rate_complete,
    .exhaust = rate_based_exhaust,
    .stop = takt_rate_stop,
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
    takt_dispatcher_add_task(task, entity, &rates->allocation.dispatcher->root, parameters);
    takt_rate_set_request(rate, parameters->wcet,
                          takt_least_of(parameters->period, parameters->relative_deadline), weight);
    append(rates, rate);
}

void takt_rate_based_use(takt_rate_task_t *rate, takt_rate_use_t *use, takt_resource_t *resource) {
    takt_rate_share_t *share = &takt_rate_based_of(rate)->shares[resource->number];
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

/* Returns the length of the window as it began, see takt_rate_begin_window. */
static takt_key_t rate_based_level(const takt_job_t *job) { return job->level; }

const takt_policy_t takt_policy_rate_based = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "rate-based",
    .summary = TAKT_POLICY_LINE(
        "rates for hard, soft and other tasks, kept in a ledger: the earliest end of a window first"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = rate_based_release,
    .level = rate_based_level,
    .traits = TAKT_POLICY_RATES,
};
