/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Idling periodic server (Inam et al. 2011; SPEC.md, 4): budget is charged whenever the server is selected, with
 * or without work, and at off + kP the budget is full again.
 * Conserved: budget + what is charged since off + kP = capacity. */
#include "core/server.h"

const takt_server_kind_t takt_server_idling = {
    .name = "idling",
    .summary = "budget is used up whenever it is the server's turn, with or without work",
    .idles = true,
    .replenish = takt_server_begin_period,
    .traits = TAKT_KIND_ACTS_AS_TASK,
};
