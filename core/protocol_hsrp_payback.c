/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hierarchical srp (Davis, Burns 2006) with payback: the overrun of a server is subtracted from its next budget. See
 * SPEC.md, 9. */
#include "core/blocker.h"

const takt_protocol_kind_t takt_protocol_hsrp_payback = {
    .name = "hsrp-payback",
    .scope = TAKT_SCOPE_SERVERS,
    .bars = TAKT_BARS_RUNS,
    .highest = takt_blocker_ceiling,
    .is_bounded = true,
    .has_ceiling = true,
    .lends = true,
    .overruns = true,
    .pays_back = true,
};
