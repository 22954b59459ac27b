/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* llf: least laxity first.
 *
 * Source: Mok 1983 (least slack); SPEC.md, 3 for ties.
 * Order: laxity, which is deadline - now - remaining wcet; for a server end of its current period - now -
 * budget. Because `now` is the same for all, the key is the latest instant at which the job could start:
 * it is constant while the job waits and grows while it executes. It is negative for a job that is too
 * long for its deadline, so keys are shifted by half their range.
 * Tie: class (hard, soft, none), then file order with servers, which are hard, before tasks.
 * Cost: O(log n) per event; jobs of equal laxity change places at every tick.
 * When not to use it: where a context switch has a cost; edf meets the same deadlines with one switch
 * per job. */
#include "policy/table.h"

#define SHIFT (UINT64_C(1) << 62)

/* Instants of 2^62 and later are equal. */
static takt_key_t key_of(takt_instant_t latest_start_shifted) {
    return latest_start_shifted < TAKT_KEY_LEAST_URGENT ? latest_start_shifted : TAKT_KEY_LEAST_URGENT;
}

static void llf_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = key_of(job->deadline + SHIFT - job->remaining);
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

/* `threshold` is a laxity, shifted likewise. */
static takt_key_t llf_start(takt_key_t threshold, takt_instant_t now) { return key_of(now + threshold); }

/* The key of a running job grows by one per tick until the wcet is exhausted. */
static takt_duration_t llf_overtake(const takt_entity_t *running, const takt_job_t *job,
                                    const takt_entity_t *waiting) {
    const takt_duration_t gap = waiting->key - running->key + (waiting->tie < running->tie ? 0u : 1u);
    return gap <= job->remaining ? gap : TAKT_NEVER;
}

const takt_policy_t takt_policy_llf = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "llf",
    .summary = TAKT_POLICY_LINE("least laxity first: the least time to spare first, at every tick"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = llf_release,
    .start = llf_start,
    .overtake = llf_overtake,
    .traits = TAKT_POLICY_LAXITY_KEYS | TAKT_POLICY_WORK_CONSERVING,
};
