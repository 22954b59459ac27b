/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rate-based: the rate-based scheduler with a ledger of reservations.
 *
 * Source: Springer and Zhao 2024 after RBED; the integer form of its rules: SPEC.md, 10. Every admitted task holds a
 * reservation, a rate in units of 1 / TAKT_RATE_WHOLE. Invariant: the ledger, the sum of all reservations, is at most
 * the whole. Rates of soft and best-effort tasks follow from the set of admitted tasks. A task changes its rate at the
 * end of its window, its boundary. From then on the rate that it gives up is granted to others: hard tasks first, then
 * soft ones, then best-effort ones. A task may request new parameters. All come into force together, at the boundary
 * at which it gets the rate that they need. So every window has the rate that its budget needs.
 *
 * A task computes its target at its own boundary, if a task has entered or left since. The share that a window has
 * received is kept in closed form: its value at the last change of the rate.
 * Cost: O(log n) per event and the number of tasks that wait for rate; where anything changes in flight, O(n) more
 * for each request and each unlock that a task waits for.
 *
 * Tasks share resources under srp (SPEC.md, 10). A ceiling is computed at the lock from the present users, at the
 * cost of their number. A target is adopted if its level passes no ceiling of what others hold, at the cost of the
 * task's resources. Capacity is the whole less blocking. A request that ends the longest blocking costs O(n). */
#ifndef TAKT_POLICY_RATE_BASED_H
#define TAKT_POLICY_RATE_BASED_H

#include "core/allocator.h"

TAKT_C_BEGIN

/* One whole processor: 2^4 3^2 5^3 7 11 13, so that the rates of common periods are exact. */
#define TAKT_RATE_WHOLE UINT64_C(18018000)

/* Periods, budgets and the grid are at most this: 2^37 times the whole is below 2^62. */
#define TAKT_RATE_LONGEST (UINT64_C(1) << 37)

/* Weights are below this, so that the sum of all times the whole is below 2^62. */
#define TAKT_RATE_WEIGHTS (UINT64_C(1) << 16)

/* Largest number of past jobs that an estimate considers. */
enum { TAKT_RATE_JOBS = 16 };

/* When a task gives up rate. */
typedef enum takt_rate_rule {
    TAKT_RATE_BOUNDARY = 0, /* at its boundary */
    TAKT_RATE_IN_FLIGHT =
        1,               /* a soft one also as soon as it is not ahead of its share, with a later deadline */
    TAKT_RATE_NAIVE = 2, /* at once: unsafe, for comparison */
} takt_rate_rule_t;

typedef struct takt_rate_settings {
    uint64_t beta;        /* share of best-effort tasks; read unless it follows from formula (3) */
    uint64_t sigma;       /* least share of all soft tasks, kept free when hard ones are admitted */
    takt_duration_t grid; /* >= 1: stretched periods are multiples of it */
    takt_rate_rule_t rule;
    uint32_t estimate_jobs; /* 1 .. TAKT_RATE_JOBS: a smaller estimate is the largest of that many jobs */
    bool has_formula;
    bool has_background;  /* best-effort tasks also run in idle time, beyond their budgets */
    bool has_compression; /* a soft task whose rate grows gets an earlier deadline in flight */
    bool has_cuts;        /* a best-effort task gives up rate in flight, with a smaller budget */
} takt_rate_settings_t;

typedef enum takt_rate_stage {
    TAKT_RATE_OUT = 0,
    TAKT_RATE_WAITING = 1, /* admitted; no rate is free yet */
    TAKT_RATE_IN = 2,
    TAKT_RATE_LEAVING = 3, /* requested to leave, still has its rate */
} takt_rate_stage_t;

/* The present or future reservation of a task. */
typedef struct takt_rate_target {
    uint64_t rate;
    takt_duration_t budget;
    takt_duration_t period;
} takt_rate_target_t;

struct takt_rate_task;

/* The use of a resource by a task. The caller's memory. */
typedef struct takt_rate_use {
    takt_resource_t *resource;
    struct takt_rate_task *user;
    struct takt_rate_use *next;         /* of the task */
    struct takt_rate_use *next_of_same; /* of the resource */
} takt_rate_use_t;

/* The rate that sharing takes from the processor while a task is present. For several tasks: the longest blocking and
 * the sum of the excess. */
typedef struct takt_rate_blocking {
    uint64_t longest; /* longest blocking by another task, per its deadline */
    uint64_t excess;  /* execution of its sections beyond budgets, per its period */
} takt_rate_blocking_t;

/* The users of a resource. The caller's memory. */
typedef struct takt_rate_share {
    takt_rate_use_t *uses;
    bool is_awaited; /* a task waits to adopt a target whose level is above its ceiling */
} takt_rate_share_t;

/* The state of a task under the rate-based scheduler. Class, period and relative deadline are in the task. */
typedef struct takt_rate_task {
    takt_task_extension_t extension;     /* of the task */
    struct takt_rate_task *next;         /* in file order */
    struct takt_rate_task *next_pending; /* of its class, in file order */
    takt_change_t *asked;                /* the last parameters requested; NULL: as it was added */
    uint64_t request;                    /* the rate that it requests */
    uint64_t weight;
    takt_duration_t wcet;                   /* requested; this and the next two: as of `asked` */
    takt_duration_t window;                 /* the period, or of a hard task the relative deadline */
    takt_duration_t estimate;               /* of the wcet: the budget that it requests */
    takt_duration_t executed;               /* by the current job, in earlier budgets */
    takt_duration_t latest[TAKT_RATE_JOBS]; /* execution times of the last jobs, a ring */
    uint32_t finished;                      /* number of these jobs, counted around the ring */
    takt_rate_target_t target;              /* as of `epoch` */
    takt_rate_target_t now;                 /* in force */
    int64_t share;                          /* of the window, in ticks times the whole, up to share_at */
    takt_instant_t share_at;
    takt_instant_t deadline;     /* end of the window */
    takt_instant_t next_release; /* nominal */
    uint64_t begun;              /* number of windows that began on time */
    uint64_t fed_back;           /* how often an exhausted budget called the allocator */
    uint32_t epoch;
    takt_rate_stage_t stage;
    bool is_asking;        /* `asked` is not in force yet */
    bool is_pending;       /* it waits for room, or at its boundary for rate */
    bool is_greedy;        /* its jobs use the whole budget of a window */
    bool is_late;          /* the current job was unfinished at its deadline */
    bool adapts;           /* soft: the estimate follows what its jobs execute */
    takt_rate_use_t *uses; /* of resources; NULL for most tasks */
    takt_rate_blocking_t blocking;
    takt_duration_t debt;   /* execution of a section beyond the exhausted budget */
    takt_duration_t credit; /* in a section beyond the budget: the raise of the budget */
} takt_rate_task_t;

typedef struct takt_rate_based {
    takt_allocation_t allocation; /* first of all */
    takt_rate_settings_t settings;
    takt_rate_task_t *first; /* all tasks */
    takt_rate_task_t *last;
    takt_rate_task_t *pending[3]; /* of each class */
    takt_rate_task_t *last_pending[3];
    uint64_t requested[3];         /* sum of the rates requested by the admitted tasks of each class */
    uint64_t admitted[3];          /* number of admitted tasks of each class */
    uint64_t weights;              /* sum of those of best-effort tasks */
    uint64_t soft;                 /* target rate of all soft tasks together */
    uint64_t none;                 /* likewise of best-effort tasks */
    uint64_t reserved;             /* the ledger */
    uint32_t epoch;                /* counts the requests that changed targets */
    uint32_t swept;                /* in flight: the last epoch that open windows know, or none */
    takt_rate_share_t *shares;     /* of all resources of the dispatcher, by number */
    takt_rate_blocking_t blocking; /* of the admitted tasks, which share the rest of the whole */
    /* Also of those that have not left yet: the ledger leaves that free. */
    takt_rate_blocking_t blocking_there;
} takt_rate_based_t;

/* Makes `rates`, zeroed, the allocator of `dispatcher`. */
void takt_rate_based_init(takt_rate_based_t *rates, const takt_rate_settings_t *settings,
                          takt_dispatcher_t *dispatcher);

/* Adds a task of the allocator under the root, in file order. `parameters` has the extension of `rate`, which is
 * zeroed, and as wcet the budget that the task requests (ignored for best-effort tasks). The task enters by an
 * event. */
void takt_rate_based_add(takt_rate_based_t *rates, takt_rate_task_t *rate, takt_task_t *task,
                         takt_entity_t *entity, const takt_task_parameters_t *parameters, uint64_t weight,
                         bool is_greedy);

/* Lets the estimate of `rate`, a soft task, follow the execution times of its jobs. */
TAKT_INLINE void takt_rate_based_adapt(takt_rate_task_t *rate) { rate->adapts = true; }

/* Returns the release of the first waiting job of a hard task. Waiting jobs are a period apart; so is the first of them
 * from the current job, if that still has an older period. */
TAKT_INLINE takt_instant_t takt_rate_first_waiting(const takt_rate_task_t *rate) {
    const takt_task_t *task = rate->extension.task;
    return TAKT_LIKELY(rate->extension.behind == NULL) ? rate->next_release - task->waiting * task->job.period
                                                       : task->job.release + task->job.period;
}

/* `shares`, zeroed, is a table of all resources of the dispatcher. Call before the next two. */
TAKT_INLINE void takt_rate_based_set_shares(takt_rate_based_t *rates, takt_rate_share_t *shares) {
    rates->shares = shares;
}

/* True if a task of class `type` may have `period` and `deadline`, and `weight` is one that a task may have. */
TAKT_INLINE bool takt_rate_fits_class(takt_task_class_t type, takt_duration_t period,
                                      takt_duration_t deadline) {
    return type == TAKT_CLASS_HARD ? deadline <= period : deadline == period;
}
TAKT_INLINE bool takt_rate_is_weight(uint64_t weight) { return weight >= 1 && weight < TAKT_RATE_WEIGHTS; }

/* Declares that `rate` locks `resource`, of protocol srp. `use` is zeroed. */
void takt_rate_based_use(takt_rate_task_t *rate, takt_rate_use_t *use, takt_resource_t *resource);

/* Sets the blocking of `rate`. Both members are at most twice the whole, which no task is admitted with. */
TAKT_INLINE void takt_rate_based_set_blocking(takt_rate_task_t *rate, takt_rate_blocking_t blocking) {
    rate->blocking = blocking;
}

/* True if `rate` has budget left when its job's budget has `remaining`. */
TAKT_INLINE bool takt_rate_has_budget(const takt_rate_task_t *rate, takt_duration_t remaining) {
    return remaining > rate->credit;
}

TAKT_INLINE takt_rate_task_t *takt_rate_task_of(const takt_task_t *task) {
    return TAKT_CONTAINER_OF(task->extension, takt_rate_task_t, extension);
}

TAKT_C_END

#endif
