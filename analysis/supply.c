/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Supply bound functions in closed form (supply.h has sources and conditions).
 *
 * With (k, rest) = divmod(t - gap, P): sbf(t) = k Q + min(Q, rest) - loss, and 0 where that is negative or t <= gap. */
#include "analysis/supply.h"

uint64_t takt_supply_bound(const takt_supply_t *supply, uint64_t t) {
    if (t <= supply->gap) {
        return 0;
    }
    const uint64_t after = t - supply->gap;
    const uint64_t rest = after % supply->period;
    const uint64_t part = rest < supply->budget ? rest : supply->budget;
    const uint64_t all = after / supply->period * supply->budget + part;
    return all > supply->loss ? all - supply->loss : 0;
}

/* The last of `all` ticks is supplied after ceil(all / Q) - 1 whole budgets. */
bool takt_supply_time(const takt_supply_t *supply, uint64_t demand, uint64_t *t) {
    uint64_t all = 0;
    uint64_t begin = 0;
    *t = 0;
    if (demand == 0) {
        return true;
    }
    if (!takt_checked_plus(demand, supply->loss, &all)) {
        return false;
    }
    const uint64_t pieces = (all - 1u) / supply->budget;
    return takt_checked_times(pieces, supply->period, &begin) &&
           takt_checked_plus(begin, supply->gap, &begin) &&
           takt_checked_plus(begin, all - pieces * supply->budget, t);
}
