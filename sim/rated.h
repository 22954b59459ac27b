/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reports on jobs of rate-based systems, whose deadlines move, and whose tasks enter and leave. Part of the
 * simulator. */
#ifndef TAKT_SIM_RATED_H
#define TAKT_SIM_RATED_H

#include "sim/sim.h"

/* Reports the window of the current job of `task`, which finishes; returns whether the job is late. */
bool takt_sim_report_rated_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                  takt_instant_t finish);

/* As takt_sim_report_end, also for jobs that are unfinished because their task has left. */
void takt_sim_report_rated_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, takt_instant_t horizon);

#endif
