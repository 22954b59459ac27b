/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* srp in each server and among the servers of one parent. A server can exhaust its budget while it holds a resource.
 * See SPEC.md, 9. */
#include "core/blocker.h"

const takt_protocol_kind_t takt_protocol_global_srp = {
    .name = "global-srp",
    .scope = TAKT_SCOPE_SERVERS,
    .bars = TAKT_BARS_RUNS,
    .highest = takt_blocker_ceiling,
    .has_ceiling = true,
    .lends = true,
};
