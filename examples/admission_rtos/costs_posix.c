/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* In virtual time only jobs take time. */
#include "admission.h"

const takt_overheads_t admission_costs = {.tick_period = ADMISSION_LINE_US};
const takt_duration_t admission_masked = 0;
const takt_duration_t admission_ticks = 1;
