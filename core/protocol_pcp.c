/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Priority ceiling (Sha, Rajkumar, Lehoczky 1990): as pip, and a lock needs a level above the ceilings of what others
 * hold. See SPEC.md, 9. */
#include "core/blocker.h"

const takt_protocol_kind_t takt_protocol_pcp = {
    .name = "pcp",
    .bars = TAKT_BARS_LOCKS,
    .highest = takt_blocker_ceiling,
    .is_bounded = true,
    .has_ceiling = true,
    .lends = true,
};
