/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hierarchical srp (Davis, Burns 2006): a server that holds a resource continues without budget until it holds none.
 * See SPEC.md, 9. */
#include "core/blocker.h"

const takt_protocol_kind_t takt_protocol_hsrp = {
    .name = "hsrp",
    .scope = TAKT_SCOPE_SERVERS,
    .bars = TAKT_BARS_RUNS,
    .highest = takt_blocker_ceiling,
    .is_bounded = true,
    .has_ceiling = true,
    .lends = true,
    .overruns = true,
};
