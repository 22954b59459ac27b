/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of bandwidth.h. */
#include "policy/bandwidth.h"

const takt_bandwidth_kind_t *const takt_bandwidth_kinds[] = {
    &takt_bandwidth_constant,
    &takt_bandwidth_total,
};

const size_t takt_bandwidth_kind_count = sizeof takt_bandwidth_kinds / sizeof takt_bandwidth_kinds[0];
