/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Global scheduling: plain tasks on several processors, without costs. Part of the simulator.
 *
 * Source: SPEC.md, 11. A separate loop beside sim.c, on takt_dispatcher_take_next. Left out: all that makes jobs wait, and the
 * kernel's own work; the creator of the spec rejects these. */
#ifndef TAKT_SIM_GLOBAL_H
#define TAKT_SIM_GLOBAL_H

#include "sim/sim.h"

/* As takt_sim_run, for a simulation whose spec counts its processors, be it one. */
void takt_global_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                     takt_trace_t *trace);

#endif
