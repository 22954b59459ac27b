/* Simulator: a discrete-event loop that drives core exactly as a kernel does.
 *
 * It owns what core must not know, the demand of each job, and turns "the running job has received
 * its demand" into a completion event. Nothing is kept per job unless a sink asks for it. */
#ifndef TAKT_SIM_SIM_H
#define TAKT_SIM_SIM_H

#include "sim/system.h"

/* Per task, over all jobs so far. Times in ticks. */
typedef struct takt_sim_statistics {
    uint64_t released;
    uint64_t finished;
    uint64_t missed;              /* finished late, or unfinished with a deadline at or before the horizon */
    uint64_t preemptions;         /* a started, unfinished job left the processor */
    takt_duration_t response_min; /* of the finished jobs; TAKT_NEVER if none */
    takt_duration_t response_max;
    takt_duration_t response_sum;
    takt_duration_t busy; /* service received */
} takt_sim_statistics_t;

/* What a run tells while it goes on; members may be NULL. `task` is an index into the spec. */
typedef struct takt_sim_sinks {
    void *context;
    /* A job ran in [start, end); neighbours of one job are already merged. */
    void (*segment)(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                    uint32_t job);
    /* A job finished, or is unfinished at the horizon (finish = TAKT_NEVER, called in task order). */
    void (*job)(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
                bool missed);
    /* The budget of a server at `now`, and whether it is being charged from then on: told for every
     * server at every decision, and when a budget changes in between. Instants of one server ascend. */
    void (*budget)(void *context, takt_instant_t now, uint32_t server, takt_duration_t budget,
                   bool is_charged);
} takt_sim_sinks_t;

typedef struct takt_sim {
    takt_system_t system;
    takt_sim_statistics_t *statistics; /* per task */
    uint64_t decisions;
    struct takt_sim_demand *demands;
} takt_sim_t;

/* Builds a simulation of `spec`; false as takt_system_create. */
TAKT_MUST_USE bool takt_sim_create(takt_sim_t *sim, const takt_system_spec_t *spec);

void takt_sim_destroy(takt_sim_t *sim);

/* Runs ticks 0 .. horizon-1. Call once. `sinks` may be NULL: counting only. `trace` may be NULL. */
void takt_sim_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace);

#endif
