/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Servers: budgets for the threads inside, which have a policy of their own.
 *
 * Source: S4 (server create, thread create in a server, remaining budget); SPEC.md, 4. Servers may stand in servers, at any
 * depth. A thread is created in one by its parameters; the kinds are core's, takt_server_kinds.
 *
 * Invariant: servers are numbered before threads, parents before those inside.
 *
 * When not to use it: to bound one task alone; a deadline with on_miss or the rate-based policy costs less. */
#ifndef TAKT_KERNEL_SERVER_H
#define TAKT_KERNEL_SERVER_H

#include "core/server.h"
#include "kernel/thread.h"

/* A server and the memory of its dispatcher. Private. */
typedef struct takt_thread_server {
    takt_server_t server;
    takt_entity_t *places[TAKT_KERNEL_HEAP_SLOTS];
    takt_timers_row_t rows[TAKT_KERNEL_ROWS];
    uint32_t children; /* servers and threads that were put in it */
} takt_thread_server_t;

/* What a server is made of. */
typedef struct takt_thread_server_parameters {
    const takt_server_kind_t *kind; /* see core/server.h */
    const takt_policy_t *policy;    /* of what is inside */
    takt_duration_t period;         /* ticks, >= 1 */
    takt_duration_t budget;         /* ticks, 1 .. period */
    takt_instant_t offset;          /* first replenishment; before it nobody inside runs */
    uint32_t priority;              /* in its parent, as a thread's */
    takt_server_returns_t *returns; /* caller's memory, zeroed, for a kind that has returns; else NULL */
    takt_thread_server_t *parent;   /* whose budget pays, too; NULL: under the root */
} takt_thread_server_parameters_t;

/* Makes a server, before any thread. Returns ERROR_NULL, _PERIOD, _BUDGET, _PRIORITY, _POLICY, _OBJECT if its parent was
 * not made, _KIND if its kind wants deadlines and in its parent levels order, _ORDER, _FULL, _STARTED or
 * _NOT_INITIALISED. */
takt_status_t takt_thread_server_create(takt_thread_server_t *server,
                                        const takt_thread_server_parameters_t *parameters);

/* Writes to `ticks` the budget that `server` has now, what is being executed taken off. From threads and interrupts, and
 * before the start. Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_thread_server_budget(const takt_thread_server_t *server, takt_duration_t *ticks);

/* Writes to `instant` when budget comes back next, as far as that is known: TAKT_NEVER if it is not. From threads and
 * interrupts, and before the start. Returns ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_thread_server_next_replenishment(const takt_thread_server_t *server,
                                                    takt_instant_t *instant);

#endif
