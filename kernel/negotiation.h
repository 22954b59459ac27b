/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Negotiation: the requests to a rate-based scheduler, and their checks. Private to kernel/.
 *
 * The same code serves threads of this kernel and of another one: it uses no port. Callers are serialised. */
#ifndef TAKT_KERNEL_NEGOTIATION_H
#define TAKT_KERNEL_NEGOTIATION_H

#include "kernel/demand.h"
#include "kernel/errors.h"

/* Checks `settings`. Returns ERROR_PERIOD, _SIZE or _BUDGET if they are invalid. */
takt_status_t takt_negotiation_check_settings(const takt_rate_settings_t *settings);

/* The relative deadline of `demand`. */
takt_duration_t takt_negotiation_deadline(const takt_rate_demand_t *demand);

/* Checks `demand` of a task of class `type`. Returns ERROR_PERIOD, _DEADLINE or _BUDGET if it is invalid. */
takt_status_t takt_negotiation_check(takt_task_class_t type, const takt_rate_demand_t *demand);

/* Initialises `records`: the requests of the tasks of `rates`, zeroed, are kept in `count` records at `changes`. */
void takt_negotiation_init(takt_rate_records_t *records, takt_rate_based_t *rates, takt_change_t *changes,
                           uint32_t count);

/* Adds a task with a checked demand and the number `id`; it has not entered yet. */
void takt_negotiation_add(takt_rate_based_t *rates, takt_rate_task_t *rate, takt_task_t *task,
                          takt_entity_t *entity, takt_task_class_t type, const takt_rate_demand_t *demand,
                          uint32_t id);

/* True if `rate` was added. */
TAKT_INLINE bool takt_negotiation_is_made(const takt_rate_task_t *rate) {
    return rate->extension.allocation != NULL;
}

/* Requests that `rate` enters. Returns TAKT_OK or TAKT_REJECTED. */
takt_status_t takt_negotiation_enter(takt_rate_task_t *rate, takt_instant_t now);

/* Requests `demand`, which was checked. Returns TAKT_OK, TAKT_REJECTED or ERROR_CHANGES. */
takt_status_t takt_negotiation_request(const takt_rate_records_t *records, takt_rate_task_t *rate,
                                       const takt_rate_demand_t *demand, takt_instant_t now);

#endif
