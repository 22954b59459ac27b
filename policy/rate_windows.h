/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Windows of the rate-based scheduler: their budgets, shares and debts, and how they begin and move. Each function costs
 * O(1), besides timers and ready sets. */
#ifndef TAKT_POLICY_RATE_WINDOWS_H
#define TAKT_POLICY_RATE_WINDOWS_H

#include "policy/rate_task.h"

TAKT_C_BEGIN

/* Deadlines are below this; background work, with this added to them, comes after all of them. */
#define TAKT_RATE_LATEST (UINT64_C(1) << 62)

/* Updates the share of `rate` to `now`, before its rate changes; it is constant from the deadline on. */
void takt_rate_account_share(takt_rate_task_t *rate, takt_instant_t now);

/* True if `rate` has executed more than its share at `now`. */
bool takt_rate_is_ahead(takt_rate_task_t *rate, takt_instant_t now);

/* Returns what the current job of `rate` has executed in all budgets. */
takt_duration_t takt_rate_executed(const takt_rate_task_t *rate);

/* Arms the finish timer of `rate`, which does not run, for the first instant at which it may give up its rate. */
void takt_rate_arm_release(takt_rate_task_t *rate, takt_instant_t now);

/* Arms the start timer of `rate` for its next release, or for the end of its window if work waits for that. */
void takt_rate_arm_start(takt_rate_task_t *rate, takt_instant_t now);

/* Gives the oldest job of `rate` a budget and a window; a hard job that overran gets a whole period, which is never
 * less than the window of its target, if that comes into force too late. `rate` is at its boundary. */
void takt_rate_begin_window(takt_rate_task_t *rate, takt_duration_t budget, takt_duration_t period,
                            takt_instant_t instant);

/* Gives the window, whose budget is exhausted, a new budget and a later deadline; the lag is kept. Returns false, and
 * changes nothing, if the rate has no budget. */
TAKT_MUST_USE bool takt_rate_refill_window(takt_rate_task_t *rate, takt_instant_t now);

/* Moves the deadline of the window to where the target rate serves what the share has not: to an earlier instant if
 * `rate` is to grow, else to a later one. The next job begins there. The target rate is not 0. */
void takt_rate_move_window(takt_rate_task_t *rate, takt_instant_t now);

/* Limits the share to what was served, and the budget of an open window to what the target rate serves up to its
 * deadline. The caller opens the window anew, or ends it if no budget is left. */
void takt_rate_cut_window(takt_rate_task_t *rate, takt_instant_t now);

TAKT_C_END

#endif
