/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* No protocol: blocking is unbounded; the holder inherits nothing. See SPEC.md, 9. */
#include "core/protocol.h"

const takt_protocol_kind_t takt_protocol_none = {
    .name = "none",
};
