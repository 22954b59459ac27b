/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Targets of the rate-based scheduler: which tasks are admitted, and the rate, budget and period that each of them may
 * have. What the functions here return depends on the sums of admitted tasks; nothing changes a reservation. */
#ifndef TAKT_POLICY_RATE_TARGETS_H
#define TAKT_POLICY_RATE_TARGETS_H

#include "policy/rate_task.h"

TAKT_C_BEGIN

/* ---- requests: O(1), and O(n) where one ends the longest blocking ------------------------------------------ */

/* Sets what `rate`, which is not admitted, requests: `estimate` in each `window`, or `weight` if it is best effort. */
void takt_rate_set_request(takt_rate_task_t *rate, takt_duration_t estimate, takt_duration_t window,
                           uint64_t weight);

/* Adds `rate` to the admitted tasks. Returns false, and changes nothing, if it is not admissible. */
TAKT_MUST_USE bool takt_rate_admit(takt_rate_task_t *rate, takt_instant_t now);

/* Removes `rate` from the admitted tasks. */
void takt_rate_withdraw(takt_rate_task_t *rate, takt_instant_t now);

/* Sets what `rate` requests to the parameters of `change`. Returns false, and changes nothing, if hard tasks would not
 * fit then. A task that is not admitted requests them when it enters. */
TAKT_MUST_USE bool takt_rate_request_parameters(takt_rate_task_t *rate, takt_change_t *change,
                                                takt_instant_t now);

/* Adjusts the estimate of `rate` to a job that executed for `executed` ticks, from the next boundary on: the estimate
 * rises at once, and falls to the largest of the last jobs. */
void takt_rate_adapt(takt_rate_task_t *rate, takt_duration_t executed, takt_instant_t now);

/* Frees the rate that the blocking of `rate`, which has left, took from the ledger. */
void takt_rate_free_blocking(takt_rate_task_t *rate);

/* ---- targets ------------------------------------------------------------------------------------------------ */

/* What the functions below need rarely, out of their way. */
void takt_rate_renew_target(takt_rate_task_t *rate);
bool takt_rate_is_below_ceilings(const takt_rate_task_t *rate, const takt_rate_target_t *target);
takt_rate_target_t takt_rate_parameters_as_before(const takt_rate_task_t *rate);

/* Returns the target of `rate`, which is admitted. This one and the others are inline, because each window asks. */
TAKT_INLINE const takt_rate_target_t *takt_rate_target_of(takt_rate_task_t *rate) {
    if (TAKT_UNLIKELY(rate->epoch != takt_rate_based_of(rate)->epoch)) {
        takt_rate_renew_target(rate);
    }
    return &rate->target;
}

/* True if `rate` may adopt `target` without passing a ceiling. Otherwise several holders, each of which had started
 * below the ceilings of that time, could block it one after the other. */
TAKT_INLINE bool takt_rate_may_adopt(const takt_rate_task_t *rate, const takt_rate_target_t *target) {
    return TAKT_LIKELY(rate->uses == NULL) || target->rate == 0 || takt_rate_is_below_ceilings(rate, target);
}

/* True if the target rate is the present one. */
TAKT_INLINE bool takt_rate_has_target(takt_rate_task_t *rate) {
    return takt_rate_target_of(rate)->rate == rate->now.rate;
}

/* True if the target rate is higher than the present one. */
TAKT_INLINE bool takt_rate_is_to_grow(takt_rate_task_t *rate) {
    return takt_rate_target_of(rate)->rate > rate->now.rate;
}

/* True if `rate` is to grow, the ledger leaves as much rate as it needs, and no ceiling prevents it. */
bool takt_rate_may_grow(takt_rate_task_t *rate);

/* True if the target rate is lower than the present one, and no ceiling prevents its adoption. */
TAKT_INLINE bool takt_rate_is_to_shrink(takt_rate_task_t *rate) {
    const takt_rate_target_t *target = takt_rate_target_of(rate);
    return target->rate < rate->now.rate && takt_rate_may_adopt(rate, target);
}

/* Returns budget and period of a window that begins: those of the target if the rate is available. */
TAKT_INLINE takt_rate_target_t takt_rate_parameters_of(takt_rate_task_t *rate) {
    const takt_rate_target_t *target = takt_rate_target_of(rate);
    if (TAKT_LIKELY(target->rate <= rate->now.rate && takt_rate_may_adopt(rate, target))) {
        return *target;
    }
    return takt_rate_parameters_as_before(rate);
}

TAKT_C_END

#endif
