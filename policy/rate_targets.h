/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Targets of the rate-based scheduler: the rate, budget and period that each task may have. A part of rate_based.c,
 * which alone includes it. */
#ifndef TAKT_POLICY_RATE_TARGETS_H
#define TAKT_POLICY_RATE_TARGETS_H

#include "core/wide.h"
#include "policy/rate_based.h"

#define WHOLE TAKT_RATE_WHOLE

/* Deadlines are below this; background work, with this added to them, comes after all of them. */
#define LATEST (UINT64_C(1) << 62)

/* Shares are kept between this and its negative. At the lower end a task counts as ahead to its deadline, which
 * is safe; no window without refills comes near either. */
#define SHARE_LIMIT ((INT64_C(1) << 62) - 1)

/* What a section may execute beyond its budget until it is asked again. */
#define CREDIT TAKT_RATE_LONGEST

static takt_rate_based_t *rates_of(const takt_rate_task_t *rate) {
    return TAKT_CONTAINER_OF(rate->extension.allocation, takt_rate_based_t, allocation);
}

static takt_task_t *task_of(const takt_rate_task_t *rate) { return rate->extension.task; }

static takt_task_class_t class_of(const takt_rate_task_t *rate) {
    return (takt_task_class_t)task_of(rate)->job.task_class;
}

static bool is_hard(const takt_rate_task_t *rate) { return class_of(rate) == TAKT_CLASS_HARD; }

static bool is_naive(const takt_rate_task_t *rate) {
    return rates_of(rate)->settings.rule == TAKT_RATE_NAIVE;
}

static bool is_open(const takt_rate_task_t *rate) { return takt_task_is_open(task_of(rate)); }

/* True if no window is open. */
static bool is_at_boundary(const takt_rate_task_t *rate, takt_instant_t now) {
    return !is_open(rate) && now >= rate->deadline;
}

static takt_instant_t later_of(takt_instant_t a, takt_instant_t b) { return a > b ? a : b; }

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void note(const takt_rate_task_t *rate, takt_allocation_event_t event, takt_instant_t now) {
    takt_allocator_note(task_of(rate), event, now, rate->now.rate);
}

/* ---- targets -------------------------------------------------------------------------------------- */

/* The part of the whole that `blocking`, the b of Baker's condition, takes, and the rest. */
static uint64_t taken_by(const takt_rate_blocking_t *blocking) {
    return blocking->longest + blocking->excess;
}

static uint64_t left_by(const takt_rate_blocking_t *blocking) {
    return WHOLE - least_of(taken_by(blocking), WHOLE);
}

/* Formula (3): none / (none + soft (1 + U_S)^2) (1 - U_H), rounded up. The counts are below 2^20 and U_S below
 * 2^20 wholes, so that the largest number, soft (whole + U_S)^2, is below 2^(20 + 90). */
static uint64_t formula(const takt_rate_based_t *rates) {
    const uint64_t none = rates->admitted[TAKT_CLASS_NONE] > 0 ? rates->admitted[TAKT_CLASS_NONE] : 1u;
    const uint64_t capacity = left_by(&rates->blocking);
    const uint64_t hard = least_of(rates->requested[TAKT_CLASS_HARD], capacity);
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

/* Called after a task was admitted or requested to leave: equations (4) and (5). */
static void divide(takt_rate_based_t *rates, takt_instant_t now) {
    const uint64_t beta = rates->admitted[TAKT_CLASS_NONE] > 0 ? beta_of(rates) : 0u;
    const uint64_t hard = rates->requested[TAKT_CLASS_HARD];
    const uint64_t capacity = left_by(&rates->blocking);
    const uint64_t left = hard + beta < capacity ? capacity - hard - beta : 0u;
    rates->soft = least_of(rates->requested[TAKT_CLASS_SOFT], left);
    rates->none = capacity - hard - rates->soft;
    rates->epoch++;
    takt_allocator_call(&rates->allocation, now);
}

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
    if (is_hard(rate)) {
        return make_target(rate->request, rate->estimate, rate->window);
    }
    return class_of(rate) == TAKT_CLASS_SOFT ? soft_target(rates, rate) : none_target(rates, rate);
}

/* Returns the target of `rate`, which is admitted. */
TAKT_RARE static void renew_target(takt_rate_task_t *rate) {
    const takt_rate_based_t *rates = rates_of(rate);
    rate->target = compute_target(rates, rate);
    rate->epoch = rates->epoch;
}

TAKT_INLINE const takt_rate_target_t *target_of(takt_rate_task_t *rate) {
    if (TAKT_UNLIKELY(rate->epoch != rates_of(rate)->epoch)) {
        renew_target(rate);
    }
    return &rate->target;
}

static bool is_to_grow(takt_rate_task_t *rate) { return target_of(rate)->rate > rate->now.rate; }

/* True if no other job holds a resource of `rate` whose ceiling its level would pass with `target`. Once the resource
 * that prevents this is unlocked, waiting tasks are checked again. */
TAKT_RARE static bool is_below_ceilings(const takt_rate_task_t *rate, const takt_rate_target_t *target) {
    const takt_key_t level = is_hard(rate) ? task_of(rate)->relative_deadline : target->period;
    bool is_below = true;
    for (const takt_rate_use_t *use = rate->uses; use != NULL; use = use->next) {
        const takt_entity_t *holder = use->resource->holder;
        if (holder != NULL && holder != task_of(rate)->entity && level < use->resource->ceiling) {
            rates_of(rate)->shares[use->resource->number].is_awaited = true;
            is_below = false;
        }
    }
    return is_below;
}

/* True if `rate` may adopt `target` without passing a ceiling. Otherwise several holders, each of which had started
 * below the ceilings of that time, could block it one after the other. */
TAKT_INLINE bool may_adopt(const takt_rate_task_t *rate, const takt_rate_target_t *target) {
    return TAKT_LIKELY(rate->uses == NULL) || target->rate == 0 || is_below_ceilings(rate, target);
}

TAKT_INLINE bool is_to_shrink(takt_rate_task_t *rate) {
    const takt_rate_target_t *target = target_of(rate);
    return target->rate < rate->now.rate && may_adopt(rate, target);
}

static bool is_holding(const takt_rate_task_t *rate) { return rate->extension.held != NULL; }

TAKT_RARE static takt_rate_target_t parameters_as_before(const takt_rate_task_t *rate) {
    const bool is_none = class_of(rate) == TAKT_CLASS_NONE;
    const uint64_t given = rate->now.rate * rate->now.period;
    return make_target(rate->now.rate, is_none ? takt_quotient(given, WHOLE) : rate->now.budget,
                       rate->now.period);
}

/* Returns budget and period of a window that begins: those of the target if the rate is available. */
TAKT_INLINE takt_rate_target_t parameters_of(takt_rate_task_t *rate) {
    const takt_rate_target_t *target = target_of(rate);
    if (TAKT_LIKELY(target->rate <= rate->now.rate && may_adopt(rate, target))) {
        return *target;
    }
    return parameters_as_before(rate);
}

/* True if a window of `rate` can begin with `parameters`. */
static bool is_enough(const takt_rate_task_t *rate, const takt_rate_target_t *parameters) {
    return rate->now.rate > 0 && parameters->budget > 0;
}

#endif
