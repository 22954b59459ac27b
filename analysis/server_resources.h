/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What servers that share resources cost each other, and what is left for their children. See server_resources.c. */
#ifndef TAKT_ANALYSIS_SERVER_RESOURCES_H
#define TAKT_ANALYSIS_SERVER_RESOURCES_H

#include "analysis/supply.h"

/* What a server is to its parent under hsrp and hsrp-payback: a child with the budget Q + X, whose response is to be
 * at most P. X, the holding time, is the longest time that one of its tasks takes from a lock to the unlock; 0 .. Q. */
TAKT_INLINE takt_sporadic_t takt_server_overrunning(takt_sporadic_t server, takt_duration_t holding) {
    server.wcet += holding;
    return server;
}

/* What is left under hsrp-payback: an overrun of X, once, before the interval. */
TAKT_INLINE takt_supply_t takt_supply_paying_back(takt_supply_t supply, takt_duration_t holding) {
    supply.loss += holding;
    return supply;
}

/* What is left under sirap for tasks that may have to wait for a budget of X, the largest of the server, 1 .. Q. The
 * supply is that of takt_supply_polling if it is a polling server's, else of takt_supply_periodic. */
takt_supply_t takt_supply_sirap(takt_supply_t supply, takt_duration_t holding, bool is_polling);

#endif
