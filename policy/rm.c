/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rm: rate monotonic.
 *
 * Source: Liu and Layland 1973; SPEC.md, 3 for ties.
 * Order: period of the task, least separation if it is sporadic, replenishment period of a server; the
 * shortest first, what has none last. Tie: class (hard, soft, none), then file order with servers, which are hard,
 * before tasks. Cost: O(log n) per event.
 * When not to use it: with deadlines shorter than periods, where dm is better, or with a utilization
 * that only edf can use. */
#include "policy/table.h"

static takt_key_t rm_level(const takt_job_t *job) {
    return job->period != 0 ? job->period : TAKT_KEY_LEAST_URGENT;
}

static void rm_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = rm_level(job);
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_rm = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "rm",
    .summary = TAKT_POLICY_LINE("rate monotonic: the shortest period first"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = rm_release,
    .level = rm_level,
    .traits = TAKT_POLICY_STATIC_KEYS | TAKT_POLICY_NEEDS_PERIOD | TAKT_POLICY_WORK_CONSERVING,
};
