/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared resources among servers: hsrp, hsrp-payback, sirap.
 *
 * Sources: R. I. Davis and A. Burns, Resource sharing in hierarchical fixed priority pre-emptive systems, RTSS 2006
 * (hsrp, overrun and payback); M. Behnam, I. Shin, T. Nolte, M. Nolin, SIRAP, EMSOFT 2007; algorithms.md 6.8.
 *
 * In the parent all three are srp with servers as users, and X of a server as its section: resource_blocking.h with
 * TAKT_LOCKING_CEILING gives the blocking max { X - 1 : server below, ceiling at least as high }. In a server they
 * are srp among its tasks, with sections as they are.
 *
 *   hsrp          parent: Q + X in P; its children: Q in P
 *   hsrp-payback  parent: Q + X in P; its children: sbf(t) - X
 *   sirap         parent: Q in P; its children: Q - X + 1 in P, after a gap of P + R - 2 Q + X - 1
 *
 * The line of sirap is not that of algorithms.md 6.8 and of the paper, where a job waits once for each lock. Takt
 * lets a job that waited join the tail after the replenishment, so that more urgent tasks can use up what it needs
 * again and again: with Q = 6, P = 10, a task of 3 in 10 above and X = 6 it never runs. What holds in each period:
 * tasks from a level on have all of the budget until one of them waits, and then less than X is left. A lower one
 * that locks meanwhile has unlocked by the end of the budget, so it blocks no task after it. In a polling server the
 * gap is that of a poll without work already, which is no shorter.
 *
 * Not for global-srp: a job that the ceiling bars may wait for a server without budget, a period or more. */
#include "analysis/server_resources.h"

takt_supply_t takt_supply_sirap(takt_supply_t supply, takt_duration_t holding, bool is_polling) {
    const takt_duration_t wasted = holding - 1u;
    supply.budget -= wasted;
    supply.gap += is_polling ? 0 : wasted;
    return supply;
}
