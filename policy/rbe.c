/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rbe: rate-based execution.
 *
 * Source: Springer and Zhao 2024, 2.1.3, equation (1) (Jeffay and Goddard 1999).
 * Rule: event j of a task (x, y, d) that arrives at t_j is due at t_j + d, but not before D(j-x) + y. An early event
 * may run at once. Unused rate is not accumulated.
 * Invariant: D never decreases, and at most x deadlines lie in any interval of length y.
 * Order: that of edf: earliest deadline; for a server the end of its current period. Tie: class (hard, soft, none),
 * then file order with servers, which are hard, before tasks.
 * Cost: O(1) per arrival, O(log n) per event.
 * When not to use it: where a task must not exceed its rate. Early jobs take no slack from others, but run
 * before jobs with later deadlines. */
#include "policy/rbe.h"

#include "policy/table.h"

static void rbe_arrive(takt_task_t *task, takt_arrival_t *arrival) {
    takt_rbe_t *rbe = TAKT_CONTAINER_OF(task->extension->rule, takt_rbe_t, rule);
    takt_instant_t *oldest = &rbe->deadlines[rbe->next];
    if (rbe->is_full) {
        arrival->deadline = takt_later_of(arrival->deadline, takt_deadline_after(*oldest, rbe->interval));
    }
    *oldest = arrival->deadline;
    rbe->next++;
    if (rbe->next == rbe->events) {
        rbe->next = 0;
        rbe->is_full = true;
    }
}

void takt_rbe_init(takt_rbe_t *rbe, uint32_t events, takt_duration_t interval, takt_instant_t *deadlines) {
    rbe->rule.arrive = rbe_arrive;
    rbe->events = events;
    rbe->interval = interval;
    rbe->deadlines = deadlines;
}

static void rbe_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->deadline;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

/* As under edf: `threshold` is a relative deadline. */
static takt_key_t rbe_start(takt_key_t threshold, takt_instant_t now) { return now + threshold; }

const takt_policy_t takt_policy_rbe = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "rbe",
    .summary = TAKT_POLICY_LINE(
        "rate-based execution: edf, with deadlines for x events in every y, however they come"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = rbe_release,
    .start = rbe_start,
    .traits = TAKT_POLICY_DEADLINE_KEYS | TAKT_POLICY_NEEDS_INTERVAL | TAKT_POLICY_RULE |
              TAKT_POLICY_WORK_CONSERVING,
};
