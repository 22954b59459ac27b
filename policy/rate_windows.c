/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Windows of the rate-based scheduler. What the equations call x and phi is served and share here. */
#include "policy/rate_windows.h"

#include "core/wide.h"
#include "policy/rate_targets.h"

/* Shares are kept between this and its negative. At the lower end a task counts as ahead to its deadline, which
 * is safe; no window without refills comes near either. */
#define SHARE_LIMIT ((INT64_C(1) << 62) - 1)

/* ---- shares ---------------------------------------------------------------------------------------- */

/* Budgets are at most TAKT_RATE_LONGEST, so that this is below 2^62. */
static int64_t in_shares(takt_duration_t ticks) { return (int64_t)(ticks * TAKT_RATE_WHOLE); }

static int64_t limited(int64_t share) {
    const int64_t raised = share > -SHARE_LIMIT ? share : -SHARE_LIMIT;
    return raised < SHARE_LIMIT ? raised : SHARE_LIMIT;
}

/* Returns what was charged to the budget. */
static takt_duration_t charged(const takt_rate_task_t *rate) {
    return rate->now.budget - rate->extension.task->job.remaining;
}

static takt_duration_t served(const takt_rate_task_t *rate) { return charged(rate) + rate->debt; }

takt_duration_t takt_rate_executed(const takt_rate_task_t *rate) { return rate->executed + served(rate); }

/* Returns the rest of a new budget: a section may have used a part of it, or all, before. */
static takt_duration_t pay_back(takt_rate_task_t *rate, takt_duration_t budget) {
    if (TAKT_LIKELY(rate->debt == 0)) {
        return budget;
    }
    const takt_duration_t paid = takt_least_of(rate->debt, budget);
    rate->debt -= paid;
    return budget - paid;
}

static int64_t gained(const takt_rate_task_t *rate, takt_instant_t until) {
    if (until <= rate->share_at || rate->share == -SHARE_LIMIT) {
        return 0;
    }
    const takt_wide_t product = takt_wide_product(rate->now.rate, until - rate->share_at);
    return product.high == 0 ? (int64_t)takt_least_of(product.low, (uint64_t)SHARE_LIMIT) : SHARE_LIMIT;
}

void takt_rate_account_share(takt_rate_task_t *rate, takt_instant_t now) {
    rate->share = limited(rate->share + gained(rate, takt_least_of(now, rate->deadline)));
    rate->share_at = now;
}

/* Returns by how much `rate` is ahead of its share at `now`; 0 or less if it is not. */
static int64_t lead_of(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_account_share(rate, now);
    return in_shares(served(rate)) - rate->share;
}

bool takt_rate_is_ahead(takt_rate_task_t *rate, takt_instant_t now) { return lead_of(rate, now) > 0; }

/* Returns the first instant from `now` on at which `rate`, if it does not run, is not ahead of its share. */
static takt_instant_t catches_up_at(takt_rate_task_t *rate, takt_instant_t now) {
    const int64_t lead = lead_of(rate, now);
    if (lead <= 0) {
        return now;
    }
    if (rate->share == -SHARE_LIMIT || rate->now.rate == 0) {
        return TAKT_RATE_LATEST;
    }
    return now + takt_quotient_up((uint64_t)lead, rate->now.rate);
}

void takt_rate_arm_release(takt_rate_task_t *rate, takt_instant_t now) {
    const takt_instant_t instant = takt_rate_is_naive(rate) ? now : catches_up_at(rate, now);
    takt_allocator_arm_finish(rate->extension.task,
                              takt_later_of(now, takt_least_of(instant, rate->deadline)));
}

/* ---- timers ------------------------------------------------------------------------------------------- */

static void disarm_start(takt_task_t *task) {
    if (TAKT_UNLIKELY(takt_timer_is_armed(&task->timer))) {
        takt_timers_remove(&task->entity->parent->timers, &task->timer);
    }
}

/* At `instant` a release is due, or a window that work waits for. A finish timer that comes then stands for the
 * start timer too, so that most windows need one timer. */
static void start_at(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = rate->extension.task;
    const takt_timer_t *finish = &rate->extension.expiry;
    if (takt_timer_is_armed(finish) && finish->instant == instant) {
        disarm_start(task);
    } else {
        takt_allocator_arm_start(task, instant);
    }
}

void takt_rate_arm_start(takt_rate_task_t *rate, takt_instant_t now) {
    const bool waits = takt_rate_is_hard(rate) && takt_rate_has_work(rate) && !takt_rate_is_open(rate);
    start_at(rate, takt_later_of(
                       now, waits ? takt_least_of(rate->deadline, rate->next_release) : rate->next_release));
}

/* The window of the current job ends at `deadline`, where a soft or none task begins the next one. */
static void set_deadline(takt_rate_task_t *rate, takt_instant_t deadline) {
    takt_task_t *task = rate->extension.task;
    rate->deadline = takt_least_of(deadline, TAKT_RATE_LATEST - 1u);
    takt_allocator_arm_finish(task, rate->deadline);
    if (!takt_rate_is_hard(rate)) {
        rate->next_release = rate->deadline;
        disarm_start(task);
    }
}

/* ---- windows that begin ------------------------------------------------------------------------------- */

static void begin_job(takt_rate_task_t *rate, takt_instant_t instant) {
    takt_task_t *task = rate->extension.task;
    takt_instant_t release = instant;
    if (takt_rate_is_hard(rate)) {
        release = takt_rate_first_waiting(rate);
        task->waiting--;
    }
    if (TAKT_UNLIKELY(rate->extension.behind != NULL)) {
        takt_change_adopt(task, release);
    }
    rate->is_late = false;
    /* the debt will be charged to this job, and was executed by the one before */
    rate->executed = 0u - rate->debt;
    takt_allocator_begin_job(task, release);
}

/* Sets budget and period; what was charged to the budget before counts for the job. */
static void set_budget(takt_rate_task_t *rate, takt_duration_t budget, takt_duration_t period,
                       takt_duration_t used) {
    rate->executed += used;
    rate->now.budget = budget;
    rate->now.period = period;
}

void takt_rate_begin_window(takt_rate_task_t *rate, takt_duration_t budget, takt_duration_t period,
                            takt_instant_t instant) {
    takt_task_t *task = rate->extension.task;
    const bool is_overrun = takt_rate_is_hard(rate) && takt_task_is_active(task);
    rate->begun++;
    set_budget(rate, budget, period, charged(rate));
    rate->share = 0;
    rate->share_at = instant;
    if (!takt_task_is_active(task)) {
        begin_job(rate, instant);
    }
    task->job.level = is_overrun ? takt_later_of(rate->extension.period, period) : period;
    set_deadline(rate, instant + task->job.level);
    takt_allocator_open(task, rate->deadline, pay_back(rate, budget), instant);
}

bool takt_rate_refill_window(takt_rate_task_t *rate, takt_instant_t now) {
    takt_task_t *task = rate->extension.task;
    const takt_rate_target_t parameters = takt_rate_parameters_of(rate);
    if (parameters.budget == 0) {
        return false;
    }
    takt_rate_account_share(rate, now);
    rate->share = limited(rate->share - in_shares(rate->now.budget));
    set_budget(rate, parameters.budget, parameters.period, rate->now.budget);
    task->job.level = parameters.period;
    set_deadline(rate, takt_later_of(now, rate->deadline) + parameters.period);
    takt_allocator_open(task, rate->deadline, pay_back(rate, parameters.budget), now);
    takt_rate_note(rate, TAKT_ALLOCATION_REFILLED, now);
    return true;
}

/* ---- windows that change ------------------------------------------------------------------------------ */

/* Limits the share to what was served, from now on. */
static void forget_surplus(takt_rate_task_t *rate) {
    const int64_t executed = in_shares(served(rate));
    rate->share = rate->share < executed ? rate->share : executed;
}

/* The deadline by which the target rate serves what the share has not, T3. The dividend is below 2^63: the budget,
 * and the share below 0 at worst, are below 2^62 each. */
static takt_instant_t moved_deadline(takt_rate_task_t *rate, takt_instant_t now) {
    const int64_t most = in_shares(takt_least_of(served(rate), rate->now.budget));
    const int64_t has = most < rate->share ? most : rate->share;
    const uint64_t missing = (uint64_t)(in_shares(rate->now.budget) - has);
    const takt_instant_t moved = now + takt_quotient_up(missing, takt_rate_target_of(rate)->rate);
    return takt_rate_is_to_grow(rate) ? takt_least_of(rate->deadline, moved)
                                      : takt_later_of(rate->deadline, moved);
}

void takt_rate_move_window(takt_rate_task_t *rate, takt_instant_t now) {
    takt_task_t *task = rate->extension.task;
    takt_rate_account_share(rate, now);
    const takt_instant_t deadline = moved_deadline(rate, now);
    forget_surplus(rate);
    rate->now.period = takt_rate_target_of(rate)->period;
    task->job.level = takt_least_of(task->job.level, rate->now.period);
    set_deadline(rate, deadline);
    if (takt_rate_is_open(rate)) {
        takt_allocator_open(task, rate->deadline, task->job.remaining, now);
    } else if (takt_task_is_active(task)) {
        task->job.deadline = rate->deadline;
    }
}

/* What the target rate serves up to the deadline, at most the longest budget. */
static takt_duration_t left_by_target(takt_rate_task_t *rate, takt_instant_t now) {
    const takt_wide_t whole = {0, TAKT_RATE_WHOLE};
    const takt_wide_t left = takt_wide_product(takt_rate_target_of(rate)->rate, rate->deadline - now);
    return takt_least_of(takt_wide_quotient(left, whole), TAKT_RATE_LONGEST - served(rate));
}

void takt_rate_cut_window(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_account_share(rate, now);
    forget_surplus(rate);
    if (takt_rate_is_open(rate)) {
        const takt_duration_t left = left_by_target(rate, now);
        rate->now.budget = served(rate) + left;
        rate->extension.task->job.remaining = left;
    }
}
