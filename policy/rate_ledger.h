/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The ledger of the rate-based scheduler: how tasks enter, change their rates in flight and leave. A part of
 * rate_based.c, which alone includes it. */
#ifndef TAKT_POLICY_RATE_LEDGER_H
#define TAKT_POLICY_RATE_LEDGER_H

#include "policy/rate_windows.h"

/* ---- the ledger ----------------------------------------------------------------------------------------- */

/* Sets the reservation of `rate` to its target. */
static void rerate(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_based_t *rates = rates_of(rate);
    const uint64_t before = rate->now.rate;
    account_share(rate, now);
    rate->now.rate = target_of(rate)->rate;
    rates->reserved = rates->reserved - before + rate->now.rate;
    note(rate,
         before == 0           ? TAKT_ALLOCATION_RESUMED
         : rate->now.rate != 0 ? TAKT_ALLOCATION_RERATED
                               : TAKT_ALLOCATION_SUSPENDED,
         now);
    if (rate->now.rate < before) {
        takt_allocator_call(&rates->allocation, now);
    }
}

/* As rerate, where the window ends or changes so that what `rate` asked for comes into force. */
static void take_target(takt_rate_task_t *rate, takt_instant_t now) {
    rerate(rate, now);
    if (rate->is_asking) {
        come_into_force(rate, now);
    }
}

static void add_blocking(takt_rate_blocking_t *sum, const takt_rate_task_t *rate) {
    sum->longest = later_of(sum->longest, rate->blocking.longest);
    sum->excess += rate->blocking.excess;
}

/* Removes `rate` from `sum`, which is of the tasks from waiting to `last`. */
static void remove_blocking(takt_rate_blocking_t *sum, const takt_rate_task_t *rate, takt_rate_stage_t last) {
    sum->excess -= rate->blocking.excess;
    if (rate->blocking.longest == 0 || rate->blocking.longest < sum->longest) {
        return;
    }
    sum->longest = 0;
    for (const takt_rate_task_t *other = rates_of(rate)->first; other != NULL; other = other->next) {
        if (other->stage != TAKT_RATE_OUT && other->stage <= last) {
            sum->longest = later_of(sum->longest, other->blocking.longest);
        }
    }
}

/* Removes `rate` from the ledger. */
static void depart(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_based_t *rates = rates_of(rate);
    takt_task_t *task = task_of(rate);
    rates->reserved -= rate->now.rate;
    rate->now.rate = 0;
    rate->stage = TAKT_RATE_OUT;
    takt_allocator_throttle(task, now);
    remove_blocking(&rates->blocking_there, rate, TAKT_RATE_LEAVING);
    note(rate, TAKT_ALLOCATION_LEFT, now);
    takt_allocator_call(&rates->allocation, now);
}

/* The deadline by which the target rate serves what the share has not, T3. The dividend is below 2^63: the budget,
 * and the share below 0 at worst, are below 2^62 each. */
static takt_instant_t moved_deadline(takt_rate_task_t *rate, takt_instant_t now) {
    const int64_t most = in_shares(least_of(served(rate), rate->now.budget));
    const int64_t has = most < rate->share ? most : rate->share;
    return now + takt_quotient_up((uint64_t)(in_shares(rate->now.budget) - has), target_of(rate)->rate);
}

/* Limits the share to what was served, from now on. */
static void forget_surplus(takt_rate_task_t *rate) {
    const int64_t executed = in_shares(served(rate));
    rate->share = rate->share < executed ? rate->share : executed;
}

/* Moves the deadline of the window; the next job begins there. */
static void move_to(takt_rate_task_t *rate, takt_instant_t deadline, takt_instant_t now) {
    takt_task_t *task = task_of(rate);
    forget_surplus(rate);
    rate->now.period = target_of(rate)->period;
    task->job.level = least_of(task->job.level, rate->now.period);
    set_deadline(rate, deadline);
    if (is_open(rate)) {
        takt_allocator_open(task, rate->deadline, task->job.remaining, now);
    } else if (takt_task_is_active(task)) {
        task->job.deadline = rate->deadline;
    }
}

/* What the target rate serves up to the deadline, at most the longest budget. */
static takt_duration_t left_by_target(takt_rate_task_t *rate, takt_instant_t now) {
    const takt_wide_t whole = {0, WHOLE};
    const takt_wide_t left = takt_wide_product(target_of(rate)->rate, rate->deadline - now);
    return least_of(takt_wide_quotient(left, whole), TAKT_RATE_LONGEST - served(rate));
}

static bool may_extend(takt_rate_task_t *rate) {
    const takt_rate_target_t *target = target_of(rate);
    return class_of(rate) == TAKT_CLASS_SOFT && target->rate > 0 && target->budget == rate->now.budget &&
           rates_of(rate)->settings.rule != TAKT_RATE_BOUNDARY;
}

static bool may_cut(const takt_rate_task_t *rate) {
    return class_of(rate) == TAKT_CLASS_NONE && rates_of(rate)->settings.has_cuts && !is_naive(rate);
}

static bool may_compress(takt_rate_task_t *rate) {
    return may_wait_in_flight(rate) && is_open(rate) && target_of(rate)->budget == rate->now.budget &&
           !is_holding(rate);
}

static bool is_running(const takt_rate_task_t *rate) {
    return takt_dispatcher_cpu_of(rate->extension.allocation->dispatcher, task_of(rate)->entity) != NULL;
}

/* In flight: arms a timer for the instant at which `rate` is no longer ahead; while it runs it stays ahead. */
static void await_share(takt_rate_task_t *rate, takt_instant_t now) {
    if (!is_open(rate) || !is_running(rate)) {
        takt_allocator_arm_finish(task_of(rate), release_of_rate(rate, now));
    }
}

TAKT_RARE static bool may_shrink_in_flight(takt_rate_task_t *rate) {
    return !is_naive(rate) && !is_holding(rate) && (may_extend(rate) || may_cut(rate));
}

TAKT_INLINE bool waits_to_shrink_in_flight(takt_rate_task_t *rate) {
    return rate->stage == TAKT_RATE_IN && TAKT_UNLIKELY(is_to_shrink(rate)) && may_shrink_in_flight(rate);
}

/* The window has closed before or after its deadline. */
static void close_window(takt_rate_task_t *rate, takt_instant_t now) {
    if (rate->stage == TAKT_RATE_LEAVING) {
        takt_allocator_arm_finish(task_of(rate), release_of_rate(rate, now));
        return;
    }
    if (now >= rate->deadline) {
        takt_allocator_arm_finish(task_of(rate), now);
    } else if (waits_to_shrink_in_flight(rate)) {
        await_share(rate, now);
    }
    if (has_work(rate)) {
        arm_start(rate, now);
    }
}

/* Returns the largest execution time of the last jobs; 0 if there were too few. */
static takt_duration_t largest_of_latest(const takt_rate_task_t *rate) {
    const uint32_t count = rates_of(rate)->settings.estimate_jobs;
    takt_duration_t largest = 0;
    for (uint32_t i = 1; i <= count && i <= rate->finished; i++) {
        const takt_duration_t executed = rate->latest[(rate->finished - i) & (TAKT_RATE_JOBS - 1u)];
        largest = executed > largest ? executed : largest;
    }
    return rate->finished >= count ? largest : 0u;
}

/* Sets the request of `rate`, from its next boundary on. */
static void set_estimate(takt_rate_task_t *rate, takt_duration_t estimate, takt_instant_t now) {
    takt_rate_based_t *rates = rates_of(rate);
    const bool counts = rate->stage == TAKT_RATE_WAITING || rate->stage == TAKT_RATE_IN;
    const uint64_t before = rate->request;
    rate->estimate = estimate;
    rate->request = takt_quotient_up(estimate * WHOLE, rate->window);
    if (counts) {
        rates->requested[TAKT_CLASS_SOFT] += rate->request - before;
        divide(rates, now);
    }
}

/* A job of `rate` is complete: the estimate rises at once, and falls to the largest of the last jobs. */
static void adapt(takt_rate_task_t *rate, takt_instant_t now) {
    const takt_duration_t executed = rate->executed + served(rate);
    rate->latest[rate->finished & (TAKT_RATE_JOBS - 1u)] = executed;
    rate->finished = rate->finished + 1u != 2u * TAKT_RATE_JOBS ? rate->finished + 1u : TAKT_RATE_JOBS;
    takt_duration_t estimate = largest_of_latest(rate);
    if (estimate == 0) {
        estimate = later_of(rate->estimate, executed);
    }
    estimate = least_of(estimate, rate->window);
    if (estimate != rate->estimate) {
        set_estimate(rate, estimate, now);
    }
}

static void rate_based_complete(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    /* A task that has left with a job unfinished has no window. Its job completes late, at a distance. */
    if (TAKT_UNLIKELY(rate->stage < TAKT_RATE_IN)) {
        takt_allocator_end_job(task, now);
        return;
    }
    if (rate->adapts) {
        adapt(rate, now);
    }
    takt_allocator_end_job(task, now);
    close_window(rate, now);
}

/* The budget is exhausted, and there is no other one before the deadline. */
static void end_chunk(takt_rate_task_t *rate, takt_instant_t now) {
    const bool may_go_on = class_of(rate) == TAKT_CLASS_NONE && rate->uses == NULL;
    if (may_go_on && rates_of(rate)->settings.has_background) {
        takt_allocator_run_in_background(task_of(rate), rate->deadline + LATEST);
    } else {
        takt_allocator_throttle(task_of(rate), now);
    }
    close_window(rate, now);
}

/* Its target rate leaves `rate` nothing up to the end of its window: a job that takes whole budgets is complete. */
static void end_cut_chunk(takt_rate_task_t *rate, takt_instant_t now) {
    if (rate->is_greedy) {
        note(rate, TAKT_ALLOCATION_FINISHED, now);
        rate_based_complete(task_of(rate), now);
    } else {
        end_chunk(rate, now);
    }
}

/* The chunk of `rate`, of a best-effort task, ends where its target rate has served what is left of its window. */
static void cut(takt_rate_task_t *rate, takt_instant_t now) {
    account_share(rate, now);
    forget_surplus(rate);
    if (!is_open(rate)) {
        rerate(rate, now);
        return;
    }
    const takt_duration_t left = left_by_target(rate, now);
    rate->now.budget = served(rate) + left;
    task_of(rate)->job.remaining = left;
    rerate(rate, now);
    if (left > 0) {
        takt_allocator_open(task_of(rate), rate->deadline, left, now);
    } else {
        end_cut_chunk(rate, now);
    }
}

/* In flight: lowers the rate of `rate`, whose window has changed or is to, once it is not ahead. */
static void give_up(takt_rate_task_t *rate, takt_instant_t now) {
    if (!is_naive(rate) && catches_up_at(rate, now) > now) {
        await_share(rate, now);
    } else if (may_extend(rate)) {
        account_share(rate, now);
        move_to(rate, later_of(rate->deadline, moved_deadline(rate, now)), now);
        take_target(rate, now);
    } else {
        cut(rate, now);
    }
}

/* In flight: lowers the rate of `rate` as soon as the rule allows. */
static void shrink_in_flight(takt_rate_task_t *rate, takt_instant_t now) {
    if (rate->stage != TAKT_RATE_IN || is_holding(rate) || !is_to_shrink(rate)) {
        return;
    }
    const bool extends = may_extend(rate);
    if (is_at_boundary(rate, now)) {
        take_target(rate, now);
    } else if (is_naive(rate) && !extends) {
        rerate(rate, now);
    } else if (extends || may_cut(rate)) {
        give_up(rate, now);
    }
}

/* In flight: starts or ends the wait of `rate` for more rate. */
static void await_growth(takt_rate_task_t *rate) {
    if (rate->stage == TAKT_RATE_IN && may_wait_in_flight(rate)) {
        pend(rate);
    }
}

static bool changes_in_flight(const takt_rate_based_t *rates) {
    const takt_rate_settings_t *settings = &rates->settings;
    return settings->rule != TAKT_RATE_BOUNDARY || settings->has_compression || settings->has_cuts;
}

/* In flight: applies changed targets to open windows. */
static void sweep(takt_rate_based_t *rates, takt_instant_t now) {
    if (!changes_in_flight(rates) || rates->swept == rates->epoch) {
        return;
    }
    rates->swept = rates->epoch;
    for (takt_rate_task_t *rate = rates->first; rate != NULL; rate = rate->next) {
        shrink_in_flight(rate, now);
        await_growth(rate);
    }
}

static void enter(takt_rate_task_t *rate, takt_instant_t now) {
    rate->stage = TAKT_RATE_IN;
    rate->now = *target_of(rate);
    if (rate->is_asking) {
        hand_over(rate, now);
    }
    rate->deadline = now;
    rate->next_release = now;
    rate->share = 0;
    rate->share_at = now;
    rate->debt = 0;
    task_of(rate)->job.remaining = rate->now.budget;
    task_of(rate)->job.level = rate->now.period;
    rates_of(rate)->reserved += rate->now.rate;
    end_pending(rate);
    note(rate, TAKT_ALLOCATION_ENTERED, now);
    takt_allocator_arm_start(task_of(rate), now);
}

static bool has_room(takt_rate_task_t *rate) {
    const takt_rate_based_t *rates = rates_of(rate);
    return rates->reserved - rate->now.rate + target_of(rate)->rate <= left_by(&rates->blocking_there);
}

/* Raises the rate of `rate`, which is in, at its boundary or in flight. */
static void grow(takt_rate_task_t *rate, takt_instant_t now) {
    if (is_at_boundary(rate, now)) {
        take_target(rate, now);
    } else if (may_compress(rate)) {
        account_share(rate, now);
        move_to(rate, least_of(rate->deadline, moved_deadline(rate, now)), now);
        take_target(rate, now);
        end_pending(rate);
    }
}

/* Lets `rate`, which waits, enter, or raises its rate, if enough rate is free. */
static void grant(takt_rate_task_t *rate, takt_instant_t now) {
    const bool gains = is_to_grow(rate) && has_room(rate) && may_adopt(rate, target_of(rate));
    if (rate->stage == TAKT_RATE_WAITING) {
        if (gains) {
            enter(rate, now);
        }
        return;
    }
    if (gains) {
        grow(rate, now);
    }
    if (is_at_boundary(rate, now)) {
        takt_allocator_arm_start(task_of(rate), now);
    }
}

/* A task that waits at its boundary gives up rate as others do. */
static void shrink_pending(takt_rate_task_t *rate, takt_instant_t now) {
    for (; rate != NULL; rate = rate->next_pending) {
        if (rate->stage == TAKT_RATE_IN && is_at_boundary(rate, now) && is_to_shrink(rate)) {
            take_target(rate, now);
        }
    }
}

static void grant_pending(takt_rate_task_t *rate, takt_instant_t now) {
    while (rate != NULL) {
        takt_rate_task_t *next = rate->next_pending;
        grant(rate, now);
        rate = next;
    }
}

#endif
