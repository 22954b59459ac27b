/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Servers: budgets for the threads inside, which have their own policy.
 *
 * Source: Inam et al. 2011 (server create, thread create in a server, remaining budget); SPEC.md, 4. Servers nest to
 * any depth. The parameters of a thread name its server; the kinds are core's, takt_server_kinds.
 *
 * Invariant: servers are numbered before threads, parents before their children.
 *
 * When not to use it: to bound one task alone; a deadline with on_miss or the rate-based policy costs less. */
#ifndef TAKT_KERNEL_SERVER_H
#define TAKT_KERNEL_SERVER_H

#include "core/server.h"
#include "kernel/thread.h"

TAKT_C_BEGIN

/* A server and the memory of its dispatcher. Private. */
typedef struct takt_thread_server {
    takt_server_t server;
    takt_entity_t *levels[TAKT_KERNEL_LEVELS]; /* where keys order, the tail */
    takt_entity_t *heap[TAKT_KERNEL_HEAP_SLOTS];
    takt_timers_row_t rows[TAKT_KERNEL_ROWS];
    uint32_t children; /* number of its servers and threads */
} takt_thread_server_t;

/* Parameters of a server. */
typedef struct takt_thread_server_parameters {
    const takt_server_kind_t *kind; /* see core/server.h */
    const takt_policy_t *policy;    /* of its dispatcher */
    takt_duration_t period;         /* ticks, >= 1 */
    takt_duration_t budget;         /* ticks, 1 .. period */
    takt_instant_t offset;          /* first replenishment; nothing inside runs before */
    uint32_t priority;              /* in its parent, as for a thread */
    takt_server_returns_t *returns; /* caller's memory, zeroed, for a kind with returns; else NULL */
    takt_thread_server_t *parent;   /* also charged for it; NULL: under the root */
} takt_thread_server_parameters_t;

/* Creates a server, before any thread. Returns ERROR_NULL, _PERIOD, _BUDGET, _PRIORITY, _POLICY, _OBJECT if its parent
 * was not created, _KIND if its kind needs deadlines and its parent is ordered by levels, _ORDER, _FULL, _STARTED or
 * _NOT_INITIALISED. */
takt_status_t takt_thread_server_create(takt_thread_server_t *server,
                                        const takt_thread_server_parameters_t *parameters);

/* Writes to `ticks` the current budget of `server`, less the execution in progress. From threads and interrupts, and
 * before the start. Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_thread_server_budget(const takt_thread_server_t *server, takt_duration_t *ticks);

/* Writes to `instant` the next replenishment, TAKT_NEVER if it is not known yet. From threads and interrupts, and
 * before the start. Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_thread_server_next_replenishment(const takt_thread_server_t *server,
                                                    takt_instant_t *instant);

TAKT_C_END

#endif
