/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Subsystem integration and resource allocation (Behnam, Shin, Nolte, Nolin 2007): a lock waits until its server has
 * the budget for the longest section. See SPEC.md, 9. */
#include "core/blocker.h"

const takt_protocol_kind_t takt_protocol_sirap = {
    .name = "sirap",
    .scope = TAKT_SCOPE_SERVERS,
    .bars = TAKT_BARS_RUNS,
    .highest = takt_blocker_ceiling,
    .is_bounded = true,
    .has_ceiling = true,
    .lends = true,
    .awaits_budget = true,
};
