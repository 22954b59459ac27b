/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Mutex: mutual exclusion of plain threads under one of core's protocols. Jobs use core's resources directly, see
 * kernel/job.h.
 *
 *     none   no inheritance: blocking has no known bound
 *     npcs   a holder is not preempted
 *     pip    a holder inherits the priority of the threads it blocks
 *     pcp    as pip, and a lock needs a priority above the ceilings of all mutexes that others hold
 *     icpp   a holder has the ceiling
 *     srp    to run, a thread needs a priority above the ceilings that others hold; every switch takes the full pass
 *
 * The mutexes of one server, or of the root, are all pcp, or all srp, or any mixture of the other protocols.
 *
 * A woken thread may free the mutex that it waited for, if no other thread uses it from then on: the call that has
 * woken it touches it no more.
 *
 * A thread unlocks its mutexes in any order. To lock one several times, use kernel/recursive.h. A holder may wait for
 * other things; the threads it blocks then wait as long, under every protocol. Under pip, locking a free mutex and
 * unlocking it cost about as much as with a semaphore. Plain threads that hold nothing else hand a pip mutex over
 * inline; everything else takes core's full pass.
 *
 * Source: as core/resource.h. Invariant: a mutex held by a thread without attributes is uncontended and unknown to
 * core. The first thread that contends registers it.
 *
 * When not to use it: to signal; a semaphore has no holder. */
#ifndef TAKT_KERNEL_MUTEX_H
#define TAKT_KERNEL_MUTEX_H

#include "core/protocol.h"
#include "kernel/server.h"

TAKT_C_BEGIN

/* Private. */
typedef struct takt_mutex {
    takt_resource_t resource;
    takt_server_t *parent; /* parent of its users */
    /* Threads that try to lock it; one more unless its protocol is pip. While this is not 0, core knows of
     * every lock. */
    uint32_t watchers;
} takt_mutex_t;

/* Parameters of a mutex. */
typedef struct takt_mutex_parameters {
    takt_protocol_t protocol;     /* none .. srp */
    uint32_t ceiling;             /* pcp, icpp, srp: the highest priority of its users */
    takt_thread_server_t *server; /* server of its users; NULL: the root */
} takt_mutex_parameters_t;

/* Private, as the next: `kind` is the row of the protocol. */
takt_status_t takt_mutex_init_under(takt_mutex_t *mutex, const takt_mutex_parameters_t *parameters,
                                    const takt_protocol_kind_t *kind);

/* Initialises a free mutex in zeroed memory that was none before, or a free one again. After takt_kernel_init. Returns
 * ERROR_NULL, _PROTOCOL, _PRIORITY or _NOT_INITIALISED; or _ORDER: one of srp under the root must precede threads. Inline,
 * so that a program that says here which protocols it uses is linked without the others. */
TAKT_INLINE takt_status_t takt_mutex_init(takt_mutex_t *mutex, const takt_mutex_parameters_t *parameters) {
    return takt_mutex_init_under(mutex, parameters,
                                 parameters != NULL ? takt_protocol_row(parameters->protocol) : NULL);
}

/* Locks `mutex`; waits until it can. Plain threads only, with the lock open. Returns ERROR_NULL, _OBJECT, _IN_ISR,
 * _LOCKED, _NOT_STARTED, _JOBS, _DEADLINES if it is of npcs or icpp and the thread has a deadline, or _RESOURCE if the
 * thread holds it already or is in another server. */
takt_status_t takt_mutex_lock(takt_mutex_t *mutex);

/* Likewise, but waits at most `duration` ticks. Returns TIMEOUT if it could not be locked by then. With 0 ticks it
 * still requests the mutex; under `none` threads of equal priority then go first. */
takt_status_t takt_mutex_lock_for(takt_mutex_t *mutex, takt_duration_t duration);

/* Unlocks a mutex that the running thread holds, whatever it has locked since; a waiting thread runs at once if it is
 * more urgent. O(mutexes that the thread holds). Returns as takt_mutex_lock, and ERROR_RESOURCE if the thread does not
 * hold it. */
takt_status_t takt_mutex_unlock(takt_mutex_t *mutex);

/* The holder of `mutex`, NULL if it is free. From anywhere. */
takt_thread_t *takt_mutex_holder(const takt_mutex_t *mutex);

TAKT_C_END

#endif
