/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Retelling: reports what a trace says of a run, recorded by any platform.
 *
 * The records are replayed through a simulation that does not run. What core knows is reported as in a run: segments,
 * which end with the completion of the job or with the next decision; jobs, with nominal releases, deadlines of any rule,
 * and those that the scheduler terminated or that are unfinished at the end; budgets, resources, rates, and points of
 * non-preemptive jobs. The demand of jobs is not known; the time that they have executed is.
 *
 * When not to use it: for traces of several processors. */
#ifndef TAKT_SIM_RETELL_H
#define TAKT_SIM_RETELL_H

#include "sim/replay.h"
#include "sim/sim.h"

/* Replays `count` records, up to `horizon`, through `sim`, which has not run. Reports to `sinks`, and in the
 * statistics of its tasks. */
takt_replay_result_t takt_sim_retell(takt_sim_t *sim, const takt_record_t *records, uint64_t count,
                                     takt_instant_t horizon, const takt_sim_sinks_t *sinks);

#endif
