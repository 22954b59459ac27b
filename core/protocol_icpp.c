/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Immediate priority ceiling: a holder is as urgent as the ceiling. Under policies whose keys are not levels the
 * ceiling counts from the lock on, as a preemption threshold does from the start. See SPEC.md, 9. */
#include "core/protocol.h"

static takt_key_t icpp_boost(const takt_resource_t *resource, const takt_policy_t *policy,
                             takt_instant_t now) {
    return policy->start != NULL ? policy->start(resource->ceiling, now) : resource->ceiling;
}

const takt_protocol_kind_t takt_protocol_icpp = {
    .name = "icpp",
    .is_bounded = true,
    .has_ceiling = true,
    .lends = true,
    .boost = icpp_boost,
};
