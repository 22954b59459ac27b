/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Deferrable server (Strosnider, Lehoczky, Sha 1995; SPEC.md, 4): budget is charged only while
 * one of its tasks runs, and at off + kP the budget is full again, what was left over being lost.
 * Conserved: budget + what is charged since off + kP = capacity. */
#include "core/server.h"

const takt_server_kind_t takt_server_deferrable = {
    .name = "deferrable",
    .summary = "budget is kept while there is no work and is full again at the start of each period",
    .replenish = takt_server_begin_period,
    .traits = TAKT_KIND_DEFERS,
};
