/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Condition variable; see condition.h. */
#include "kernel/condition.h"

#include "kernel/order.h"

takt_status_t takt_condition_init_fifo(takt_condition_t *condition) {
    if (condition == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_waiters_init(&condition->waiters, 0);
    return TAKT_OK;
}

takt_status_t takt_condition_init(takt_condition_t *condition) {
    const takt_status_t status = takt_condition_init_fifo(condition);
    if (status == TAKT_OK) {
        takt_order_by_urgency(&condition->waiters);
    }
    return status;
}

#define REQUIRE_CONDITION(condition)                    \
    TAKT_REQUIRE((condition) != NULL, TAKT_ERROR_NULL); \
    TAKT_REQUIRE(takt_waiters_is_initialised(&(condition)->waiters), TAKT_ERROR_OBJECT)

/* ---- wait --------------------------------------------------------------------------------------- */

/* Closed; returns open. */
static takt_status_t release_and_wait(takt_condition_t *condition, takt_mutex_t *mutex,
                                      takt_duration_t duration) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_mutex_release(mutex);
    condition->waiters.count--;
    const takt_status_t status = takt_wait_for(&condition->waiters, duration);
    if ((running->attributes & TAKT_ATTRIBUTE_FULL_PASS) != takt_kernel.full_pass) {
        takt_entity_clear_attributes(running, TAKT_ATTRIBUTE_FULL_PASS);
    }
    return status;
}

/* The thread holds the mutex whatever happens meanwhile, unless it was given a deadline that the protocol refuses. */
static takt_status_t lock_after(takt_mutex_t *mutex, takt_status_t status) {
    takt_status_t locked;
    while ((locked = takt_mutex_lock(mutex)) == TAKT_ABORTED) {
        status = TAKT_ABORTED;
    }
    return locked == TAKT_OK ? status : locked;
}

takt_status_t takt_condition_wait_for(takt_condition_t *condition, takt_mutex_t *mutex,
                                      takt_duration_t duration) {
    REQUIRE_CONDITION(condition);
    TAKT_REQUIRE(mutex != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(mutex->parent != NULL, TAKT_ERROR_OBJECT);
    TAKT_REQUIRE_OPEN();
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, TAKT_ERROR_NOT_STARTED);
    TAKT_REQUIRE(running->task == NULL, TAKT_ERROR_JOBS);
    takt_port_close();
    TAKT_REQUIRE(mutex->resource.holder == running, takt_kernel_refuse(TAKT_ERROR_RESOURCE));
    if (duration == 0) {
        return takt_kernel_refuse(TAKT_TIMEOUT);
    }
    return lock_after(mutex, release_and_wait(condition, mutex, duration));
}

takt_status_t takt_condition_wait(takt_condition_t *condition, takt_mutex_t *mutex) {
    return takt_condition_wait_for(condition, mutex, TAKT_NEVER);
}

/* ---- notify ------------------------------------------------------------------------------------- */

/* Removes and returns the first of the threads that wait. */
TAKT_INLINE takt_entity_t *take_first(takt_condition_t *condition) {
    condition->waiters.count++;
    return takt_queue_take(&condition->waiters.queue);
}

takt_status_t takt_condition_notify_one(takt_condition_t *condition) {
    REQUIRE_CONDITION(condition);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    return condition->waiters.count < 0 ? takt_wake(take_first(condition)) : takt_port_open();
}

takt_status_t takt_condition_notify_one_from_isr(takt_condition_t *condition) {
    REQUIRE_CONDITION(condition);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    if (condition->waiters.count < 0) {
        takt_wake_from_isr(take_first(condition));
    }
    takt_port_unlock(level);
    return TAKT_OK;
}

takt_status_t takt_condition_notify_all(takt_condition_t *condition) {
    REQUIRE_CONDITION(condition);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    if (condition->waiters.count == 0) {
        return takt_port_open();
    }
    takt_wake_begin();
    while (condition->waiters.count < 0) {
        takt_wake_before_decision(take_first(condition));
        takt_port_breathe();
    }
    return takt_wake_decide();
}

takt_status_t takt_condition_notify_all_from_isr(takt_condition_t *condition) {
    REQUIRE_CONDITION(condition);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    while (condition->waiters.count < 0) {
        takt_wake_from_isr(take_first(condition));
        takt_port_unlock(level);
        (void)takt_port_lock();
    }
    takt_port_unlock(level);
    return TAKT_OK;
}
