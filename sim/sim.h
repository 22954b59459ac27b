/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Simulator: a discrete-event loop that drives core exactly as a kernel does.
 *
 * It owns what core must not know: arrivals that no period determines, the body and the demand of each job,
 * and the costs of the kernel's own work. When the running job has received its demand, the simulator posts
 * a completion event. Nothing is kept per job unless a sink needs it. */
#ifndef TAKT_SIM_SIM_H
#define TAKT_SIM_SIM_H

#include "sim/system.h"

typedef struct takt_sim_options {
    uint64_t seed; /* of all that is drawn */
    takt_sim_costs_t costs;
} takt_sim_options_t;

/* Per task, over all jobs so far. Times in ticks. */
typedef struct takt_sim_statistics {
    uint64_t released;
    uint64_t finished;
    uint64_t missed_requested; /* of a rate-based system: misses of the requested deadline */
    uint64_t missed;  /* finished late, aborted, skipped, or unfinished with a deadline at or before the
                             horizon */
    uint64_t aborted; /* ended at their deadlines, or when their budgets were exhausted */
    uint64_t skipped; /* dropped at their releases */
    uint64_t cut;     /* ended without their whole demand, mandatory parts done */
    takt_duration_t optional_executed; /* of the optional parts of ended jobs */
    takt_duration_t optional_wanted;
    uint64_t overruns;            /* finished, but executed longer than the wcet */
    uint64_t preemptions;         /* a started, unfinished job left the processor */
    uint64_t migrations;          /* a job continued on another processor; see global.h */
    takt_duration_t response_min; /* of the finished jobs; TAKT_NEVER if none */
    takt_duration_t response_max;
    takt_duration_t response_sum;
    takt_duration_t busy; /* service received */
} takt_sim_statistics_t;

/* Calls of an allocator for windows of a task. */
typedef struct takt_sim_calls {
    uint64_t all;
    uint64_t feedback; /* of these, because a job had exhausted its budget */
} takt_sim_calls_t;

typedef enum takt_sim_lock {
    TAKT_SIM_LOCKED = 0,
    TAKT_SIM_BLOCKED = 1,
    TAKT_SIM_UNLOCKED = 2,
    TAKT_SIM_DEADLOCKED = 3,
} takt_sim_lock_t;

/* What the kernel does; see architecture.h. */
typedef enum takt_sim_kernel_work {
    TAKT_SIM_RTOS = 0,   /* an entry of the scheduler */
    TAKT_SIM_SWITCH = 1, /* a switch to a task */
} takt_sim_kernel_work_t;

/* Callbacks of a run; members may be NULL. `task` is an index into the spec. */
typedef struct takt_sim_sinks {
    void *context;
    /* A job ran in [start, end); adjacent segments of one job are merged. `task` = task_count + i: server i
     * idled, in job 0. */
    void (*segment)(void *context, takt_instant_t start, takt_instant_t end, uint32_t cpu, uint32_t task,
                    uint32_t job);
    /* A job finished; or it was aborted or skipped, or is unfinished at the horizon (finish = TAKT_NEVER; the
     * unfinished ones come last, in task order). */
    void (*job)(void *context, uint32_t task, uint32_t job, takt_instant_t release, takt_instant_t finish,
                bool missed);
    /* The budget of a server at `now`, and whether it is charged from then on (not once it is 0). Called for every
     * server at every decision, and when a budget changes in between. Instants of one server ascend. */
    void (*budget)(void *context, takt_instant_t now, uint32_t server, takt_duration_t budget,
                   bool is_charged);
    /* A job is at a preemption point; `should_yield` is valid for non-preemptive jobs. */
    void (*point)(void *context, takt_instant_t now, uint32_t task, uint32_t job, bool is_optional,
                  bool should_yield);
    /* An event of a resource: a job locked it, unlocked it, has to wait for it, or is deadlocked (called once for
     * each job of the circle, first for the job that closed it). */
    void (*lock)(void *context, takt_instant_t now, uint32_t task, uint32_t job, uint32_t resource,
                 takt_sim_lock_t what);
    /* Kernel work in [start, end), which is not empty; called under an architecture only. */
    void (*kernel)(void *context, takt_instant_t start, takt_instant_t end, takt_sim_kernel_work_t what);
    /* From here on: rate-based systems, `window` also with deadline rules. An event of a task, and what it then has. */
    void (*allocation)(void *context, takt_instant_t now, uint32_t task, takt_allocation_event_t event,
                       uint64_t rate, takt_duration_t budget, takt_duration_t period);
    /* Called just before `job`: the end of the last window of the job, TAKT_NEVER if it had none, and whether the job
     * missed the requested deadline. */
    void (*window)(void *context, uint32_t task, uint32_t job, takt_instant_t deadline, bool missed);
    /* The sum of all reservations from `now` on, at every decision. */
    void (*ledger)(void *context, takt_instant_t now, uint64_t reserved);
    /* Called from time to time; false ends the run at once, with incomplete results. */
    bool (*progress)(void *context, takt_instant_t now);
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
    struct takt_sim_work *work;
    struct takt_sim_source *sources; /* of the external tasks */
    uint32_t task_source_count;      /* two of changes may come after them */
    takt_timers_t arrivals;
    takt_timers_row_t *arrival_rows;
    const takt_change_spec_t *changes;
    bool is_short_of_memory; /* the run ended early */
} takt_sim_t;

/* Builds a simulation of `spec`; false as takt_system_create. The tasks and windows of the spec, and what they
 * point to, must outlive the simulation. `options` NULL: seed 0, no costs. */
TAKT_MUST_USE bool takt_sim_create(takt_sim_t *sim, const takt_system_spec_t *spec,
                                   const takt_sim_options_t *options);

void takt_sim_destroy(takt_sim_t *sim);

/* Runs the ticks 0 .. horizon-1 of a simulation that has not run yet. `sinks` and `trace` may be NULL. */
void takt_sim_run(takt_sim_t *sim, takt_instant_t horizon, const takt_sim_sinks_t *sinks,
                  takt_trace_t *trace);

/* Returns the calls for `task` so far. */
takt_sim_calls_t takt_sim_calls_of(const takt_sim_t *sim, uint32_t task);

#endif
