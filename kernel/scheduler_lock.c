/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Scheduler lock; see scheduler_lock.h. */
#include "kernel/scheduler_lock.h"

takt_status_t takt_scheduler_lock_init(takt_scheduler_lock_t *lock, takt_thread_server_t *server) {
    const takt_mutex_parameters_t parameters = {.protocol = TAKT_PROTOCOL_NPCS, .server = server};
    return takt_recursive_mutex_init(lock != NULL ? &lock->mutex : NULL, &parameters);
}

takt_status_t takt_scheduler_lock(takt_scheduler_lock_t *lock) {
    return takt_recursive_mutex_lock(lock != NULL ? &lock->mutex : NULL);
}

takt_status_t takt_scheduler_unlock(takt_scheduler_lock_t *lock) {
    return takt_recursive_mutex_unlock(lock != NULL ? &lock->mutex : NULL);
}
