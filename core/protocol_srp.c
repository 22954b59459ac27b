/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stack resource policy (Baker 1991): a job needs a level above the ceilings of what others hold in order to run. See
 * SPEC.md, 9. */
#include "core/blocker.h"

const takt_protocol_kind_t takt_protocol_srp = {
    .name = "srp",
    .bars = TAKT_BARS_RUNS,
    .highest = takt_blocker_ceiling,
    .is_bounded = true,
    .has_ceiling = true,
    .lends = true,
};
