/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The ledger of the rate-based scheduler: how reservations begin, grow, shrink and end. */
#ifndef TAKT_POLICY_RATE_LEDGER_H
#define TAKT_POLICY_RATE_LEDGER_H

#include "policy/rate_task.h"

TAKT_C_BEGIN

/* ---- tasks that wait for rate, in file order ------------------------------------------------------------------ */

/* Lets `rate` wait, if it does not yet. O(1) if it is the last in file order, else O(waiting tasks). */
void takt_rate_pend(takt_rate_task_t *rate);

/* Ends the wait of `rate`, if it waits. O(waiting tasks). */
void takt_rate_end_pending(takt_rate_task_t *rate);

/* True if `rate` may get more rate before its boundary, and so keeps waiting for it. */
bool takt_rate_may_wait_in_flight(takt_rate_task_t *rate);

/* ---- changes of reservations ---------------------------------------------------------------------------------- */

/* Puts requested parameters in force: the rate of `rate` is that of its target. A hard task has no window open. */
void takt_rate_come_into_force(takt_rate_task_t *rate, takt_instant_t now);

/* Called when `rate` is at its boundary: gives up rate, waits for more, or adopts what it requested. */
void takt_rate_meet_boundary(takt_rate_task_t *rate, takt_instant_t now);

/* True if some rates change while windows are open. */
bool takt_rate_changes_in_flight(const takt_rate_based_t *rates);

/* Lowers the rate of `rate` as soon as the rule allows, at the latest at its boundary. */
void takt_rate_shrink_in_flight(takt_rate_task_t *rate, takt_instant_t now);

/* Lets all tasks give up rate that may, then grants what is free: hard tasks, soft ones, best-effort ones.
 * O(waiting tasks); after a change of targets O(n) where rates change in flight. */
void takt_rate_grant_all(takt_rate_based_t *rates, takt_instant_t now);

/* Removes `rate`, whose window is closed, from the ledger. */
void takt_rate_depart(takt_rate_task_t *rate, takt_instant_t now);

/* ---- ends of windows ------------------------------------------------------------------------------------------ */

/* Closes the window: the budget is exhausted, and there is no other one before the deadline. */
void takt_rate_end_chunk(takt_rate_task_t *rate, takt_instant_t now);

/* `complete` and `stop` of takt_allocator_t. */
void takt_rate_complete(takt_task_t *task, takt_instant_t now);
void takt_rate_stop(takt_task_t *task, takt_instant_t now);

TAKT_C_END

#endif
