/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Priority inheritance (Sha, Rajkumar, Lehoczky 1990): a holder is as urgent as the jobs that it blocks. See SPEC.md,
 * 9. */
#include "core/protocol.h"

const takt_protocol_kind_t takt_protocol_pip = {
    .name = "pip",
    .is_bounded = true,
    .lends = true,
};
