/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Negotiation: a thread requests other parameters of its task, and the task's allocator decides.
 *
 * Core knows changes that are listed before the system starts. So the image has rows for requests: its last changes, of
 * kind PARAMETERS, which are not due before the horizon. A request fills the next one in, and is the event CHANGE of that
 * row. Each request has a row of its own, also one that is rejected: with the rows filled in, the image replays the trace.
 *
 * Only a rate-based root negotiates. Source: policy/rate_based.h. */
#ifndef TAKT_LINUX_NEGOTIATION_H
#define TAKT_LINUX_NEGOTIATION_H

#include "linux/shared.h"
#include "linux/domain.h"

/* Counts the rows for requests of a built domain. */
void takt_domain_find_rows(takt_domain_t *domain);

/* Fills the next row in for `task`. Execution counts in full ticks, time in whole ones. Writes its number to `row`. Returns RECEIVED; UNKNOWN if the task cannot negotiate,
 * UNFIT if `demand` is out of range, FULL if no row is left. */
takt_receipt_t takt_domain_fill_row(takt_domain_t *domain, const takt_task_t *task,
                                    const takt_demand_t *demand, uint64_t *row);

/* Returns true if `task` was admitted with the parameters of `row`. */
bool takt_domain_is_admitted(const takt_domain_t *domain, const takt_task_t *task, uint64_t row);

/* Returns the rate of `task` in force, in units of 1 / TAKT_RATE_WHOLE; 0 if it has none. */
uint32_t takt_domain_rate(const takt_domain_t *domain, const takt_task_t *task);

/* A row that a request has filled in, as a file has it. */
typedef struct takt_requested {
    uint64_t task;   /* counted from 0 */
    uint64_t period; /* in ticks, as the next two */
    uint64_t relative_deadline;
    uint64_t wcet;
    uint64_t weight;
} takt_requested_t;

/* Writes request number `index` of the domain to the takt_requested_t at `requested`. Returns 1, or 0 if there were not so
 * many. For the daemon. */
uint64_t takt_domain_requested(uint64_t domain, uint64_t index, uint64_t requested);

#endif
