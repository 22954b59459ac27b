/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* fp: fixed priority.
 *
 * Source: Liu and Layland 1973 for the model; SPEC.md, 3 for ties.
 * Order: the level given by the user. Tie: FIFO, the one that became ready earlier goes first; an
 * equal never preempts.
 * Cost: O(1) per event up to 32 levels, O(log32 levels) beyond.
 * When not to use it: above the utilization that rate-monotonic tests admit, where edf still meets
 * every deadline; or if it is unknown which of two tasks matters more. */
#include "policy/table.h"

static void fp_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->level;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

static takt_key_t fp_level(const takt_job_t *job) { return job->level; }

const takt_policy_t takt_policy_fp = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_LEVELS,
    .name = "fp",
    .summary = TAKT_POLICY_LINE("fixed priority: the largest priority first"),
    .tie = TAKT_POLICY_LINE("first in, first out"),
    .release = fp_release,
    .level = fp_level,
    .traits = TAKT_POLICY_STATIC_KEYS | TAKT_POLICY_WORK_CONSERVING,
};
