/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Recursive mutex: its holder may lock it again, and unlocks it as often.
 *
 * It is a mutex and a count. A lock by the holder, and all unlocks but the last, change the count alone: they cost a
 * few instructions and mask no interrupts. Other mutexes do not pay for the count.
 *
 * Invariant: `depth` is the number of locks while a thread holds the mutex; else it is stale.
 *
 * When not to use it: if each function of a module knows whether the lock is held. A mutex finds a second lock as a
 * misuse. */
#ifndef TAKT_KERNEL_RECURSIVE_H
#define TAKT_KERNEL_RECURSIVE_H

#include "kernel/mutex.h"

/* Private. */
typedef struct takt_recursive_mutex {
    takt_mutex_t mutex;
    uint32_t depth;
} takt_recursive_mutex_t;

/* Initialises a free recursive mutex; see takt_mutex_init. */
takt_status_t takt_recursive_mutex_init(takt_recursive_mutex_t *mutex,
                                        const takt_mutex_parameters_t *parameters);

/* Locks `mutex`, once more if the running thread holds it. Returns as takt_mutex_lock; ERROR_RESOURCE if the thread is
 * in another server; ERROR_COUNT at the 2^32nd lock. */
takt_status_t takt_recursive_mutex_lock(takt_recursive_mutex_t *mutex);

/* Likewise, but waits at most `duration` ticks; see takt_mutex_lock_for. */
takt_status_t takt_recursive_mutex_lock_for(takt_recursive_mutex_t *mutex, takt_duration_t duration);

/* Ends one lock; the end of the last one unlocks `mutex`. Returns as takt_mutex_unlock. */
takt_status_t takt_recursive_mutex_unlock(takt_recursive_mutex_t *mutex);

/* Number of locks of the running thread. Returns 0 if it does not hold `mutex`, or that is NULL. */
uint32_t takt_recursive_mutex_depth(const takt_recursive_mutex_t *mutex);

#endif
