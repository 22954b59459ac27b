/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Architectures: cost models of a scheduler in software on the processor of the tasks, on a co-processor, or in
 * hardware. Part of the simulator.
 *
 * Source: Vetromille et al. 2006 (SoRTS, Co-SoRTS, HaRTS). The paper lists neither benchmarks nor all of the costs; SPEC.md, 5 has
 * the rules. Core alone decides which task runs: at each scheduling point the scheduler steps core up to the instant
 * that it knows, and takes the decision. An architecture determines the scheduling points, the instant known there,
 * and the costs of scheduling and switching. Core's clock is this known instant; with a co-processor it is past.
 *
 * A job is dropped when the scheduler learns that it is unfinished at its deadline. It is also dropped at its release
 * if its predecessor is unfinished. Both count as misses, and so does a job that finishes late.
 *
 * Left out: everything but periodic tasks at the root that only execute. */
#ifndef TAKT_SIM_ARCHITECTURE_H
#define TAKT_SIM_ARCHITECTURE_H

#include "sim/sim.h"

/* See frames.def. */
typedef struct takt_architecture_figures {
    TAKT_FIGURES(TAKT_STATISTIC)
} takt_architecture_figures_t;

/* Runs the ticks 0 .. horizon-1 of a simulation that has not run yet, as takt_sim_run. Its costs are 0, its tasks
 * periodic, plain but for TAKT_ON_MISS_DROP, and at the root; the root's policy has no `overtake`. What begins at or
 * after the horizon does not happen. A deadline that the scheduler has not processed is no miss. */
void takt_architecture_run(takt_sim_t *sim, const takt_architecture_t *architecture, takt_instant_t horizon,
                           const takt_sim_sinks_t *sinks, takt_trace_t *trace,
                           takt_architecture_figures_t *figures);

#endif
