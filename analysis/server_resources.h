/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Servers that share resources: their supply to children. See server_resources.c. */
#ifndef TAKT_ANALYSIS_SERVER_RESOURCES_H
#define TAKT_ANALYSIS_SERVER_RESOURCES_H

#include "analysis/supply.h"

TAKT_C_BEGIN

/* The supply left under hsrp-payback: an overrun of X, once, before the interval. X, the holding time, is the longest
 * time that one of the server's tasks takes from a lock to the unlock; 0 .. Q. */
TAKT_INLINE takt_supply_t takt_supply_paying_back(takt_supply_t supply, takt_duration_t holding) {
    supply.loss += holding;
    return supply;
}

/* The supply left under sirap for tasks that may have to wait for a budget of X, the largest of the server, 1 .. Q. The
 * given supply is from takt_supply_polling for a polling server, else from takt_supply_periodic. */
takt_supply_t takt_supply_sirap(takt_supply_t supply, takt_duration_t holding, bool is_polling);

TAKT_C_END

#endif
