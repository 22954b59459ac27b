/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Components: a server and the periodic threads inside, described as one: an interface (budget, period, policy) and what is
 * behind it.
 *
 * Source: S4's virtual nodes. Servers are numbered before threads, so that all components of a program are made by one call.
 *
 * When not to use it: if what is inside is not only periodic; create its threads in its server one by one. */
#ifndef TAKT_KERNEL_COMPONENT_H
#define TAKT_KERNEL_COMPONENT_H

#include "kernel/job.h"
#include "kernel/server.h"

/* A thread of a component. */
typedef struct takt_component_thread {
    takt_periodic_thread_t *thread;        /* the caller's memory */
    takt_periodic_parameters_t parameters; /* `thread.server` is not read: it is the component's */
} takt_component_thread_t;

/* A component. */
typedef struct takt_component {
    takt_thread_server_t *server;               /* the caller's memory */
    takt_thread_server_parameters_t parameters; /* its interface */
    const takt_component_thread_t *threads;     /* what is inside */
    uint32_t thread_count;                      /* of these */
} takt_component_t;

/* Makes all servers of `components`, then all threads, in their order; a component's parent may be an earlier one.
 * Returns ERROR_NULL if there are none; else, for the first that cannot be made, as takt_thread_server_create and as
 * takt_periodic_thread_create; those before it have been made then. */
takt_status_t takt_components_create(const takt_component_t *components, uint32_t count);

#endif
