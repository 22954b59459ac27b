/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counting semaphore. */
#include "kernel/semaphore.h"

#include "kernel/order.h"

takt_status_t takt_semaphore_init_fifo(takt_semaphore_t *semaphore, int32_t count) {
    if (semaphore == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (count < 0) {
        return TAKT_ERROR_COUNT;
    }
    takt_waiters_init(&semaphore->waiters, count);
    return TAKT_OK;
}

takt_status_t takt_semaphore_init(takt_semaphore_t *semaphore, int32_t count) {
    const takt_status_t status = takt_semaphore_init_fifo(semaphore, count);
    if (status == TAKT_OK) {
        takt_order_by_urgency(&semaphore->waiters);
    }
    return status;
}

#define REQUIRE_SEMAPHORE(semaphore)                    \
    TAKT_REQUIRE((semaphore) != NULL, TAKT_ERROR_NULL); \
    TAKT_DEBUG_REQUIRE(takt_waiters_is_initialised(&(semaphore)->waiters), TAKT_ERROR_OBJECT)

/* ---- take --------------------------------------------------------------------------------------- */

takt_status_t takt_semaphore_take(takt_semaphore_t *semaphore) {
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_OPEN_FIRST();
    takt_port_close();
    /* Stored in both branches, so that the subtraction decides, and no comparison after the store. */
    const int32_t left = semaphore->waiters.count - 1;
    if (TAKT_UNLIKELY(left < 0)) {
        TAKT_REQUIRE_WAITERS(&semaphore->waiters);
        semaphore->waiters.count = left;
        return takt_wait_in(&semaphore->waiters);
    }
    semaphore->waiters.count = left;
    return takt_port_open();
}

takt_status_t takt_semaphore_try_take(takt_semaphore_t *semaphore) {
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_MASKABLE_FIRST();
    const takt_port_level_t level = takt_port_lock();
    const bool is_there = semaphore->waiters.count > 0;
    if (is_there) {
        semaphore->waiters.count--;
    }
    takt_port_unlock(level);
    return is_there ? TAKT_OK : TAKT_TIMEOUT;
}

takt_status_t takt_semaphore_take_for(takt_semaphore_t *semaphore, takt_duration_t duration) {
    if (duration == 0) {
        return takt_semaphore_try_take(semaphore);
    }
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_OPEN_FIRST();
    takt_port_close();
    if (semaphore->waiters.count <= 0) {
        TAKT_REQUIRE_WAITERS(&semaphore->waiters);
        semaphore->waiters.count--;
        return takt_wait_for(&semaphore->waiters, duration);
    }
    semaphore->waiters.count--;
    return takt_port_open();
}

/* ---- give --------------------------------------------------------------------------------------- */

takt_status_t takt_semaphore_give(takt_semaphore_t *semaphore) {
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_OPEN_FIRST();
    takt_port_close();
    if (TAKT_LIKELY(semaphore->waiters.count >= 0)) {
        TAKT_DEBUG_REQUIRE(semaphore->waiters.count < TAKT_SEMAPHORE_MAX,
                           takt_kernel_refuse(TAKT_ERROR_COUNT));
        semaphore->waiters.count++;
        return takt_port_open();
    }
    TAKT_REQUIRE_THREAD_NOW();
    semaphore->waiters.count++;
    return takt_wake_first(&semaphore->waiters);
}

TAKT_INLINE takt_status_t post_from_isr(takt_semaphore_t *semaphore) {
    const int32_t count = semaphore->waiters.count;
    if (TAKT_LIKELY(count >= 0)) {
        semaphore->waiters.count = count + 1;
        return TAKT_OK;
    }
    TAKT_REQUIRE_KERNEL_ISR_NOW();
    semaphore->waiters.count = count + 1;
    takt_wake_first_from_isr(&semaphore->waiters);
    return TAKT_OK;
}

TAKT_INLINE takt_status_t give_from_isr(takt_semaphore_t *semaphore) {
    TAKT_DEBUG_REQUIRE(semaphore->waiters.count < TAKT_SEMAPHORE_MAX, TAKT_ERROR_COUNT);
    return post_from_isr(semaphore);
}

takt_status_t takt_semaphore_give_from_isr(takt_semaphore_t *semaphore) {
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_KERNEL_ISR_FIRST();
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = give_from_isr(semaphore);
    takt_port_unlock(level);
    return status;
}

/* ---- signal ------------------------------------------------------------------------------------- */

takt_status_t takt_semaphore_signal(takt_semaphore_t *semaphore) {
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_OPEN_FIRST();
    takt_port_close();
    if (semaphore->waiters.count > 0) {
        return takt_port_open();
    }
    if (semaphore->waiters.count == 0) {
        semaphore->waiters.count = 1;
        return takt_port_open();
    }
    TAKT_REQUIRE_THREAD_NOW();
    semaphore->waiters.count++;
    return takt_wake_first(&semaphore->waiters);
}

takt_status_t takt_semaphore_signal_from_isr(takt_semaphore_t *semaphore) {
    REQUIRE_SEMAPHORE(semaphore);
    TAKT_REQUIRE_KERNEL_ISR_FIRST();
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = semaphore->waiters.count <= 0 ? post_from_isr(semaphore) : TAKT_OK;
    takt_port_unlock(level);
    return status;
}

/* ---- count -------------------------------------------------------------------------------------- */

uint32_t takt_semaphore_count(const takt_semaphore_t *semaphore) {
    const int32_t count = semaphore == NULL ? 0 : semaphore->waiters.count;
    return count > 0 ? (uint32_t)count : 0;
}
