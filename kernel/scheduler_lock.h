/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Scheduler lock: while a thread holds it, no other thread of the same dispatcher runs.
 *
 * The dispatcher is the root or a server. A lock of a server stops switches in that server only: more urgent threads
 * and servers outside run, the server's budget is charged, and its replenishments come. Interrupts are not masked; the
 * threads that they make ready run after the last unlock. Locks nest.
 *
 * It is a recursive mutex under npcs: the holder is more urgent than all other threads of its dispatcher. So it is
 * recorded and replayed as a lock, and mixes with mutexes of the protocols that npcs mixes with (kernel/mutex.h). A
 * holder that waits lets others run meanwhile; one of them that locks then waits for the holder.
 *
 * When not to use it: to protect data. A mutex delays only the threads that use the data. */
#ifndef TAKT_KERNEL_SCHEDULER_LOCK_H
#define TAKT_KERNEL_SCHEDULER_LOCK_H

#include "kernel/recursive.h"

/* Private. */
typedef struct takt_scheduler_lock {
    takt_recursive_mutex_t mutex;
} takt_scheduler_lock_t;

/* Initialises the lock of the dispatcher of `server`, NULL: of the root; one for each dispatcher. After
 * takt_kernel_init. Returns ERROR_NULL or _NOT_INITIALISED. */
takt_status_t takt_scheduler_lock_init(takt_scheduler_lock_t *lock, takt_thread_server_t *server);

/* Locks the scheduler, once more if the running thread has locked it. Plain threads of the dispatcher only. Returns as
 * takt_recursive_mutex_lock. */
takt_status_t takt_scheduler_lock(takt_scheduler_lock_t *lock);

/* Ends one lock; after the last one the most urgent thread runs. Returns as takt_recursive_mutex_unlock. */
takt_status_t takt_scheduler_unlock(takt_scheduler_lock_t *lock);

#endif
