/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* edf: earliest deadline first.
 *
 * Source: Liu and Layland 1973; SPEC.md, 3 for ties.
 * Order: absolute deadline of the job; for a server the end of its current period. Tie: class (hard,
 * soft, none), then file order with servers, which are hard, before tasks.
 * Cost: O(log n) per event.
 * When not to use it: under overload, where one late job makes all others late too. */
#include "policy/table.h"

static void edf_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->deadline;
    entity->tie = takt_tie_by_class_and_id(entity, job);
}

/* Baker's preemption level. */
static takt_key_t edf_level(const takt_job_t *job) { return job->deadline - job->release; }

/* `threshold` is a relative deadline: nothing that is released later with one as long or longer displaces
 * the job (deadline floor, Burns 2012). */
static takt_key_t edf_start(takt_key_t threshold, takt_instant_t now) { return now + threshold; }

const takt_policy_t takt_policy_edf = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "edf",
    .summary = TAKT_POLICY_LINE("earliest deadline first"),
    .tie = TAKT_TIE_BY_CLASS_AND_ID,
    .release = edf_release,
    .level = edf_level,
    .start = edf_start,
    .traits = TAKT_POLICY_DEADLINE_KEYS | TAKT_POLICY_WORK_CONSERVING,
};
