/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Simulator: a discrete-event loop that drives core exactly as a kernel does.
 *
 * It owns what core must not know: arrivals that no period determines, the body and the demand of each job,
 * and the costs of the kernel's own work. When the running job has received its demand, the simulator posts
 * a completion event. Nothing is kept per job unless a sink needs it. */
#ifndef TAKT_SIM_SIM_H
#define TAKT_SIM_SIM_H

#include "sim/system.h"
#include "sim/frames.def"

/* Numbers of words in columns; see frames.def. */
#define TAKT_SIM_WORD(constant, word) TAKT_SIM_##constant,
typedef enum takt_sim_lock { TAKT_LOCK_WORDS(TAKT_SIM_WORD) } takt_sim_lock_t;
typedef enum takt_sim_kernel_work { TAKT_KERNEL_WORDS(TAKT_SIM_WORD) } takt_sim_kernel_work_t;
#undef TAKT_SIM_WORD

typedef struct takt_sim_options {
    uint64_t seed; /* of all that is drawn */
    takt_sim_costs_t costs;
    /* Where the scheduler runs; NULL: nowhere special. Then costs are 0, and tasks periodic, plain but for
     * TAKT_ON_MISS_DROP, and at the root, whose policy has no `overtake`. What begins at or after the horizon does not
     * happen. A deadline that the scheduler has not processed is no miss. Caller's memory. */
    const takt_architecture_t *architecture;
} takt_sim_options_t;

#define TAKT_STATISTIC(column, unit, meaning) uint64_t column;

/* Per task, over all jobs so far; see frames.def. response_min is TAKT_NEVER if no job has finished. */
typedef struct takt_sim_statistics {
    TAKT_STATISTICS(TAKT_STATISTIC)
} takt_sim_statistics_t;

/* Of a run under an architecture; see frames.def. */
typedef struct takt_architecture_figures {
    TAKT_FIGURES(TAKT_STATISTIC)
} takt_architecture_figures_t;

#define TAKT_SINK_PARAMETER(type, stored, column, ...) , type column
#define TAKT_SINK(FRAME, frame, sink, ...) \
    void (*sink)(void *context TAKT_##FRAME##_COLUMNS(TAKT_SINK_PARAMETER));

/* A job that is ready or runs, as a policy outside of core sees it. */
typedef struct takt_sim_job {
    uint32_t task; /* index into the spec */
    uint32_t number;
    takt_instant_t release;
    takt_instant_t deadline;
    takt_duration_t executed; /* up to now */
    bool is_running;          /* it executed until now */
    takt_key_t key; /* 1 .. TAKT_KEY_LEAST_URGENT: in force; the callback writes the one from now on */
} takt_sim_job_t;

/* Callbacks of a run, one for each frame of frames.def; members may be NULL. `task` is an index into the spec; of a segment
 * task_count + i: server i idled. Unlike its frame, `budget` is called for every server at every decision, and when a budget
 * changes in between; `ledger` at every decision. `window` is called just before `job`. */
typedef struct takt_sim_sinks {
    void *context;
    TAKT_FRAMES(TAKT_SINK)
    /* Called from time to time; false ends the run at once, with incomplete results. */
    bool (*progress)(void *context, takt_instant_t now);
    /* Gives the keys of `count` jobs, all of the root, which has no servers and no architecture: called before each
     * decision, and at multiples of `rekey_every`, if that is not 0. The policy of the system writes a job's level as
     * its key. */
    void (*rekey)(void *context, takt_instant_t now, takt_sim_job_t *jobs, uint32_t count);
    takt_duration_t rekey_every;
} takt_sim_sinks_t;

typedef struct takt_sim {
    takt_system_t system;
    const takt_task_spec_t *specs;
    const takt_window_spec_t *windows; /* of each task, or NULL */
    takt_sim_options_t options;
    takt_sim_statistics_t *statistics; /* per task */
    uint64_t decisions;
    uint64_t invocations;     /* of the scheduler, if it has a cost or points pull */
    uint64_t switches;        /* to a task other than the one that ran last */
    takt_duration_t overhead; /* kernel time before the horizon */
    takt_architecture_figures_t figures;
    struct takt_sim_work *work;
    struct takt_sim_source *sources; /* of the external tasks */
    uint32_t task_source_count;      /* two of changes may come after them */
    takt_timers_t arrivals;
    takt_timers_row_t *arrival_rows;
    const takt_change_spec_t *changes;
    bool is_short_of_memory;  /* the run ended early */
    bool has_origins;         /* deadlines of some jobs count from their origins */
    struct takt_links *links; /* of the tasks that others release; NULL: there are none */
    uint32_t part;            /* number of the simulation in the links */
} takt_sim_t;

/* Builds a simulation of `spec`; false as takt_system_create. The tasks and windows of the spec, and what they
 * point to, must outlive the simulation. `options` NULL: seed 0, no costs. */
TAKT_MUST_USE bool takt_sim_create(takt_sim_t *sim, const takt_system_spec_t *spec,
                                   const takt_sim_options_t *options);

void takt_sim_destroy(takt_sim_t *sim);

/* Runs the ticks 0 .. horizon-1 of a simulation that has not run yet. `sinks` and `trace` may be NULL. */
void takt_sim_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace);

#endif
