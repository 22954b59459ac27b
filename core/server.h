/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Server: an entity whose execution is another dispatcher, with a budget.
 *
 * Source: Inam et al. 2011 (hierarchical scheduling); SPEC.md, 4. The root is a server without a kind: it is
 * never out of budget. A server is active while budget > 0. The only timer of an inactive server is its
 * replenishment. Its own timers wait until it is active again, and keep their nominal instants.
 *
 *            work arrives                budget used up
 *   active, --------------> active, ----------------------> inactive
 *   no work <-------------- ready                            |
 *      ^      work is done    ^                              |
 *      +----------------------+------- replenishment --------+
 *
 * Invariants: budget <= capacity; the server stands in its parent's ready set iff budget > 0 and its
 * own ready set is not empty, or it idles. */
#ifndef TAKT_CORE_SERVER_H
#define TAKT_CORE_SERVER_H

#include "core/protocol.h"
#include "core/task.h"

TAKT_C_BEGIN

struct takt_server;

/* Properties of the budget of a kind: constant, and the name that tools read. A trait that is not set is unknown: no
 * analysis relies on it. */
#define TAKT_KIND_TRAITS(X)                                                                          \
    /* Used up or lost from its replenishment on: to others the server is a periodic task. */        \
    X(ACTS_AS_TASK, acts_as_task)                                                                    \
    /* Kept until the end of the period: two budgets can be used back to back. */                    \
    X(DEFERS, defers)                                                                                \
    /* What is used comes back a period after its use began. */                                      \
    X(RETURNS, returns)                                                                              \
    /* Likewise, and no tick is used twice within a period: to less urgent ones a periodic task. */  \
    X(SEPARATES, separates)                                                                          \
    /* A share of the processor by deadlines: to others no more than that share in any interval. */  \
    X(BANDWIDTH, has_bandwidth)                                                                      \
    /* When it is used up, a new one with a later deadline comes at once: the server never waits. */ \
    X(POSTPONES, postpones)

/* The number of a trait's bit. */
#define TAKT_KIND_TRAIT_PLACE(constant, name) TAKT_KIND_PLACE_##constant,
/* The bit of a trait. */
#define TAKT_KIND_TRAIT_BIT(constant, name) TAKT_KIND_##constant = 1 << TAKT_KIND_PLACE_##constant,
enum { TAKT_KIND_TRAITS(TAKT_KIND_TRAIT_PLACE) };
enum { TAKT_KIND_TRAITS(TAKT_KIND_TRAIT_BIT) };
#undef TAKT_KIND_TRAIT_PLACE
#undef TAKT_KIND_TRAIT_BIT

/* A kind of server: one file each, named server_<kind>.c. The functions change budget and job of `server`
 * (not its level); their `instant` is nominal. They return the instant of the next replenishment, TAKT_NEVER
 * if it is not known yet or has not changed. */
typedef struct takt_server_kind {
    const char *name;       /* as in task-set files */
    const char *summary;    /* one line */
    bool idles;             /* it is ready also without work, and is charged if selected then */
    bool loses_idle_budget; /* it loses its budget at the end of an instant at which it has no work */
    bool runs_timers_without_budget; /* its own timers are processed also without budget */
    bool has_returns;                /* it needs takt_server_t.returns */
    bool wants_deadline;             /* it makes sense only under deadline scheduling */
    /* The instant of its replenishment is reached. */
    takt_instant_t (*replenish)(struct takt_server *server, takt_instant_t instant);
    /* It is about to get work and had none. May be NULL, as the next two. */
    takt_instant_t (*work_begins)(struct takt_server *server, takt_instant_t instant);
    /* Its last work has ended. */
    takt_instant_t (*work_ends)(struct takt_server *server, takt_instant_t instant);
    /* Its budget is exhausted and it has work. It stays ready if it gets a new budget at once. */
    takt_instant_t (*exhaust)(struct takt_server *server, takt_instant_t instant);
    uint32_t traits; /* TAKT_KIND_ and the constants of TAKT_KIND_TRAITS, 0 where nothing is known */
} takt_server_kind_t;

/* True if a budget of this kind is replenished at the start of each period only. */
TAKT_INLINE bool takt_server_kind_is_periodic(const takt_server_kind_t *kind) {
    return kind->work_begins == NULL && kind->exhaust == NULL;
}

enum { TAKT_SERVER_RETURNS = 32 };

/* A part of a budget that comes back. Private. */
typedef struct takt_server_return {
    takt_instant_t instant;
    takt_duration_t amount;
} takt_server_return_t;

/* What a sporadic server has consumed, and when it comes back. The caller's memory. Private. */
typedef struct takt_server_returns {
    takt_server_return_t ring[TAKT_SERVER_RETURNS];
    uint32_t first;            /* the next one that is to come */
    uint32_t count;            /* that are to come */
    uint32_t arrived;          /* that came in the interval, before `first` */
    takt_duration_t untouched; /* what the budget would be had nothing been charged since job.release */
} takt_server_returns_t;

/* A server, or the root. Private. */
typedef struct takt_server {
    takt_entity_t entity; /* its place in the parent; parent is NULL for the root, which is always ready */
    const takt_policy_t *policy;
    const takt_server_kind_t *kind; /* NULL for the root */
    takt_ready_t ready;
    takt_timers_t timers;
    takt_timer_t replenishment; /* in the parent's timers, like the next two */
    takt_timer_t wake;          /* armed while the server is active and one of its timers is pending */
    takt_timer_t instant_end;   /* armed in an instant at which a polling server has no work */
    takt_duration_t capacity;
    takt_job_t job; /* the current period; job.remaining is the budget as of the last account */
    takt_server_returns_t *returns; /* NULL unless the kind needs them */
    takt_resource_t *locked;        /* the last one locked of its own children's resources */
    takt_duration_t overrun;        /* hsrp: execution beyond its budget; with payback, what it owes */
    uint32_t sharing;               /* protocol of the resources shared with other servers, or 0 */
    uint32_t held;                  /* how many of these are locked */
} takt_server_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_server_t) <= 264,
               "a server is at most 264 bytes on a 32-bit machine");

extern const takt_server_kind_t takt_server_cbs; /* constant bandwidth: a new budget at once, due later */
extern const takt_server_kind_t takt_server_deferrable; /* keeps its budget until the period ends */
extern const takt_server_kind_t takt_server_hard_cbs;   /* constant bandwidth: a new budget at the deadline */
extern const takt_server_kind_t takt_server_idling;     /* uses its budget up, with or without work */
extern const takt_server_kind_t takt_server_polling;    /* loses its budget when it has no work */
extern const takt_server_kind_t takt_server_sporadic;   /* is replenished a period after its use began */
extern const takt_server_kind_t takt_server_sporadic_strict; /* and a period after it was last there */

/* The table of kinds, in alphabetical order: a new kind is one file and one line in server_kinds.c. */
extern const takt_server_kind_t *const takt_server_kinds[];
extern const size_t takt_server_kind_count; /* how many there are */

/* True if a server can execute for `capacity` in each `period`. */
TAKT_INLINE bool takt_server_budget_fits(takt_duration_t capacity, takt_duration_t period) {
    return capacity >= 1 && capacity <= period;
}

/* True if a server of `kind` can stand under `policy`: a kind that needs deadlines needs keys that are deadlines. */
TAKT_INLINE bool takt_server_kind_fits(const takt_server_kind_t *kind, const takt_policy_t *policy) {
    return !kind->wants_deadline || (policy->traits & TAKT_POLICY_DEADLINE_KEYS) != 0;
}

/* True if `server` has no parent. */
TAKT_INLINE bool takt_server_is_root(const takt_server_t *server) { return server->kind == NULL; }

/* Returns the parent of `server`, which is not the root. */
TAKT_INLINE takt_server_t *takt_server_parent(const takt_server_t *server) { return server->entity.parent; }

/* The `index`th return that is to come, 0 = the next one. */
TAKT_INLINE const takt_server_return_t *takt_server_return(const takt_server_returns_t *returns,
                                                           uint32_t index) {
    return &returns->ring[(returns->first + index) % TAKT_SERVER_RETURNS];
}

/* True if `server` has no budget and continues because it holds a resource. */
TAKT_INLINE bool takt_server_overruns(const takt_server_t *server) {
    return server->held > 0 && server->job.remaining == 0 && takt_protocols[server->sharing]->overruns;
}

/* A new period of `server` begins at `instant` with a full budget; returns its end. */
TAKT_INLINE takt_instant_t takt_server_begin_period(takt_server_t *server, takt_instant_t instant) {
    server->job.remaining = server->capacity;
    server->job.release = instant;
    server->job.deadline = instant + server->job.period;
    server->job.number++;
    return server->job.deadline;
}

/* Returns the budget of `server` at `now`, the instant up to which execution is charged. A replenishment that
 * waits because the parent is inactive counts from its nominal instant. */
takt_duration_t takt_server_budget(const takt_server_t *server, takt_instant_t now);

/* Returns the first known replenishment after `after`, TAKT_NEVER if there is none. */
takt_instant_t takt_server_next_replenishment(const takt_server_t *server, takt_instant_t after);

/* Returns the server whose entity is `entity`, which has TAKT_ATTRIBUTE_SERVER. */
TAKT_INLINE takt_server_t *takt_server_of(takt_entity_t *entity) {
    return TAKT_CONTAINER_OF(entity, takt_server_t, entity);
}

/* Returns the job that `entity` executes, or the current period of a server; NULL for a plain thread. */
TAKT_INLINE takt_job_t *takt_entity_job(takt_entity_t *entity) {
    if (takt_entity_is_server(entity)) {
        return &takt_server_of(entity)->job;
    }
    return entity->task != NULL ? &entity->task->job : NULL;
}

TAKT_C_END

#endif
