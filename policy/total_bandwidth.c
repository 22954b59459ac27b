/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* tbs: total bandwidth server.
 *
 * Source: Spuri and Buttazzo 1996; Wang and Lin 1999, Table 2.
 * Rule: a job that arrives at r has the deadline max(r, d) + e / U, d being the one before in the group, and may run at
 * once.
 * Cost: O(1) per arrival.
 * When not to use it: where jobs may overrun; a constant-bandwidth server stops them. */
#include "policy/bandwidth.h"

static void total_arrive(takt_task_t *task, takt_arrival_t *arrival) {
    (void)takt_bandwidth_give(task, arrival);
}

const takt_bandwidth_kind_t takt_bandwidth_total = {
    .name = "tbs",
    .summary = "total bandwidth: a job's deadline follows the one before by wcet / share; it may run at once",
    .arrive = total_arrive,
};
