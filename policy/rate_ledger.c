/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The ledger of the rate-based scheduler, whose rules of changes are in SPEC.md, 10. */
#include "policy/rate_ledger.h"

#include "policy/rate_targets.h"
#include "policy/rate_windows.h"

/* ---- tasks that wait for rate ------------------------------------------------------------------------ */

static uint32_t number_of(const takt_rate_task_t *rate) {
    return takt_entity_number(rate->extension.task->entity);
}

/* Inserts in file order; the last task in this order, the usual case at equal instants, is appended in O(1). */
void takt_rate_pend(takt_rate_task_t *rate) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    takt_rate_task_t **last = &rates->last_pending[takt_rate_class_of(rate)];
    takt_rate_task_t **link = &rates->pending[takt_rate_class_of(rate)];
    if (rate->is_pending) {
        return;
    }
    if (*last != NULL && number_of(*last) < number_of(rate)) {
        link = &(*last)->next_pending;
    }
    while (*link != NULL && number_of(*link) < number_of(rate)) {
        link = &(*link)->next_pending;
    }
    rate->next_pending = *link;
    *link = rate;
    rate->is_pending = true;
    if (rate->next_pending == NULL) {
        *last = rate;
    }
}

void takt_rate_end_pending(takt_rate_task_t *rate) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    takt_rate_task_t **link = &rates->pending[takt_rate_class_of(rate)];
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
        rates->last_pending[takt_rate_class_of(rate)] = before;
    }
}

bool takt_rate_may_wait_in_flight(takt_rate_task_t *rate) {
    return takt_rate_based_of(rate)->settings.has_compression &&
           takt_rate_class_of(rate) == TAKT_CLASS_SOFT && takt_rate_is_to_grow(rate);
}

/* ---- reservations ------------------------------------------------------------------------------------ */

/* Puts the parameters that `rate` requested in force for jobs released from now on. The level remains: it is that of
 * the last window until the next one begins. */
TAKT_RARE static void hand_over(takt_rate_task_t *rate, takt_instant_t now) {
    takt_task_t *task = rate->extension.task;
    rate->is_asking = false;
    takt_change_hand_over(task, rate->asked, now);
    rate->extension.period = rate->asked->period;
    if (!takt_rate_has_work(rate)) {
        const takt_key_t level = task->job.level;
        takt_change_adopt(task, now);
        task->job.level = level;
    }
}

TAKT_RARE void takt_rate_come_into_force(takt_rate_task_t *rate, takt_instant_t now) {
    hand_over(rate, now);
    if (takt_rate_is_hard(rate)) {
        rate->now.budget = rate->estimate;
        rate->now.period = rate->window;
    }
    takt_rate_note(rate, TAKT_ALLOCATION_CHANGED, now);
}

/* Sets the reservation of `rate` to its target. */
static void rerate(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    const uint64_t before = rate->now.rate;
    takt_rate_account_share(rate, now);
    rate->now.rate = takt_rate_target_of(rate)->rate;
    rates->reserved = rates->reserved - before + rate->now.rate;
    takt_rate_note(rate,
                   before == 0           ? TAKT_ALLOCATION_RESUMED
                   : rate->now.rate != 0 ? TAKT_ALLOCATION_RERATED
                                         : TAKT_ALLOCATION_SUSPENDED,
                   now);
    if (rate->now.rate < before) {
        takt_allocator_call(&rates->allocation, now);
    }
}

/* As rerate, where the window ends or changes so that what `rate` requested comes into force. */
static void adopt_target(takt_rate_task_t *rate, takt_instant_t now) {
    rerate(rate, now);
    if (rate->is_asking) {
        takt_rate_come_into_force(rate, now);
    }
}

void takt_rate_meet_boundary(takt_rate_task_t *rate, takt_instant_t now) {
    if (takt_rate_is_to_shrink(rate)) {
        adopt_target(rate, now);
    } else if (takt_rate_is_to_grow(rate)) {
        takt_rate_pend(rate);
        takt_allocator_call(rate->extension.allocation, now);
    } else if (rate->is_asking) {
        takt_rate_come_into_force(rate, now);
    }
}

static void enter(takt_rate_task_t *rate, takt_instant_t now) {
    takt_task_t *task = rate->extension.task;
    rate->stage = TAKT_RATE_IN;
    rate->now = *takt_rate_target_of(rate);
    if (rate->is_asking) {
        hand_over(rate, now);
    }
    rate->deadline = now;
    rate->next_release = now;
    rate->share = 0;
    rate->share_at = now;
    rate->debt = 0;
    task->job.remaining = rate->now.budget;
    task->job.level = rate->now.period;
    takt_rate_based_of(rate)->reserved += rate->now.rate;
    takt_rate_end_pending(rate);
    takt_rate_note(rate, TAKT_ALLOCATION_ENTERED, now);
    takt_allocator_arm_start(task, now);
}

void takt_rate_depart(takt_rate_task_t *rate, takt_instant_t now) {
    takt_rate_based_t *rates = takt_rate_based_of(rate);
    rates->reserved -= rate->now.rate;
    rate->now.rate = 0;
    rate->stage = TAKT_RATE_OUT;
    takt_allocator_throttle(rate->extension.task, now);
    takt_rate_free_blocking(rate);
    takt_rate_note(rate, TAKT_ALLOCATION_LEFT, now);
    takt_allocator_call(&rates->allocation, now);
}

/* ---- ends of windows --------------------------------------------------------------------------------- */

static bool may_extend(takt_rate_task_t *rate) {
    const takt_rate_target_t *target = takt_rate_target_of(rate);
    return takt_rate_class_of(rate) == TAKT_CLASS_SOFT && target->rate > 0 &&
           target->budget == rate->now.budget &&
           takt_rate_based_of(rate)->settings.rule != TAKT_RATE_BOUNDARY;
}

static bool may_cut(const takt_rate_task_t *rate) {
    return takt_rate_class_of(rate) == TAKT_CLASS_NONE && takt_rate_based_of(rate)->settings.has_cuts &&
           !takt_rate_is_naive(rate);
}

TAKT_RARE static bool may_shrink_in_flight(takt_rate_task_t *rate) {
    return !takt_rate_is_naive(rate) && !takt_rate_is_holding(rate) && (may_extend(rate) || may_cut(rate));
}

TAKT_INLINE bool waits_to_shrink_in_flight(takt_rate_task_t *rate) {
    return rate->stage == TAKT_RATE_IN && TAKT_UNLIKELY(takt_rate_is_to_shrink(rate)) &&
           may_shrink_in_flight(rate);
}

void takt_rate_stop(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    if (waits_to_shrink_in_flight(rate)) {
        takt_rate_arm_release(rate, now);
    }
}

static bool is_running(const takt_rate_task_t *rate) {
    return takt_dispatcher_cpu_of(rate->extension.allocation->dispatcher, rate->extension.task->entity) !=
           NULL;
}

/* In flight: arms a timer for the instant at which `rate` is no longer ahead; while it runs it stays ahead. */
static void await_share(takt_rate_task_t *rate, takt_instant_t now) {
    if (!takt_rate_is_open(rate) || !is_running(rate)) {
        takt_rate_arm_release(rate, now);
    }
}

/* The window has closed before or after its deadline. */
static void close_window(takt_rate_task_t *rate, takt_instant_t now) {
    if (rate->stage == TAKT_RATE_LEAVING) {
        takt_rate_arm_release(rate, now);
        return;
    }
    if (now >= rate->deadline) {
        takt_allocator_arm_finish(rate->extension.task, now);
    } else if (waits_to_shrink_in_flight(rate)) {
        await_share(rate, now);
    }
    if (takt_rate_has_work(rate)) {
        takt_rate_arm_start(rate, now);
    }
}

void takt_rate_complete(takt_task_t *task, takt_instant_t now) {
    takt_rate_task_t *rate = takt_rate_task_of(task);
    /* A task that has left with a job unfinished has no window. Its job completes late, at a distance. */
    if (TAKT_UNLIKELY(rate->stage < TAKT_RATE_IN)) {
        takt_allocator_end_job(task, now);
        return;
    }
    if (rate->adapts) {
        takt_rate_adapt(rate, takt_rate_executed(rate), now);
    }
    takt_allocator_end_job(task, now);
    close_window(rate, now);
}

void takt_rate_end_chunk(takt_rate_task_t *rate, takt_instant_t now) {
    const bool may_go_on = takt_rate_class_of(rate) == TAKT_CLASS_NONE && rate->uses == NULL;
    if (may_go_on && takt_rate_based_of(rate)->settings.has_background) {
        takt_allocator_run_in_background(rate->extension.task, rate->deadline + TAKT_RATE_LATEST);
    } else {
        takt_allocator_throttle(rate->extension.task, now);
    }
    close_window(rate, now);
}

/* Its target rate leaves `rate` nothing up to the end of its window: a job that takes whole budgets is complete. */
static void end_cut_chunk(takt_rate_task_t *rate, takt_instant_t now) {
    if (rate->is_greedy) {
        takt_rate_note(rate, TAKT_ALLOCATION_FINISHED, now);
        takt_rate_complete(rate->extension.task, now);
    } else {
        takt_rate_end_chunk(rate, now);
    }
}

/* ---- rates that shrink ------------------------------------------------------------------------------- */

/* The chunk of `rate`, of a best-effort task, ends where its target rate has served what is left of its window. */
static void cut(takt_rate_task_t *rate, takt_instant_t now) {
    takt_task_t *task = rate->extension.task;
    takt_rate_cut_window(rate, now);
    rerate(rate, now);
    if (!takt_rate_is_open(rate)) {
        return;
    }
    if (task->job.remaining > 0) {
        takt_allocator_open(task, rate->deadline, task->job.remaining, now);
    } else {
        end_cut_chunk(rate, now);
    }
}

/* In flight: lowers the rate of `rate`, whose window has changed or is to, once it is not ahead. */
static void give_up(takt_rate_task_t *rate, takt_instant_t now) {
    if (!takt_rate_is_naive(rate) && takt_rate_is_ahead(rate, now)) {
        await_share(rate, now);
    } else if (may_extend(rate)) {
        takt_rate_move_window(rate, now);
        adopt_target(rate, now);
    } else {
        cut(rate, now);
    }
}

void takt_rate_shrink_in_flight(takt_rate_task_t *rate, takt_instant_t now) {
    if (rate->stage != TAKT_RATE_IN || takt_rate_is_holding(rate) || !takt_rate_is_to_shrink(rate)) {
        return;
    }
    const bool extends = may_extend(rate);
    if (takt_rate_is_at_boundary(rate, now)) {
        adopt_target(rate, now);
    } else if (takt_rate_is_naive(rate) && !extends) {
        rerate(rate, now);
    } else if (extends || may_cut(rate)) {
        give_up(rate, now);
    }
}

/* In flight: starts or ends the wait of `rate` for more rate. */
static void await_growth(takt_rate_task_t *rate) {
    if (rate->stage == TAKT_RATE_IN && takt_rate_may_wait_in_flight(rate)) {
        takt_rate_pend(rate);
    }
}

bool takt_rate_changes_in_flight(const takt_rate_based_t *rates) {
    const takt_rate_settings_t *settings = &rates->settings;
    return settings->rule != TAKT_RATE_BOUNDARY || settings->has_compression || settings->has_cuts;
}

/* In flight: applies changed targets to open windows. */
static void sweep(takt_rate_based_t *rates, takt_instant_t now) {
    if (!takt_rate_changes_in_flight(rates) || rates->swept == rates->epoch) {
        return;
    }
    rates->swept = rates->epoch;
    for (takt_rate_task_t *rate = rates->first; rate != NULL; rate = rate->next) {
        takt_rate_shrink_in_flight(rate, now);
        await_growth(rate);
    }
}

/* A task that waits at its boundary gives up rate as others do. */
static void shrink_pending(takt_rate_task_t *rate, takt_instant_t now) {
    for (; rate != NULL; rate = rate->next_pending) {
        if (rate->stage == TAKT_RATE_IN && takt_rate_is_at_boundary(rate, now) &&
            takt_rate_is_to_shrink(rate)) {
            adopt_target(rate, now);
        }
    }
}

/* ---- grants ------------------------------------------------------------------------------------------ */

static bool may_compress(takt_rate_task_t *rate) {
    return takt_rate_may_wait_in_flight(rate) && takt_rate_is_open(rate) &&
           takt_rate_target_of(rate)->budget == rate->now.budget && !takt_rate_is_holding(rate);
}

/* Raises the rate of `rate`, which is in, at its boundary or in flight. */
static void grow(takt_rate_task_t *rate, takt_instant_t now) {
    if (takt_rate_is_at_boundary(rate, now)) {
        adopt_target(rate, now);
    } else if (may_compress(rate)) {
        takt_rate_move_window(rate, now);
        adopt_target(rate, now);
        takt_rate_end_pending(rate);
    }
}

/* Lets `rate`, which waits, enter, or raises its rate, if enough rate is free. */
static void grant(takt_rate_task_t *rate, takt_instant_t now) {
    const bool gains = takt_rate_may_grow(rate);
    if (rate->stage == TAKT_RATE_WAITING) {
        if (gains) {
            enter(rate, now);
        }
        return;
    }
    if (gains) {
        grow(rate, now);
    }
    if (takt_rate_is_at_boundary(rate, now)) {
        takt_allocator_arm_start(rate->extension.task, now);
    }
}

static void grant_pending(takt_rate_task_t *rate, takt_instant_t now) {
    while (rate != NULL) {
        takt_rate_task_t *next = rate->next_pending;
        grant(rate, now);
        rate = next;
    }
}

void takt_rate_grant_all(takt_rate_based_t *rates, takt_instant_t now) {
    sweep(rates, now);
    for (uint32_t task_class = 0; task_class < 3; task_class++) {
        shrink_pending(rates->pending[task_class], now);
    }
    for (uint32_t task_class = 0; task_class < 3; task_class++) {
        grant_pending(rates->pending[task_class], now);
    }
}
