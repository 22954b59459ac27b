/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demands: parameters that rate-based tasks request, and the records that keep requests. Used for threads of this
 * kernel (rate.h) and of another kernel (hybrid.h). */
#ifndef TAKT_KERNEL_DEMAND_H
#define TAKT_KERNEL_DEMAND_H

#include "policy/rate_based.h"

/* Parameters that a task requests. */
typedef struct takt_rate_demand {
    takt_duration_t wcet;              /* ticks, 1 .. relative deadline; not read for best-effort tasks */
    takt_duration_t period;            /* ticks, 1 .. TAKT_RATE_LONGEST; soft: the requested period */
    takt_duration_t relative_deadline; /* ticks, at most the period if the task is hard; 0: the period */
    uint64_t weight;                   /* 1 .. TAKT_RATE_WEIGHTS - 1; read for best-effort tasks only */
} takt_rate_demand_t;

/* Pending requests of the tasks of a scheduler. Private. */
typedef struct takt_rate_records {
    takt_change_t *changes;
    uint32_t count;
} takt_rate_records_t;

#endif
