/* Server: an entity whose execution is another dispatcher, with a budget per period.
 *
 * Source: S4 (hierarchical scheduling); SPEC.md, 4. The root is a server without a kind: it is
 * never out of budget. A server is active while budget > 0. An inactive server has no timer but its
 * replenishment: its own timers wait, and keep their nominal instants, until it is active again.
 *
 *            work arrives                budget used up
 *   active, --------------> active, ----------------------> inactive
 *   no work <-------------- ready                            |
 *      ^      work is done    ^                              |
 *      +----------------------+------- replenishment --------+
 *
 * Invariants: budget <= capacity; the server stands in its parent's ready set iff budget > 0 and its
 * own ready set is not empty. */
#ifndef TAKT_CORE_SERVER_H
#define TAKT_CORE_SERVER_H

#include "core/task.h"

struct takt_server;

/* A kind of server: one file each, named server_<kind>.c. */
typedef struct takt_server_kind {
    const char *name;    /* as in task-set files */
    const char *summary; /* one line */
    /* The budget comes back at its nominal `instant`: sets budget and job of the current period (not its
     * level) and returns the instant of the next replenishment. */
    takt_instant_t (*replenish)(struct takt_server *server, takt_instant_t instant);
} takt_server_kind_t;

typedef struct takt_server {
    takt_entity_t entity; /* its place in the parent; home is NULL for the root */
    const takt_policy_t *policy;
    const takt_server_kind_t *kind; /* NULL for the root */
    takt_ready_t ready;
    takt_timers_t timers;
    takt_timer_t replenishment; /* in the parent's timers */
    takt_timer_t wake;          /* in the parent's timers, armed while active and something is to come */
    takt_duration_t capacity;
    takt_job_t job; /* the current period; job.remaining is the budget as of the last account */
} takt_server_t;

_Static_assert(sizeof(void *) != 4 || sizeof(takt_server_t) == 216,
               "a server is 216 bytes on a 32-bit machine");

/* Serves its tasks while it has budget; what is left at the end of a period is lost. */
extern const takt_server_kind_t takt_server_deferrable;

/* The table of kinds, in alphabetical order: a new kind is one file and one line in server_kinds.c. */
extern const takt_server_kind_t *const takt_server_kinds[];
extern const size_t takt_server_kind_count;

TAKT_INLINE bool takt_server_is_root(const takt_server_t *server) { return server->kind == NULL; }

/* The server above `server`, which is not the root. */
TAKT_INLINE takt_server_t *takt_server_parent(const takt_server_t *server) { return server->entity.home; }

/* The budget that `server` has at `now`, the instant of the last account: a replenishment that waits
 * because the parent is inactive counts from its nominal instant. */
TAKT_INLINE takt_duration_t takt_server_budget(const takt_server_t *server, takt_instant_t now) {
    return server->replenishment.instant <= now ? server->capacity : server->job.remaining;
}

/* The server that `entity`, which has TAKT_ATTRIBUTE_SERVER, is. */
TAKT_INLINE takt_server_t *takt_server_of(takt_entity_t *entity) {
    return TAKT_CONTAINER_OF(entity, takt_server_t, entity);
}

#endif
