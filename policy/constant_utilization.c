/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* cus: constant utilization server.
 *
 * Source: Deng, Liu and Sun 1997; Wang and Lin 1999, Table 2.
 * Rule: as tbs, but a job does not start before the previous deadline: the group never has more than its share.
 * Leaves out: the end of a late job at its deadline; on_miss selects it.
 * Cost: O(1) per arrival.
 * When not to use it: where responses matter more than an even flow; it leaves the processor idle. */
#include "policy/bandwidth.h"

static void constant_arrive(takt_task_t *task, takt_arrival_t *arrival) {
    arrival->instant = takt_later_of(arrival->instant, takt_bandwidth_give(task, arrival));
}

const takt_bandwidth_kind_t takt_bandwidth_constant = {
    .name = "cus",
    .summary = "constant utilization: as tbs, but a job starts at the deadline before, not sooner",
    .arrive = constant_arrive,
};
