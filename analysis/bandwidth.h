/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What tasks in cbs, hard-cbs, tbs and cus servers are sure of. See bandwidth.c. */
#ifndef TAKT_ANALYSIS_BANDWIDTH_H
#define TAKT_ANALYSIS_BANDWIDTH_H

#include "analysis/analysis.h"

/* Of the one task of a cbs or hard-cbs server with budget Q and period P that meets its deadlines: the longest
 * response, from the arrival. Q / P is at least C / T, else it is not bounded. Takes a step for each job of the busy
 * period. */
takt_response_t takt_cbs_response(const takt_sporadic_t *task, takt_duration_t period, takt_duration_t budget,
                                  takt_effort_t *effort);

/* Of any task of such a server, whatever its local policy: how long after its release, at most, a job is finished. The
 * shares of the tasks are less than Q / P, or equal and it is found nevertheless; else the effort is used up. */
takt_response_t takt_cbs_busy_period(const takt_sporadic_t *tasks, uint32_t count, takt_duration_t period,
                                     takt_duration_t budget, takt_effort_t *effort);

/* Likewise in a tbs or cus server with the share Q / P. */
takt_response_t takt_total_bandwidth_busy_period(const takt_sporadic_t *tasks, uint32_t count,
                                                 takt_duration_t period, takt_duration_t budget,
                                                 takt_effort_t *effort);

#endif
