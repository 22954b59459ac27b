/* edf: earliest deadline first.
 *
 * Source: Liu and Layland 1973; specification 0.4 (b) for ties.
 * Order: absolute deadline of the job; for a server the end of its current period. Tie: entity
 * number, which is file order with servers before tasks (and a task's jobs never compete with each
 * other, so the job number is never asked).
 * Cost: O(log n) per event.
 * When not to use it: under overload, where one late job makes all others late too. */
#include "policy/table.h"

static void edf_release(takt_entity_t *entity, const takt_job_t *job) {
    entity->key = job->deadline;
    entity->tie = entity->id;
}

const takt_policy_t takt_policy_edf = {
    .version = TAKT_POLICY_VERSION,
    .size = sizeof(takt_policy_t),
    .order = TAKT_ORDER_KEYS,
    .name = "edf",
    .summary = "earliest deadline first",
    .tie = "servers before tasks, then file order",
    .release = edf_release,
};
