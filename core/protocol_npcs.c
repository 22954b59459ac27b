/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Non-preemptive critical sections (Mok 1983): no job displaces a holder. See SPEC.md, 9. */
#include "core/protocol.h"

static takt_key_t npcs_boost(const takt_resource_t *resource, const takt_policy_t *policy,
                             takt_instant_t now) {
    (void)resource;
    (void)policy;
    (void)now;
    return TAKT_KEY_MOST_URGENT;
}

const takt_protocol_kind_t takt_protocol_npcs = {
    .name = "npcs",
    .is_bounded = true,
    .lends = true,
    .boost = npcs_boost,
};
