/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rate-based: the rate-based scheduler with a ledger of reservations.
 *
 * Source: S0 after RBED; the integer form of its rules: SPEC.md, 10. Every admitted task holds a reservation, a
 * rate in units of 1 / TAKT_RATE_WHOLE; the sum of all, the ledger, is never above the whole. Rates of soft tasks
 * and of those of class none follow from who is admitted. A task changes its rate at the end of its window, its
 * boundary; what it gives up is granted to others from then on (hard tasks first, then soft ones, then class none).
 * A task may ask for other parameters. They come into force, all at once, when its rate is the one that it is to have
 * with them: at its boundary, so that every window has the rate that its budget needs.
 *
 * A task computes its target at its own boundary, if somebody entered or left since. The share that a window has
 * been given is kept in closed form: what it was when the rate last changed.
 * Cost: O(log n) per event and the number of tasks that wait for rate; where anything changes in flight, O(n) more
 * for each request and each unlock that a task waits for.
 *
 * Tasks share resources under srp (SPEC.md, 10): ceilings are those of who is there, taken at the lock, which costs
 * the number of users; a target is adopted where it passes no ceiling of what others hold, at the cost of the resources
 * of the task; capacity is what blocking leaves of the whole. A request that ends the longest blocking costs O(n). */
#ifndef TAKT_POLICY_RATE_BASED_H
#define TAKT_POLICY_RATE_BASED_H

#include "core/allocator.h"

/* One whole processor: 2^4 3^2 5^3 7 11 13, so that the rates of common periods are exact. */
#define TAKT_RATE_WHOLE UINT64_C(18018000)

/* Periods, budgets and the grid are at most this: 2^37 times the whole is below 2^62. */
#define TAKT_RATE_LONGEST (UINT64_C(1) << 37)

/* Weights are below this, so that the sum of all times the whole is below 2^62. */
#define TAKT_RATE_WEIGHTS (UINT64_C(1) << 16)

/* How many jobs an estimate looks back at most. */
enum { TAKT_RATE_JOBS = 16 };

/* When a task gives up rate. */
typedef enum takt_rate_rule {
    TAKT_RATE_BOUNDARY = 0, /* at its boundary */
    TAKT_RATE_IN_FLIGHT =
        1,               /* a soft one also as soon as it is not ahead of its share, with a later deadline */
    TAKT_RATE_NAIVE = 2, /* at once: unsafe, to compare with */
} takt_rate_rule_t;

typedef struct takt_rate_settings {
    uint64_t beta;        /* share of class none; read unless it follows from formula (3) */
    uint64_t sigma;       /* least share of all soft tasks, kept free when hard ones are admitted */
    takt_duration_t grid; /* >= 1: stretched periods are multiples of it */
    takt_rate_rule_t rule;
    uint32_t estimate_jobs; /* 1 .. TAKT_RATE_JOBS: a smaller estimate is the largest of that many jobs */
    bool has_formula;
    bool has_background;  /* class none uses time that nobody else wants, beyond its budget */
    bool has_compression; /* a soft task whose rate grows gets an earlier deadline in flight */
    bool has_cuts;        /* a task of class none gives up rate in flight, with a smaller budget */
} takt_rate_settings_t;

typedef enum takt_rate_stage {
    TAKT_RATE_OUT = 0,
    TAKT_RATE_WAITING = 1, /* admitted, and there is no room yet */
    TAKT_RATE_IN = 2,
    TAKT_RATE_LEAVING = 3, /* asked to leave, and not done yet */
} takt_rate_stage_t;

/* What a task has, or is to have. */
typedef struct takt_rate_target {
    uint64_t rate;
    takt_duration_t budget;
    takt_duration_t period;
} takt_rate_target_t;

struct takt_rate_task;

/* That a task locks a resource. The caller's memory. */
typedef struct takt_rate_use {
    takt_resource_t *resource;
    struct takt_rate_task *user;
    struct takt_rate_use *next;         /* of the task */
    struct takt_rate_use *next_of_same; /* of the resource */
} takt_rate_use_t;

/* What sharing takes from the processor while a task is there, as rates; of several tasks it is the longest blocking
 * and the sum of the excess. */
typedef struct takt_rate_blocking {
    uint64_t longest; /* for how long another one may block it, by its deadline */
    uint64_t excess;  /* what its sections may execute beyond budgets, by its period */
} takt_rate_blocking_t;

/* Who shares a resource. The caller's memory. */
typedef struct takt_rate_share {
    takt_rate_use_t *uses;
    bool is_awaited; /* somebody is not to rise above its ceiling */
} takt_rate_share_t;

/* What the rate-based scheduler knows of a task. Class, period and relative deadline stand in the task. */
typedef struct takt_rate_task {
    takt_task_extension_t extension;     /* of the task */
    struct takt_rate_task *next;         /* in file order */
    struct takt_rate_task *next_pending; /* of its class, in file order */
    takt_change_t *asked;                /* the parameters that it asked for last; NULL: as it was added */
    uint64_t request;                    /* the rate that it asks for */
    uint64_t weight;
    takt_duration_t wcet;                   /* that it asked for; this and the next two: as of `asked` */
    takt_duration_t window;                 /* the period, or of a hard task the relative deadline */
    takt_duration_t estimate;               /* of the wcet: the budget that it asks for */
    takt_duration_t executed;               /* by the current job, in budgets that were refilled */
    takt_duration_t latest[TAKT_RATE_JOBS]; /* what the last jobs executed, a ring */
    uint32_t finished;         /* how many jobs that was, up to the size of the ring and around */
    takt_rate_target_t target; /* as of `epoch` */
    takt_rate_target_t now;    /* in force */
    int64_t share;             /* of the window, in ticks times the whole, up to share_at */
    takt_instant_t share_at;
    takt_instant_t deadline;     /* end of the window */
    takt_instant_t next_release; /* nominal */
    uint64_t begun;              /* windows: how many began at their time */
    uint64_t fed_back;           /* how often a budget that was used up called the allocator */
    uint32_t epoch;
    takt_rate_stage_t stage;
    bool is_asking;        /* `asked` is not in force yet */
    bool is_pending;       /* it waits for room, or at its boundary for rate */
    bool is_greedy;        /* its jobs use the whole budget of a window */
    bool is_late;          /* the current job was unfinished at its deadline */
    bool adapts;           /* soft: the estimate follows what its jobs execute */
    takt_rate_use_t *uses; /* of resources; NULL for most tasks */
    takt_rate_blocking_t blocking;
    takt_duration_t debt;   /* what a section executed beyond the budget, when that is used up */
    takt_duration_t credit; /* in a section beyond the budget: what the budget was raised by */
} takt_rate_task_t;

typedef struct takt_rate_based {
    takt_allocation_t allocation; /* first of all */
    takt_rate_settings_t settings;
    takt_rate_task_t *first; /* all tasks */
    takt_rate_task_t *last;
    takt_rate_task_t *pending[3]; /* of each class */
    takt_rate_task_t *last_pending[3];
    uint64_t requested[3];     /* sum of the rates that the admitted tasks of each class ask for */
    uint64_t admitted[3];      /* how many */
    uint64_t weights;          /* sum of those of class none */
    uint64_t soft;             /* what all soft tasks together are to have */
    uint64_t none;             /* likewise class none */
    uint64_t reserved;         /* the ledger */
    uint32_t epoch;            /* counts the requests that changed targets */
    uint32_t swept;            /* in flight: the last epoch that open windows have been told of, or none */
    takt_rate_share_t *shares; /* of all resources of the dispatcher, by number */
    takt_rate_blocking_t blocking; /* of the admitted: what is left of the whole is divided among them */
    takt_rate_blocking_t
        blocking_there; /* and of those that have not left yet: the ledger leaves that free */
} takt_rate_based_t;

/* Makes `rates`, zeroed, the allocator of `dispatcher`. */
void takt_rate_based_init(takt_rate_based_t *rates, const takt_rate_settings_t *settings,
                          takt_dispatcher_t *dispatcher);

/* Adds a task of the allocator under the root, in file order: `parameters` with the extension of
 * `rate`, which is zeroed, and the budget that it asks for as its wcet (class none: no matter). It enters by an
 * event. */
void takt_rate_based_add(takt_rate_based_t *rates, takt_rate_task_t *rate, takt_task_t *task,
                         takt_entity_t *entity, const takt_task_parameters_t *parameters, uint64_t weight,
                         bool is_greedy);

/* From now on the estimate of `rate`, a soft task, follows what its jobs execute. */
TAKT_INLINE void takt_rate_based_adapt(takt_rate_task_t *rate) { rate->adapts = true; }

/* The release of the first job that waits, of a hard task. They come a period apart, and so does the first one after
 * the current job where that still has an older period. */
TAKT_INLINE takt_instant_t takt_rate_first_waiting(const takt_rate_task_t *rate) {
    const takt_task_t *task = rate->extension.task;
    return TAKT_LIKELY(rate->extension.behind == NULL) ? rate->next_release - task->waiting * task->job.period
                                                       : task->job.release + task->job.period;
}

/* `shares`, zeroed, is a table of all resources of the dispatcher. Call before the next two. */
TAKT_INLINE void takt_rate_based_set_shares(takt_rate_based_t *rates, takt_rate_share_t *shares) {
    rates->shares = shares;
}

/* `rate` locks `resource`, of protocol srp. `use` is zeroed. */
void takt_rate_based_use(takt_rate_task_t *rate, takt_rate_use_t *use, takt_resource_t *resource);

/* `rate` has `blocking`, both at most twice the whole, which is too much for anybody. */
TAKT_INLINE void takt_rate_based_set_blocking(takt_rate_task_t *rate, takt_rate_blocking_t blocking) {
    rate->blocking = blocking;
}

/* Whether `rate` has budget left if so much is left of its job's. */
TAKT_INLINE bool takt_rate_has_budget(const takt_rate_task_t *rate, takt_duration_t remaining) {
    return remaining > rate->credit;
}

TAKT_INLINE takt_rate_task_t *takt_rate_task_of(const takt_task_t *task) {
    return TAKT_CONTAINER_OF(task->extension, takt_rate_task_t, extension);
}

#endif
