/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Retelling: what became of the jobs of a trace, whatever platform recorded it.
 *
 * The records are replayed through a simulation that does not run, and what core knows of a job when it ends is told as a
 * run would tell it: nominal releases, deadlines of any rule, jobs that the scheduler ended, and what is unfinished at the
 * end. How long jobs were to run is not known; what they have executed is.
 *
 * When not to use it: for traces of several processors. */
#ifndef TAKT_SIM_RETELL_H
#define TAKT_SIM_RETELL_H

#include "sim/replay.h"
#include "sim/sim.h"

/* Replays `count` records, up to `horizon`, through `sim`, which has not run, and tells the jobs and the statistics of its
 * tasks. */
takt_replay_result_t takt_sim_retell(takt_sim_t *sim, const takt_record_t *records, uint64_t count,
                                     takt_instant_t horizon, const takt_sim_sinks_t *sinks);

#endif
