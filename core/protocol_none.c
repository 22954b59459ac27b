/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* No protocol: a job waits as long as it takes, and lends nothing to the holder. See SPEC.md, 9. */
#include "core/protocol.h"

const takt_protocol_kind_t takt_protocol_none = {
    .name = "none",
};
