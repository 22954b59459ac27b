/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Arrivals: the instants at which jobs of external tasks arrive, one timer per task. Part of the simulator. */
#ifndef TAKT_SIM_ARRIVALS_H
#define TAKT_SIM_ARRIVALS_H

#include "sim/sim.h"

/* Tasks of the sources of changes, of tasks and of the policy. Their indices are those of the next ones in the table
 * of changes; the nominal instant of what they give is the number of a change. */
#define TAKT_SIM_CHANGES UINT32_MAX
#define TAKT_SIM_POLICIES (UINT32_MAX - 1u)

typedef struct takt_sim_source {
    takt_timer_t timer;     /* when the next job is released; the wheel is sim->arrivals */
    uint32_t task;          /* index into the spec */
    uint64_t index;         /* of that job */
    takt_instant_t nominal; /* its arrival */
    takt_instant_t front;   /* release of the job in front of it */
    takt_duration_t period; /* to the next one */
    takt_instant_t entered; /* what listed arrivals count from */
    uint64_t first;         /* index of the first job since then */
} takt_sim_source_t;

/* Arms the first arrival of every external task, and the first changes; false when memory is short. */
TAKT_MUST_USE bool takt_sim_arrivals_create(takt_sim_t *sim);

/* Returns the source of `task`, which is external. */
takt_sim_source_t *takt_sim_arrivals_source(const takt_sim_t *sim, uint32_t task);

/* Takes the first arrival at or before `until`: advances its source to the next one, and writes instant and
 * nominal instant to `arrival`. Returns the source, NULL if there is no such arrival. */
takt_sim_source_t *takt_sim_arrivals_take(takt_sim_t *sim, takt_instant_t until, takt_arrival_t *arrival);

/* Postpones what has just been taken from `source`, one of changes, to `instant`. */
void takt_sim_arrivals_put_off(takt_sim_t *sim, takt_sim_source_t *source, takt_instant_t instant);

/* Adapts the arrivals of the task of change number `index`, if external: it enters, leaves or has another period. */
void takt_sim_arrivals_change(takt_sim_t *sim, uint32_t index);

/* Returns the instant of the next arrival, or an earlier one at which to ask again; TAKT_NEVER if there is none. */
TAKT_INLINE takt_instant_t takt_sim_arrivals_next(const takt_sim_t *sim) {
    return takt_timers_next(&sim->arrivals);
}

#endif
