/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Windows of the rate-based scheduler: shares of time, tasks that wait for rate, requested parameters, windows of
 * jobs. A part of rate_based.c, which alone includes it. */
#ifndef TAKT_POLICY_RATE_WINDOWS_H
#define TAKT_POLICY_RATE_WINDOWS_H

#include "policy/rate_targets.h"

/* ---- shares ---------------------------------------------------------------------------------------- */

/* Budgets are at most TAKT_RATE_LONGEST, so that this is below 2^62. */
static int64_t in_shares(takt_duration_t ticks) { return (int64_t)(ticks * WHOLE); }

static int64_t limited(int64_t share) {
    const int64_t raised = share > -SHARE_LIMIT ? share : -SHARE_LIMIT;
    return raised < SHARE_LIMIT ? raised : SHARE_LIMIT;
}

/* Returns what was charged to the budget. */
static takt_duration_t charged(const takt_rate_task_t *rate) {
    return rate->now.budget - task_of(rate)->job.remaining;
}

static takt_duration_t served(const takt_rate_task_t *rate) { return charged(rate) + rate->debt; }

/* Returns the rest of a new budget: a section may have used a part of it, or all, before. */
static takt_duration_t pay_back(takt_rate_task_t *rate, takt_duration_t budget) {
    if (TAKT_LIKELY(rate->debt == 0)) {
        return budget;
    }
    const takt_duration_t paid = least_of(rate->debt, budget);
    rate->debt -= paid;
    return budget - paid;
}

static int64_t gained(const takt_rate_task_t *rate, takt_instant_t until) {
    if (until <= rate->share_at || rate->share == -SHARE_LIMIT) {
        return 0;
    }
    const takt_wide_t product = takt_wide_product(rate->now.rate, until - rate->share_at);
    return product.high == 0 ? (int64_t)least_of(product.low, (uint64_t)SHARE_LIMIT) : SHARE_LIMIT;
}

/* Updates the share to `now`; it is constant from the deadline on. */
static void account_share(takt_rate_task_t *rate, takt_instant_t now) {
    rate->share = limited(rate->share + gained(rate, least_of(now, rate->deadline)));
    rate->share_at = now;
}

/* Returns the first instant from `now` on at which `rate`, if it does not run, is not ahead of its share. */
static takt_instant_t catches_up_at(takt_rate_task_t *rate, takt_instant_t now) {
    account_share(rate, now);
    const int64_t ahead = in_shares(served(rate)) - rate->share;
    if (ahead <= 0) {
        return now;
    }
    if (rate->share == -SHARE_LIMIT || rate->now.rate == 0) {
        return LATEST;
    }
    return now + takt_quotient_up((uint64_t)ahead, rate->now.rate);
}

/* Returns when `rate`, which does not run, may give up its rate. */
static takt_instant_t release_of_rate(takt_rate_task_t *rate, takt_instant_t now) {
    const takt_instant_t instant = is_naive(rate) ? now : catches_up_at(rate, now);
    return later_of(now, least_of(instant, rate->deadline));
}

/* ---- tasks that wait for rate ------------------------------------------------------------------------ */

/* Inserts in file order; the last task in this order, the usual case at equal instants, is appended in O(1). */
static void pend(takt_rate_task_t *rate) {
    takt_rate_based_t *rates = rates_of(rate);
    takt_rate_task_t *last = rates->last_pending[class_of(rate)];
    takt_rate_task_t **link = &rates->pending[class_of(rate)];
    if (rate->is_pending) {
        return;
    }
    if (last != NULL &&
        takt_entity_number(task_of(last)->entity) < takt_entity_number(task_of(rate)->entity)) {
        link = &last->next_pending;
    }
    while (*link != NULL &&
           takt_entity_number(task_of(*link)->entity) < takt_entity_number(task_of(rate)->entity)) {
        link = &(*link)->next_pending;
    }
    rate->next_pending = *link;
    *link = rate;
    rate->is_pending = true;
    if (rate->next_pending == NULL) {
        rates->last_pending[class_of(rate)] = rate;
    }
}

static void end_pending(takt_rate_task_t *rate) {
    takt_rate_based_t *rates = rates_of(rate);
    takt_rate_task_t **link = &rates->pending[class_of(rate)];
    takt_rate_task_t *before = NULL;
    if (!rate->is_pending) {
        return;
    }
    while (*link != rate) {
        before = *link;
        link = &before->next_pending;
    }
    *link = rate->next_pending;
    rate->is_pending = false;
    if (rate->next_pending == NULL) {
        rates->last_pending[class_of(rate)] = before;
    }
}

/* ---- requested parameters ----------------------------------------------------------------------------- */

static bool has_work(const takt_rate_task_t *rate) {
    return takt_task_is_active(task_of(rate)) || task_of(rate)->waiting > 0;
}

/* Puts the parameters that `rate` requested in force for jobs released from now on. */
TAKT_RARE static void hand_over(takt_rate_task_t *rate, takt_instant_t now) {
    takt_task_t *task = task_of(rate);
    rate->is_asking = false;
    takt_change_hand_over(task, rate->asked, now);
    rate->extension.period = rate->asked->period;
    if (!has_work(rate)) {
        takt_change_adopt(task, now);
    }
}

/* The rate of `rate` has become that of its target; a hard task has no window open. */
TAKT_RARE static void come_into_force(takt_rate_task_t *rate, takt_instant_t now) {
    hand_over(rate, now);
    if (is_hard(rate)) {
        rate->now.budget = rate->estimate;
        rate->now.period = rate->window;
    }
    note(rate, TAKT_ALLOCATION_CHANGED, now);
}

/* ---- windows ------------------------------------------------------------------------------------------ */

static void disarm_start(takt_task_t *task) {
    if (takt_timer_is_armed(&task->timer)) {
        takt_timers_remove(&task->entity->parent->timers, &task->timer);
    }
}

/* At `instant` a release is due, or a window that work waits for. A finish timer that comes then stands for the
 * start timer too, so that most windows need one timer. */
static void start_at(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = task_of(rate);
    const takt_timer_t *finish = &rate->extension.expiry;
    if (takt_timer_is_armed(finish) && finish->instant == instant) {
        disarm_start(task);
    } else {
        takt_allocator_arm_start(task, instant);
    }
}

static void arm_start(takt_rate_task_t *rate, takt_instant_t now) {
    const bool waits = is_hard(rate) && has_work(rate) && !is_open(rate);
    const takt_instant_t instant = waits ? least_of(rate->deadline, rate->next_release) : rate->next_release;
    start_at(rate, later_of(now, instant));
}

/* The window of the current job ends at `deadline`, where a soft or none task begins the next one. */
static void set_deadline(takt_rate_task_t *rate, takt_instant_t deadline) {
    rate->deadline = least_of(deadline, LATEST - 1u);
    takt_allocator_arm_finish(task_of(rate), rate->deadline);
    if (!is_hard(rate)) {
        rate->next_release = rate->deadline;
        disarm_start(task_of(rate));
    }
}

static void begin_job(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = task_of(rate);
    takt_instant_t release = instant;
    if (is_hard(rate)) {
        release = takt_rate_first_waiting(rate);
        task->waiting--;
    }
    if (TAKT_UNLIKELY(rate->extension.behind != NULL)) {
        takt_change_adopt(task, release);
    }
    rate->is_late = false;
    rate->executed =
        0u - rate->debt; /* which will be charged to this job, and was executed by the one before */
    takt_allocator_begin_job(task, release);
}

/* Whether `rate` may get more rate before its boundary, and so keeps waiting for it. */
static bool may_wait_in_flight(takt_rate_task_t *rate) {
    return rates_of(rate)->settings.has_compression && class_of(rate) == TAKT_CLASS_SOFT && is_to_grow(rate);
}

/* Gives the oldest job a budget and a window; a hard job that overran gets a whole period, which is never less than
 * the window of its target, if that comes into force too late. */
TAKT_INLINE void begin_window(takt_rate_task_t *rate, const takt_rate_target_t *parameters,
                              takt_instant_t instant) {
    takt_task_t *task = task_of(rate);
    const bool is_overrun = is_hard(rate) && takt_task_is_active(task);
    rate->begun++;
    rate->executed += charged(rate);
    rate->now.budget = parameters->budget;
    rate->now.period = parameters->period;
    rate->share = 0;
    rate->share_at = instant;
    if (rate->is_pending && !may_wait_in_flight(rate)) {
        end_pending(rate);
    }
    if (!takt_task_is_active(task)) {
        begin_job(rate, instant);
    }
    task->job.level = is_overrun ? later_of(rate->extension.period, parameters->period) : parameters->period;
    set_deadline(rate, instant + task->job.level);
    takt_allocator_open(task, rate->deadline, pay_back(rate, parameters->budget), instant);
}

/* A new budget and a later deadline; the lag is kept. */
static void refill(takt_rate_task_t *rate, takt_instant_t now) {
    const takt_rate_target_t parameters = parameters_of(rate);
    account_share(rate, now);
    rate->share = limited(rate->share - in_shares(rate->now.budget));
    rate->executed += rate->now.budget;
    rate->now.budget = parameters.budget;
    rate->now.period = parameters.period;
    task_of(rate)->job.level = parameters.period;
    set_deadline(rate, later_of(now, rate->deadline) + parameters.period);
    takt_allocator_open(task_of(rate), rate->deadline, pay_back(rate, parameters.budget), now);
    note(rate, TAKT_ALLOCATION_REFILLED, now);
    if (TAKT_UNLIKELY(rate->is_asking) && !is_to_grow(rate)) {
        come_into_force(rate, now);
    }
}

#endif
