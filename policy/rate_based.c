/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rate-based scheduler of rate_based.h. What the equations call x, phi, u, C, P and d is served, share, rate,
 * budget, period and deadline here. */
#include "policy/rate_based.h"

#include "core/wide.h"
#include "policy/table.h"

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
        takt_timers_remove(&task->entity->home->timers, &task->timer);
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

/* Whether `rate` may get more rate before its boundary, and so goes on waiting for it. */
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

static void extend(takt_rate_task_t *rate, takt_instant_t now) {
    account_share(rate, now);
    move_to(rate, later_of(rate->deadline, moved_deadline(rate, now)), now);
}

static void compress(takt_rate_task_t *rate, takt_instant_t now) {
    account_share(rate, now);
    move_to(rate, least_of(rate->deadline, moved_deadline(rate, now)), now);
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

/* The chunk of `rate`, of class none, ends where its target rate has served what is left of its window. */
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
        extend(rate, now);
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
        compress(rate, now);
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

/* True if hard tasks fit; beta is kept free even while there is no task of class none. */
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
    if (rate->stage == TAKT_RATE_LEAVING || has_work(rate)) {
        note(rate, TAKT_ALLOCATION_REJECTED, now);
        return;
    }
    if (!admit(rates, rate)) {
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

/* A new wcet begins the estimate anew. */
static takt_duration_t estimate_with(const takt_rate_task_t *rate, const takt_change_t *change) {
    const takt_duration_t estimate = change->wcet != rate->wcet ? change->wcet : rate->estimate;
    return least_of(estimate, window_with(change));
}

/* A request for less than before is never rejected. */
static bool may_have(takt_rate_based_t *rates, const takt_rate_task_t *rate, const takt_change_t *change) {
    if (!is_hard(rate)) {
        return true;
    }
    const uint64_t before = rates->requested[TAKT_CLASS_HARD];
    const uint64_t request = rate_for(estimate_with(rate, change), window_with(change));
    if (request <= rate->request) {
        return true;
    }
    rates->requested[TAKT_CLASS_HARD] += request - rate->request;
    const bool may = fits(rates);
    rates->requested[TAKT_CLASS_HARD] = before;
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
    const bool wants = is_at_boundary(rate, instant) && (has_work(rate) || !is_hard(rate));
    if (wants) {
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
        takt_timers_remove(&task->entity->home->timers, &task->extension->expiry);
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
