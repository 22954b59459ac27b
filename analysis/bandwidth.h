/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Response bounds of tasks in cbs, hard-cbs, tbs and cus servers. See bandwidth.c. */
#ifndef TAKT_ANALYSIS_BANDWIDTH_H
#define TAKT_ANALYSIS_BANDWIDTH_H

#include "analysis/analysis.h"

TAKT_C_BEGIN

/* The longest response, from the arrival, of the only task of a cbs or hard-cbs server with budget Q and period P.
 * Precondition: the server meets its deadlines. Not bounded if Q / P < C / T. Takes a step for each job of the busy
 * period. */
takt_response_t takt_cbs_response(const takt_sporadic_t *task, takt_duration_t period, takt_duration_t budget,
                                  takt_effort_t *effort);

/* An upper bound of the time from a job's release to its finish, for every task of such a server, under any local
 * policy. The tasks' utilization has to be below Q / P; at Q / P or above the effort may be used up. */
takt_response_t takt_cbs_busy_period(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                                     takt_duration_t budget, takt_effort_t *effort);

/* The same in a tbs or cus server with the share Q / P. */
takt_response_t takt_total_bandwidth_busy_period(const takt_sporadic_t *tasks, uint32_t count,
                                                 takt_duration_t period, takt_duration_t budget,
                                                 takt_effort_t *effort);

TAKT_C_END

#endif
