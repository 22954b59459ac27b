/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Servers that share resources: their demand in the parent and their supply to children. See server_resources.c. */
#ifndef TAKT_ANALYSIS_SERVER_RESOURCES_H
#define TAKT_ANALYSIS_SERVER_RESOURCES_H

#include "analysis/supply.h"

/* A server as a child of its parent under hsrp and hsrp-payback: its budget is Q + X, and its response has to be at
 * most P. X, the holding time, is the longest time that one of its tasks takes from a lock to the unlock; 0 .. Q. */
TAKT_INLINE takt_sporadic_t takt_server_overrunning(takt_sporadic_t server, takt_duration_t holding) {
    server.wcet += holding;
    return server;
}

/* The supply left under hsrp-payback: an overrun of X, once, before the interval. */
TAKT_INLINE takt_supply_t takt_supply_paying_back(takt_supply_t supply, takt_duration_t holding) {
    supply.loss += holding;
    return supply;
}

/* The supply left under sirap for tasks that may have to wait for a budget of X, the largest of the server, 1 .. Q. The
 * given supply is from takt_supply_polling for a polling server, else from takt_supply_periodic. */
takt_supply_t takt_supply_sirap(takt_supply_t supply, takt_duration_t holding, bool is_polling);

#endif
