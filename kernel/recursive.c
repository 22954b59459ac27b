/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Recursive mutex; see recursive.h. */
#include "kernel/recursive.h"

#include "kernel/state.h"

takt_status_t takt_recursive_mutex_init(takt_recursive_mutex_t *mutex,
                                        const takt_mutex_parameters_t *parameters) {
    return takt_mutex_init(mutex != NULL ? &mutex->mutex : NULL, parameters);
}

/* Only the running thread makes itself the holder, so the lock may be open. Not in an interrupt. */
static bool is_held(const takt_recursive_mutex_t *mutex) {
    const takt_entity_t *running = takt_kernel.cpu.running;
    return running != NULL && mutex->mutex.resource.holder == running;
}

static takt_status_t lock_again(takt_recursive_mutex_t *mutex) {
    TAKT_REQUIRE(mutex->depth < UINT32_MAX, TAKT_ERROR_COUNT);
    mutex->depth++;
    return TAKT_OK;
}

/* The mutex has been locked, or not. */
static takt_status_t lock_first(takt_recursive_mutex_t *mutex, takt_status_t status) {
    if (status == TAKT_OK) {
        mutex->depth = 1;
    }
    return status;
}

takt_status_t takt_recursive_mutex_lock(takt_recursive_mutex_t *mutex) {
    TAKT_REQUIRE(mutex != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    return is_held(mutex) ? lock_again(mutex) : lock_first(mutex, takt_mutex_lock(&mutex->mutex));
}

takt_status_t takt_recursive_mutex_lock_for(takt_recursive_mutex_t *mutex, takt_duration_t duration) {
    TAKT_REQUIRE(mutex != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    return is_held(mutex) ? lock_again(mutex)
                          : lock_first(mutex, takt_mutex_lock_for(&mutex->mutex, duration));
}

takt_status_t takt_recursive_mutex_unlock(takt_recursive_mutex_t *mutex) {
    TAKT_REQUIRE(mutex != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    if (is_held(mutex) && mutex->depth > 1) {
        mutex->depth--;
        return TAKT_OK;
    }
    return takt_mutex_unlock(&mutex->mutex);
}

uint32_t takt_recursive_mutex_depth(const takt_recursive_mutex_t *mutex) {
    return mutex != NULL && is_held(mutex) ? mutex->depth : 0;
}
