/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* dm: deadline monotonic.
 *
 * Source: Leung and Whitehead 1982; SPEC.md, 3 for ties.
 * Order: relative deadline of the task, period of a server; the shortest first. Tie: class (hard, soft,
 * none), then file order with servers, which are hard, before tasks.
 * Cost: O(log n) per event.
 * When not to use it: with a utilization that only edf can use, or with deadlines longer than periods,
 * for which it is no optimal order either. */
#include "policy/table.h"

/* A deadline that counts from an origin may be before the release; such a job is the most urgent. */
static takt_key_t dm_level(const takt_job_t *job) {
    return job->deadline > job->release ? job->deadline - job->release : 0;
}

static void dm_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = dm_level(job);
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

const takt_policy_t takt_policy_dm = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "dm",
    .summary = TAKT_POLICY_LINE("deadline monotonic: the shortest relative deadline first"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = dm_release,
    .level = dm_level,
    .traits = TAKT_POLICY_STATIC_KEYS | TAKT_POLICY_WORK_CONSERVING,
};
