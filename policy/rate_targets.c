/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Admission and targets of the rate-based scheduler. Equations are numbered as in Springer and Zhao 2024; the integer
 * form is in SPEC.md, 10. */
#include "policy/rate_targets.h"

#include "core/wide.h"

#define WHOLE TAKT_RATE_WHOLE

/* ---- sums of admitted tasks ---------------------------------------------------------------------------- */

static void add_blocking(takt_rate_blocking_t *sum, const takt_rate_task_t *rate) {
    sum->longest = takt_later_of(sum->longest, rate->blocking.longest);
    sum->excess += rate->blocking.excess;
}

/* Removes `rate` from `sum`, which is of the tasks from waiting to `last`. */
static void remove_blocking(takt_rate_blocking_t *sum, const takt_rate_task_t *rate, takt_rate_stage_t last) {
    sum->excess -= rate->blocking.excess;
    if (rate->blocking.longest == 0 || rate->blocking.longest < sum->longest) {
        return;
    }
    sum->longest = 0;
    for (const takt_rate_task_t *other = takt_rate_based_of(rate)->first; other != NULL;
         other = other->next) {
        if (other->stage != TAKT_RATE_OUT && other->stage <= last) {
            sum->longest = takt_later_of(sum->longest, other->blocking.longest);
        }
    }
}

static void count(takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    rates->admitted[takt_rate_class_of(rate)]++;
    rates->requested[takt_rate_class_of(rate)] += rate->request;
    rates->weights += rate->weight;
    add_blocking(&rates->blocking, rate);
}

static void discount(takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    rates->admitted[takt_rate_class_of(rate)]--;
    rates->requested[takt_rate_class_of(rate)] -= rate->request;
    rates->weights -= rate->weight;
    remove_blocking(&rates->blocking, rate, TAKT_RATE_IN);
}

void takt_rate_free_blocking(takt_rate_task_t *rate) {
    remove_blocking(&takt_rate_based_of(rate)->blocking_there, rate, TAKT_RATE_LEAVING);
}

/* The part of the whole that `blocking`, the b of Baker's condition, takes, and the rest. */
static uint64_t taken_by(const takt_rate_blocking_t *blocking) {
    return blocking->longest + blocking->excess;
}

static uint64_t left_by(const takt_rate_blocking_t *blocking) {
    return WHOLE - takt_least_of(taken_by(blocking), WHOLE);
}

/* ---- the division of the whole --------------------------------------------------------------------------- */

/* Formula (3): none / (none + soft (1 + U_S)^2) (1 - U_H), rounded up. The counts are below 2^20 and U_S below
 * 2^20 wholes, so that the largest number, soft (whole + U_S)^2, is below 2^(20 + 90). */
static uint64_t formula(const takt_rate_based_t *rates) {
    const uint64_t none = rates->admitted[TAKT_CLASS_NONE] > 0 ? rates->admitted[TAKT_CLASS_NONE] : 1u;
    const uint64_t capacity = left_by(&rates->blocking);
    const uint64_t hard = takt_least_of(rates->requested[TAKT_CLASS_HARD], capacity);
    const uint64_t stretched = WHOLE + rates->requested[TAKT_CLASS_SOFT];
    const takt_wide_t own = takt_wide_times(takt_wide_product(WHOLE, WHOLE), none);
    const takt_wide_t others =
        takt_wide_times(takt_wide_product(stretched, stretched), rates->admitted[TAKT_CLASS_SOFT]);
    const takt_wide_t divisor = takt_wide_plus(own, others);
    const takt_wide_t last = takt_wide_minus(divisor, (takt_wide_t){0, 1});
    return takt_wide_quotient(takt_wide_plus(takt_wide_times(own, capacity - hard), last), divisor);
}

static uint64_t beta_of(const takt_rate_based_t *rates) {
    return rates->settings.has_formula ? formula(rates) : rates->settings.beta;
}

/* Called after the sums have changed: equations (4) and (5). */
static void divide(takt_rate_based_t *rates, takt_instant_t now) {
    const uint64_t beta = rates->admitted[TAKT_CLASS_NONE] > 0 ? beta_of(rates) : 0u;
    const uint64_t hard = rates->requested[TAKT_CLASS_HARD];
    const uint64_t capacity = left_by(&rates->blocking);
    const uint64_t left = hard + beta < capacity ? capacity - hard - beta : 0u;
    rates->soft = takt_least_of(rates->requested[TAKT_CLASS_SOFT], left);
    rates->none = capacity - hard - rates->soft;
    rates->epoch++;
    takt_allocator_call(&rates->allocation, now);
}

/* ---- requests --------------------------------------------------------------------------------------------- */

/* Returns the rate of a hard or soft task. */
static uint64_t rate_for(takt_duration_t estimate, takt_duration_t window) {
    return takt_quotient_up(estimate * WHOLE, window);
}

void takt_rate_set_request(takt_rate_task_t *rate, takt_duration_t estimate, takt_duration_t window,
                           uint64_t weight) {
    rate->estimate = estimate;
    rate->window = window;
    if (takt_rate_class_of(rate) == TAKT_CLASS_NONE) {
        rate->weight = weight;
    } else {
        rate->request = rate_for(estimate, window);
    }
}

/* True if hard tasks fit; beta is kept free even while there is no best-effort task. */
static bool fits(const takt_rate_based_t *rates) {
    const uint64_t hard = rates->requested[TAKT_CLASS_HARD];
    return hard + beta_of(rates) + rates->settings.sigma + taken_by(&rates->blocking) <= WHOLE;
}

/* A task that is not hard is rejected only if it would lengthen blocking. */
bool takt_rate_admit(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    const uint64_t before = taken_by(&rates->blocking);
    count(rates, rate);
    if ((takt_rate_is_hard(rate) || taken_by(&rates->blocking) != before) && !fits(rates)) {
        discount(rates, rate);
        return false;
    }
    add_blocking(&rates->blocking_there, rate);
    divide(rates, now);
    return true;
}

void takt_rate_withdraw(takt_rate_task_t *rate, takt_instant_t now) {
    discount(takt_rate_based_of(rate), rate);
    divide(takt_rate_based_of(rate), now);
}

static takt_duration_t window_with(const takt_change_t *change) {
    return takt_least_of(change->period, change->relative_deadline);
}

/* A new wcet resets the estimate. */
static takt_duration_t estimate_with(const takt_rate_task_t *rate, const takt_change_t *change) {
    const takt_duration_t estimate = change->wcet != rate->wcet ? change->wcet : rate->estimate;
    return takt_least_of(estimate, window_with(change));
}

/* A request for less than before is never rejected. */
static bool may_have(takt_rate_based_t *rates, const takt_rate_task_t *rate, const takt_change_t *change) {
    const uint64_t request = rate_for(estimate_with(rate, change), window_with(change));
    if (!takt_rate_is_hard(rate) || request <= rate->request) {
        return true;
    }
    rates->requested[TAKT_CLASS_HARD] += request - rate->request;
    const bool may = fits(rates);
    rates->requested[TAKT_CLASS_HARD] -= request - rate->request;
    return may;
}

static void ask(takt_rate_task_t *rate, takt_change_t *change) {
    takt_rate_set_request(rate, estimate_with(rate, change), window_with(change), change->weight);
    rate->finished = change->wcet != rate->wcet ? 0u : rate->finished;
    rate->wcet = change->wcet;
    rate->asked = change;
    rate->is_asking = true;
}

bool takt_rate_request_parameters(takt_rate_task_t *rate, takt_change_t *change, takt_instant_t now) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    if (!takt_rate_is_admitted(rate)) {
        ask(rate, change);
        return true;
    }
    if (!may_have(rates, rate, change)) {
        return false;
    }
    discount(rates, rate);
    ask(rate, change);
    count(rates, rate);
    divide(rates, now);
    return true;
}

/* ---- estimates -------------------------------------------------------------------------------------------- */

/* Returns the largest execution time of the last jobs; 0 if there were too few. */
static takt_duration_t largest_of_latest(const takt_rate_task_t *rate) {
    const uint32_t count = takt_rate_based_of(rate)->settings.estimate_jobs;
    takt_duration_t largest = 0;
    for (uint32_t i = 1; i <= count && i <= rate->finished; i++) {
        const takt_duration_t executed = rate->latest[(rate->finished - i) & (TAKT_RATE_JOBS - 1u)];
        largest = executed > largest ? executed : largest;
    }
    return rate->finished >= count ? largest : 0u;
}

static void set_estimate(takt_rate_task_t *rate, takt_duration_t estimate, takt_instant_t now) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    const uint64_t before = rate->request;
    rate->estimate = estimate;
    rate->request = rate_for(estimate, rate->window);
    if (takt_rate_is_admitted(rate)) {
        rates->requested[TAKT_CLASS_SOFT] += rate->request - before;
        divide(rates, now);
    }
}

void takt_rate_adapt(takt_rate_task_t *rate, takt_duration_t executed, takt_instant_t now) {
    rate->latest[rate->finished & (TAKT_RATE_JOBS - 1u)] = executed;
    rate->finished = rate->finished + 1u != 2u * TAKT_RATE_JOBS ? rate->finished + 1u : TAKT_RATE_JOBS;
    takt_duration_t estimate = largest_of_latest(rate);
    if (estimate == 0) {
        estimate = takt_later_of(rate->estimate, executed);
    }
    estimate = takt_least_of(estimate, rate->window);
    if (estimate != rate->estimate) {
        set_estimate(rate, estimate, now);
    }
}

/* ---- targets ---------------------------------------------------------------------------------------------- */

static takt_rate_target_t make_target(uint64_t rate, takt_duration_t budget, takt_duration_t period) {
    return (takt_rate_target_t){rate, budget, period};
}

/* Equations (6) and (7). */
static takt_rate_target_t soft_target(const takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    const uint64_t requested = rates->requested[TAKT_CLASS_SOFT];
    const takt_duration_t grid = rates->settings.grid;
    if (rates->soft == requested) {
        return make_target(rate->request, rate->estimate, rate->window);
    }
    const uint64_t given = takt_quotient(rate->request * rates->soft, requested);
    if (given == 0) {
        return (takt_rate_target_t){0};
    }
    const takt_duration_t period = takt_quotient_up(rate->estimate * WHOLE, given);
    return make_target(given, rate->estimate, takt_quotient_up(period, grid) * grid);
}

/* Equations (13) and (14). */
static takt_rate_target_t none_target(const takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    const takt_duration_t period = rate->window;
    const uint64_t given = takt_quotient(rates->none * rate->weight, rates->weights);
    if (given == 0) {
        return (takt_rate_target_t){0};
    }
    const takt_duration_t budget = takt_quotient(given * period, WHOLE);
    return budget > 0 ? make_target(given, budget, period)
                      : make_target(given, 1, takt_quotient_up(WHOLE, given));
}

static takt_rate_target_t compute_target(const takt_rate_based_t *rates, const takt_rate_task_t *rate) {
    if (takt_rate_is_hard(rate)) {
        return make_target(rate->request, rate->estimate, rate->window);
    }
    return takt_rate_class_of(rate) == TAKT_CLASS_SOFT ? soft_target(rates, rate) : none_target(rates, rate);
}

TAKT_RARE void takt_rate_renew_target(takt_rate_task_t *rate) {
    const takt_rate_based_t *rates = takt_rate_based_of(rate);
    rate->target = compute_target(rates, rate);
    rate->epoch = rates->epoch;
}

/* True if no other job holds a resource of `rate` whose ceiling its level would pass with `target`. Once the resource
 * that prevents this is unlocked, waiting tasks are checked again. */
TAKT_RARE bool takt_rate_is_below_ceilings(const takt_rate_task_t *rate, const takt_rate_target_t *target) {
    const takt_task_t *task = rate->extension.task;
    const takt_key_t level = takt_rate_is_hard(rate) ? task->relative_deadline : target->period;
    bool is_below = true;
    for (const takt_rate_use_t *use = rate->uses; use != NULL; use = use->next) {
        const takt_entity_t *holder = use->resource->holder;
        if (holder != NULL && holder != task->entity && level < use->resource->ceiling) {
            takt_rate_based_of(rate)->shares[use->resource->number].is_awaited = true;
            is_below = false;
        }
    }
    return is_below;
}

bool takt_rate_may_grow(takt_rate_task_t *rate) {
    const takt_rate_based_t *rates = takt_rate_based_of(rate);
    const takt_rate_target_t *target = takt_rate_target_of(rate);
    return target->rate > rate->now.rate &&
           rates->reserved - rate->now.rate + target->rate <= left_by(&rates->blocking_there) &&
           takt_rate_may_adopt(rate, target);
}

TAKT_RARE takt_rate_target_t takt_rate_parameters_as_before(const takt_rate_task_t *rate) {
    const bool is_none = takt_rate_class_of(rate) == TAKT_CLASS_NONE;
    const uint64_t given = rate->now.rate * rate->now.period;
    return make_target(rate->now.rate, is_none ? takt_quotient(given, WHOLE) : rate->now.budget,
                       rate->now.period);
}
