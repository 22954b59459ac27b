/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reports that only tasks with windows (policy/window.h) need.
 * Part of the simulator. */
#ifndef TAKT_SIM_WINDOWED_H
#define TAKT_SIM_WINDOWED_H

#include "sim/sim.h"

/* True if `task` is the allocator's own task in `system`. */
TAKT_INLINE bool takt_system_is_allocator(const takt_system_t *system, const takt_task_t *task) {
    return system->calls.task == task;
}

/* Reports the deadline of the current job of `task`, which gets its demand by `finish`; returns whether it is late. */
bool takt_sim_report_windowed_finish(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                     takt_instant_t finish);

/* Reports that the current job of `task` ends unfinished. */
void takt_sim_report_windowed_loss(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                   takt_allocation_event_t event);

/* Reports the unfinished jobs of `task` and closes its statistics; see takt_sim_report_end. */
void takt_sim_report_windowed_end(const takt_sim_t *sim, const takt_sim_sinks_t *sinks, uint32_t task,
                                  takt_instant_t seen);

#endif
