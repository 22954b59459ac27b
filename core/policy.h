/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Policy: what orders the children of one dispatcher. The interface; the policies are in policy/.
 *
 * Source: the split of allocator (fills attributes) and dispatcher (obeys them) of Wang and Lin 1999; rule 7 of
 * DESIGN.md. */
#ifndef TAKT_CORE_POLICY_H
#define TAKT_CORE_POLICY_H

#include "core/ready.h"

enum { TAKT_POLICY_VERSION = 4 };

/* Class of a task, HRT, SRT and NRT of Springer and Zhao 2024: breaks ties between equal computed keys. */
typedef enum takt_task_class {
    TAKT_CLASS_HARD = 0,
    TAKT_CLASS_SOFT = 1,
    TAKT_CLASS_NONE = 2,
} takt_task_class_t;

/* The job that an entity executes, or the current period of a server seen as a job. */
typedef struct takt_job {
    /* Static urgency, 1 = most urgent; see takt_level_from_priority. In windows of a rate-based task,
     * which has no priority, that by which ceilings bar it. */
    takt_key_t level;
    takt_duration_t period; /* distance of arrivals, the least one if sporadic; 0 if there is none */
    /* Of the wcet, 0 once it is overrun; of a server its budget. A job's is kept up to date only if it has a budget of
     * its own, or under a policy with `overtake`. */
    takt_duration_t remaining;
    takt_instant_t release;  /* nominal */
    takt_instant_t deadline; /* absolute */
    uint32_t number;         /* 0, 1, 2 ... */
    uint32_t task_class;     /* takt_task_class_t; a server's is hard */
} takt_job_t;

/* Ranks of ties; the class is added to all but the first. Before those of other jobs come, in the same
 * order among themselves, those of jobs with a threshold that have started. Before these come those of jobs that hold
 * a resource or wait for one, and first of all a started non-preemptive job. */
enum {
    TAKT_TIE_RANK_FIRST = 0,
    TAKT_TIE_RANK_LOCKING = 1,
    TAKT_TIE_RANK_STARTED = 4,
    TAKT_TIE_RANK_OWN = 7,
};
/* The tie of computed keys in words. */
#define TAKT_TIE_BY_CLASS_AND_ID "class hard, soft, none; then servers before tasks; then file order"
/* The tie of computed keys: class, then entity number, which is file order with servers before tasks.
 * (A task's jobs never compete with each other, so the job number is never asked.) */
TAKT_INLINE uint32_t takt_tie_by_class_and_id(const takt_entity_t *entity, const takt_job_t *job) {
    return takt_tie_of(job->task_class + (uint32_t)TAKT_TIE_RANK_OWN, takt_entity_number(entity));
}

/* Properties of every schedule of a policy: constant, and the name that tools read. A trait that is not set is
 * unknown: checks reject what needs it, and no analysis relies on it. */
#define TAKT_POLICY_TRAITS(X)                                                                              \
    /* Never idles while a job is ready. */                                                                \
    X(WORK_CONSERVING, is_work_conserving)                                                                 \
    /* `release` writes a function of level, period and relative deadline of the job, and nothing else. */ \
    X(STATIC_KEYS, has_static_keys)                                                                        \
    /* The key of a job is its absolute deadline, or the one that its deadline rule gives it. */           \
    X(DEADLINE_KEYS, has_deadline_keys)                                                                    \
    /* Keys are laxities: deadlines are met whenever earliest deadline first meets them. */                \
    X(LAXITY_KEYS, has_laxity_keys)                                                                        \
    /* Orders by periods: a task needs one, or a least separation. */                                      \
    X(NEEDS_PERIOD, needs_period)                                                                          \
    /* Gives deadlines by intervals of events: a task needs one. */                                        \
    X(NEEDS_INTERVAL, needs_interval)                                                                      \
    /* Brings a deadline rule for its tasks. */                                                            \
    X(RULE, is_rule)                                                                                       \
    /* Orders by virtual time, which follows from weights. */                                              \
    X(VIRTUAL_TIME, has_virtual_time)                                                                      \
    /* Gives jobs rates, budgets and deadlines at run time. */                                             \
    X(RATES, allocates_rates)                                                                              \
    /* Jobs execute in the slots of a table. */                                                            \
    X(SLOTS, has_slots)                                                                                    \
    /* Hard jobs are promoted before their deadlines. */                                                   \
    X(PROMOTIONS, promotes)                                                                                \
    /* Orders mandatory parts by level, optional ones behind them. */                                      \
    X(MANDATORY_PARTS, has_mandatory_parts)                                                                \
    /* Shortens periods to multiples of one another, each with a budget. */                                \
    X(SPECIALISED_PERIODS, specialises_periods)                                                            \
    /* The key of a job is its level, which events change from outside of core. */                         \
    X(OUTSIDE_KEYS, has_outside_keys)

/* The number of a trait's bit. */
#define TAKT_POLICY_TRAIT_PLACE(constant, name) TAKT_POLICY_PLACE_##constant,
/* The bit of a trait. */
#define TAKT_POLICY_TRAIT_BIT(constant, name) TAKT_POLICY_##constant = 1 << TAKT_POLICY_PLACE_##constant,
enum { TAKT_POLICY_TRAITS(TAKT_POLICY_TRAIT_PLACE) };
enum { TAKT_POLICY_TRAITS(TAKT_POLICY_TRAIT_BIT) };
#undef TAKT_POLICY_TRAIT_PLACE
#undef TAKT_POLICY_TRAIT_BIT

/* The line of a row that hosts print; elsewhere it is left out. */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define TAKT_POLICY_LINE(text) text
#else
#define TAKT_POLICY_LINE(text) NULL
#endif

/* What orders the children of a dispatcher. */
typedef struct takt_policy {
    uint16_t version;    /* TAKT_POLICY_VERSION */
    uint16_t size;       /* sizeof(takt_policy_t) when the policy was compiled */
    takt_order_t order;  /* which ready set its dispatchers have */
    const char *name;    /* as in task-set files */
    const char *summary; /* TAKT_POLICY_LINE */
    const char *tie;     /* TAKT_POLICY_LINE: how ties between equal keys are broken */
    /* Writes entity->key (1 .. TAKT_KEY_LEAST_URGENT, with levels below their number) and
     * entity->tie for `job`; a tie keeps the entity's number. Called at every release, and for a server at every
     * replenishment. */
    void (*release)(takt_entity_t *entity, const takt_job_t *job);
    /* Returns the key, from `now` on, of a started job whose preemption key is `threshold` (not 0). NULL: the
     * threshold itself. A start never makes a job less urgent. */
    takt_key_t (*start)(takt_key_t threshold, takt_instant_t now);
    /* Set if the order changes while entities wait, because keys depend on job->remaining. `release` is then
     * called again whenever `running` has executed. Returns how long `running` may execute until `waiting`,
     * now less urgent, becomes more urgent. TAKT_NEVER: it never does. */
    takt_duration_t (*overtake)(const takt_entity_t *running, const takt_job_t *job,
                                const takt_entity_t *waiting);
    /* Returns the preemption level of the task of `job`, the same for all its jobs: smaller = higher. A job that is
     * released later and preempts another has a higher level. Ceilings are levels. `start` turns a level into
     * a key; without `start` a level is a key. NULL: no levels, and no protocols with ceilings. */
    takt_key_t (*level)(const takt_job_t *job);
    uint32_t traits; /* TAKT_POLICY_ and the constants of TAKT_POLICY_TRAITS, 0 where nothing is known */
} takt_policy_t;

/* Whether `policy` was compiled against this version of the interface. */
TAKT_INLINE bool takt_policy_is_compatible(const takt_policy_t *policy) {
    return policy->version == TAKT_POLICY_VERSION && policy->size == sizeof *policy;
}

#endif
