/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Components: a server and the periodic threads in it, described together: an interface (budget, period, policy) and
 * its implementation.
 *
 * Source: the virtual nodes of Inam et al. 2011. Servers are numbered before threads, so one call creates all
 * components of a program.
 *
 * When not to use it: if the server holds other threads too; create its threads one by one. */
#ifndef TAKT_KERNEL_COMPONENT_H
#define TAKT_KERNEL_COMPONENT_H

#include "kernel/job.h"
#include "kernel/server.h"

TAKT_C_BEGIN

/* A thread of a component. */
typedef struct takt_component_thread {
    takt_periodic_thread_t *thread;   /* the caller's memory */
    takt_job_parameters_t parameters; /* `thread.server` is not read: it is the component's */
} takt_component_thread_t;

/* A component. */
typedef struct takt_component {
    takt_thread_server_t *server;               /* the caller's memory */
    takt_thread_server_parameters_t parameters; /* the interface */
    const takt_component_thread_t *threads;     /* threads in the server */
    uint32_t thread_count;                      /* their number */
} takt_component_t;

/* Creates all servers of `components`, then all threads, in their order. A component's parent may be an earlier one.
 * Returns ERROR_NULL if there are none; else, for the first that cannot be created, as takt_thread_server_create and as
 * takt_periodic_thread_create; those before it have been created then. */
takt_status_t takt_components_create(const takt_component_t *components, uint32_t count);

TAKT_C_END

#endif
