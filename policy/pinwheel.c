/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* pinwheel: every task gets its wcet in every window of its period, by periods that divide one another.
 *
 * Source: the pinwheel row of Wang and Lin 1999 after Chan and Chin 1992. The builder of the system gives each task a
 * period x 2^j, at most the requested one, such that the sum of wcet / period is at most 1. The wcet is enforced as a
 * budget (budgets.c). The order is that of rm, which then meets every deadline.
 * Order: period, the shortest first. Tie: class (hard, soft, none), then file order.
 * Cost: O(log n) per event.
 * When not to use it: where only deadlines count; edf needs no shorter periods. */
#include "policy/table.h"

static void pinwheel_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->period != 0 ? job->period : TAKT_KEY_LEAST_URGENT;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_pinwheel = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "pinwheel",
    .summary = TAKT_POLICY_LINE(
        "the wcet in every window of a period: periods are made shorter to divide one another, then rm"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = pinwheel_release,
    .traits = TAKT_POLICY_STATIC_KEYS | TAKT_POLICY_SPECIALISED_PERIODS,
};
