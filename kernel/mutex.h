/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Mutex: mutual exclusion of plain threads under one of core's protocols. Those of jobs are core's resources themselves,
 * see kernel/job.h.
 *
 *     none   who waits lends nothing: the bound of nobody's blocking is known
 *     npcs   nobody displaces a holder
 *     pip    a holder is as urgent as whom it blocks
 *     pcp    likewise, and a lock needs a priority above the ceilings of what others hold
 *     icpp   a holder has the ceiling
 *     srp    whoever runs needs a priority above the ceilings of what others hold; then every switch takes the full pass
 *
 * Of the mutexes of one server, or of the root, all are under pcp, or all under srp, or none is; the others mix.
 *
 * A thread unlocks what it locked last, first. A holder may wait for other things; whom it blocks waits as long, whatever the
 * protocol. Under pip, a lock of what is free and its unlock cost about as much as those of a semaphore, and plain threads
 * that hold nothing else hand over inline; everything else takes core's full pass.
 *
 * Source: as core/resource.h. Invariant: while a holder without attributes holds something, nobody wants it, and core does not
 * know; the first who does tells.
 *
 * When not to use it: to signal; a semaphore has no holder. */
#ifndef TAKT_KERNEL_MUTEX_H
#define TAKT_KERNEL_MUTEX_H

#include "core/resource.h"
#include "kernel/server.h"

/* Private. */
typedef struct takt_mutex {
    takt_resource_t resource;
    takt_server_t *home; /* of its users */
    uint32_t
        watchers; /* threads that try to lock it; one more unless its protocol is pip. While there are any, core
                            knows of every lock */
} takt_mutex_t;

/* What a mutex is made of. */
typedef struct takt_mutex_parameters {
    takt_protocol_t protocol;     /* none .. srp */
    uint32_t ceiling;             /* pcp, icpp, srp: the highest priority of its users */
    takt_thread_server_t *server; /* that its users are in; NULL: they are under the root */
} takt_mutex_parameters_t;

/* Makes a free mutex. After takt_kernel_init; `mutex` is zeroed memory that was not made a mutex before, or free. Returns
 * ERROR_NULL, _PROTOCOL, _PRIORITY or _NOT_INITIALISED; or _ORDER: one of srp under the root is made before all threads. */
takt_status_t takt_mutex_init(takt_mutex_t *mutex, const takt_mutex_parameters_t *parameters);

/* Locks, waits until it can. Plain threads only, with the lock open. Returns ERROR_NULL, _OBJECT, _IN_ISR, _LOCKED,
 * _NOT_STARTED, _JOBS, or _RESOURCE if the thread holds it already or is in another server. */
takt_status_t takt_mutex_lock(takt_mutex_t *mutex);

/* Likewise, and waits `duration` ticks at the longest. Returns TIMEOUT if it could not be locked until then; if that is at
 * once, 0 ticks, it has wanted the mutex all the same, and under `none` the equals of the thread go first. */
takt_status_t takt_mutex_lock_for(takt_mutex_t *mutex, takt_duration_t duration);

/* Unlocks what the running thread locked last; who waits for it runs at once if it is more urgent. Returns as
 * takt_mutex_lock, and ERROR_RESOURCE if that is another one or none. */
takt_status_t takt_mutex_unlock(takt_mutex_t *mutex);

/* Who holds `mutex`, NULL if it is free. From anywhere. */
takt_thread_t *takt_mutex_holder(const takt_mutex_t *mutex);

#endif
