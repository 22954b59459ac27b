/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Quick processor-demand analysis: the processor demand test, from the longest interval down, in few steps. */
#ifndef TAKT_ANALYSIS_QPA_H
#define TAKT_ANALYSIS_QPA_H

#include "analysis/demand.h"

/* The same verdict as takt_processor_demand, exact in the same model. The reported interval is too short, but not the
 * shortest such one. Takes a step for each interval that it checks: a few, up to some dozens where U is near 1. */
takt_demand_t takt_qpa(const takt_sporadic_t *tasks, uint32_t count, const takt_edf_blocking_t *blocking,
                       takt_demand_room_t *room, takt_effort_t *effort);

#endif
