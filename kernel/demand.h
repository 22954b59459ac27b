/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Demands: what rate-based tasks ask for, and what keeps it; of threads of this kernel (rate.h) and of another one's
 * (hybrid.h). */
#ifndef TAKT_KERNEL_DEMAND_H
#define TAKT_KERNEL_DEMAND_H

#include "policy/rate_based.h"

/* What a task wants. */
typedef struct takt_rate_demand {
    takt_duration_t wcet;              /* ticks, 1 .. relative deadline; of class none not read */
    takt_duration_t period;            /* ticks, 1 .. TAKT_RATE_LONGEST; soft: what it asks for */
    takt_duration_t relative_deadline; /* ticks, of a hard task at most the period; 0: the period */
    uint64_t weight;                   /* of class none: 1 .. TAKT_RATE_WEIGHTS - 1 */
} takt_rate_demand_t;

/* What the tasks of a scheduler ask for. Private. */
typedef struct takt_rate_records {
    takt_change_t *changes;
    uint32_t count;
} takt_rate_records_t;

#endif
