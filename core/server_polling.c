/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Polling server (Lehoczky, Sha, Strosnider 1987; SPEC.md, 4): at off + kP the budget is full again, and
 * what is left when there is no work is lost until the next period.
 * Conserved: budget + what is charged or lost since off + kP = capacity. */
#include "core/server.h"

const takt_server_kind_t takt_server_polling = {
    .name = "polling",
    .summary = "budget comes at the start of each period and is lost as soon as there is no work",
    .loses_idle_budget = true,
    .replenish = takt_server_begin_period,
    .traits = TAKT_KIND_ACTS_AS_TASK,
};
