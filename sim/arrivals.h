/* Arrivals: when the jobs of external tasks come, one timer per task. Part of the simulator. */
#ifndef TAKT_SIM_ARRIVALS_H
#define TAKT_SIM_ARRIVALS_H

#include "sim/sim.h"

/* Task of the source of requests; its index is the one of the next request, as is the nominal instant of what it
 * gives. */
#define TAKT_SIM_REQUESTS UINT32_MAX

typedef struct takt_sim_source {
    takt_timer_t timer;     /* when the next job is released; the wheel is sim->arrivals */
    uint32_t task;          /* index into the spec */
    uint64_t index;         /* of that job */
    takt_instant_t nominal; /* its arrival */
} takt_sim_source_t;

/* Arms the first arrival of every external task, and the first request; false when memory is short. */
TAKT_MUST_USE bool takt_sim_arrivals_create(takt_sim_t *sim);

/* The arrival that comes first, if it comes at or before `until`: moves its source on to its next one and
 * writes instant and nominal instant to `arrival`. NULL if there is none. */
takt_sim_source_t *takt_sim_arrivals_take(takt_sim_t *sim, takt_instant_t until, takt_arrival_t *arrival);

/* The instant of the next arrival, or an earlier one to look again; TAKT_NEVER if none comes. */
TAKT_INLINE takt_instant_t takt_sim_arrivals_next(const takt_sim_t *sim) {
    return takt_timers_next(&sim->arrivals);
}

#endif
