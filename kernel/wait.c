/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rare paths of waiting; see wait.h. */
#include "kernel/wait.h"

/* ---- to wait ------------------------------------------------------------------------------------ */

static void disarm(takt_wait_t *wait) {
    if (takt_timeout_is_armed(&wait->timeout)) {
        takt_kernel.time->disarm(&wait->timeout);
    }
}

/* The waiters that the waiting `thread` is in; NULL if it waits for time or for a notification. */
static takt_waiters_t *waiters_of(const takt_thread_t *thread) {
    if ((thread->flags & TAKT_THREAD_TIMED) != 0) {
        const takt_wait_t *wait = thread->wait;
        return wait->waiters;
    }
    return (thread->flags & TAKT_THREAD_AWAITS_NOTIFICATION) != 0 ? NULL : thread->wait;
}

/* The job of `thread` may be ended or made ready by another entity. It would stay in a queue, with its record on a
 * stack that is rebuilt. Undoes the request that it was about to wait for. */
static __attribute__((noinline)) takt_status_t refuse_job(takt_thread_t *thread) {
    takt_waiters_t *waiters = waiters_of(thread);
    if (waiters != NULL) {
        waiters->count++;
    }
    if ((thread->flags & TAKT_THREAD_TIMED) != 0) {
        ((takt_wait_t *)thread->wait)->status = TAKT_ERROR_WAITS;
    }
    takt_thread_clear(thread, TAKT_THREAD_AWAITS_NOTIFICATION);
    takt_wait_forget(thread);
    return takt_kernel_refuse(TAKT_ERROR_WAITS);
}

static bool may_be_ended(const takt_entity_t *entity) {
    return entity->task != NULL && takt_task_may_be_ended(entity->task);
}

/* Posts the event first: until then the entity's links belong to the ready set. */
static __attribute__((noinline)) takt_status_t wait_by_pass(takt_queue_t *queue, takt_entity_t *running) {
    TAKT_REQUIRE(!may_be_ended(running), refuse_job(takt_thread_of(running)));
    takt_kernel_post(TAKT_EVENT_BLOCK, running);
    takt_entity_set_state(running, TAKT_STATE_WAITING);
    if (queue != NULL) {
        takt_queue_append(queue, running);
    }
    return takt_kernel_dispatch();
}

TAKT_INLINE takt_status_t wait_near(takt_queue_t *queue, takt_entity_t *running, bool has_keys) {
    if (!takt_near_remove(running, has_keys, 1)) {
        return wait_by_pass(queue, running);
    }
    takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
    if (queue != NULL) {
        takt_queue_append(queue, running);
    }
    return takt_kernel_decide_near(running, has_keys);
}

/* A function of its own, so that levels need few registers. */
static __attribute__((noinline)) takt_status_t wait_by_keys(takt_queue_t *queue, takt_entity_t *running) {
    return wait_near(queue, running, true);
}

takt_status_t takt_wait_slowly(takt_queue_t *queue, takt_entity_t *running) {
    if (!takt_near_leaves(running)) {
        return wait_by_pass(queue, running);
    }
    return takt_near_has_keys(running) ? wait_by_keys(queue, running) : wait_near(queue, running, false);
}

takt_status_t takt_wait_refuse(takt_waiters_t *waiters) {
    if (waiters != NULL) {
        waiters->count++;
    }
    return takt_kernel_refuse(TAKT_ERROR_NOT_STARTED);
}

/* Removes `thread` from the queue of `waiters`, NULL for none. */
TAKT_INLINE void leave(takt_thread_t *thread, takt_waiters_t *waiters) {
    if (waiters != NULL) {
        takt_queue_remove(&thread->plain.entity);
        waiters->count++;
    }
}

void takt_wait_withdraw(takt_thread_t *thread) {
    leave(thread, waiters_of(thread));
    takt_thread_clear(thread, TAKT_THREAD_AWAITS_NOTIFICATION);
    takt_wait_forget(thread);
}

void takt_wait_forget(takt_thread_t *thread) {
    if ((thread->flags & TAKT_THREAD_TIMED) != 0) {
        takt_thread_clear(thread, TAKT_THREAD_TIMED);
        disarm(thread->wait);
    }
    thread->wait = NULL;
}

/* No effect if the thread was woken before and has not run since. An expired timeout is disarmed already; for a
 * withdrawn thread it must be disarmed. */
static uint32_t expire_wait(takt_timeout_t *timeout) {
    takt_wait_t *wait = TAKT_CONTAINER_OF(timeout, takt_wait_t, timeout);
    takt_thread_t *thread = wait->thread;
    if ((thread->plain.entity.state & TAKT_STATE_WAITING) == 0 || thread->wait != wait) {
        return 0;
    }
    wait->status = TAKT_TIMEOUT;
    leave(thread, wait->waiters);
    takt_thread_clear(thread, TAKT_THREAD_TIMED | TAKT_THREAD_AWAITS_NOTIFICATION);
    thread->wait = NULL;
    return takt_wake_unseen(&thread->plain.entity);
}

/* Only time ends a delay. So its record exists only while it is armed, and there is nothing to report. */
static uint32_t expire_delay(takt_timeout_t *timeout) {
    takt_thread_t *thread = TAKT_CONTAINER_OF(timeout, takt_wait_t, timeout)->thread;
    takt_thread_clear(thread, TAKT_THREAD_TIMED);
    return takt_wake_unseen(&thread->plain.entity);
}

/* The record is no longer used. */
static takt_status_t end_wait(takt_wait_t *wait) {
    takt_port_close();
    takt_thread_clear(wait->thread, TAKT_THREAD_TIMED);
    disarm(wait);
    const takt_status_t status = wait->status;
    (void)takt_port_open();
    return status;
}

/* Prepares `running` to wait with `wait`. */
TAKT_INLINE void begin_wait(takt_wait_t *wait, takt_entity_t *running, takt_waiters_t *waiters) {
    takt_thread_t *thread = takt_thread_of(running);
    wait->thread = thread;
    wait->waiters = waiters;
    thread->wait = wait;
    thread->flags |= TAKT_THREAD_TIMED;
}

takt_status_t takt_wait_delay(takt_duration_t duration) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_wait_t wait;
    wait.timeout.expire = expire_delay;
    begin_wait(&wait, running, NULL);
    takt_kernel_arm_after(&wait.timeout, duration);
    return takt_wait_in_queue(NULL, running);
}

takt_status_t takt_wait_with(takt_wait_t *wait, takt_waiters_t *waiters, takt_duration_t duration) {
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_wait_refuse(waiters));
    wait->timeout.prev = NULL;
    wait->timeout.expire = expire_wait;
    wait->status = TAKT_OK;
    begin_wait(wait, running, waiters);
    if (duration != TAKT_NEVER) {
        takt_kernel_arm_after(&wait->timeout, duration);
    }
    (void)takt_wait_in_queue(waiters != NULL ? &waiters->queue : NULL, running);
    return end_wait(wait);
}

takt_status_t takt_wait_for(takt_waiters_t *waiters, takt_duration_t duration) {
    takt_wait_t wait;
    return takt_wait_with(&wait, waiters, duration);
}

/* ---- to wake ------------------------------------------------------------------------------------ */

/* True if `waiter`, whose wait has ended, becomes ready; a suspended thread still waits for its resumption. */
static bool is_released(takt_entity_t *waiter) {
    takt_thread_t *thread = takt_thread_of(waiter);
    if ((thread->flags & TAKT_THREAD_SUSPENDED) != 0) {
        takt_wait_forget(thread);
        return false;
    }
    takt_entity_clear_state(waiter, TAKT_STATE_WAITING);
    return true;
}

static __attribute__((noinline)) takt_status_t wake_by_pass(takt_entity_t *waiter) {
    if (!is_released(waiter)) {
        return takt_port_open();
    }
    return takt_kernel_pass(TAKT_EVENT_WAKE, waiter);
}

/* Makes `waiter`, for which takt_near_admits holds, ready. */
TAKT_INLINE void make_ready_near(takt_entity_t *waiter, bool has_keys) {
    takt_near_insert(waiter, has_keys, 1);
    takt_entity_flip_state(waiter, TAKT_STATE_READY | TAKT_STATE_WAITING);
}

TAKT_INLINE takt_status_t wake_near(takt_entity_t *waiter, takt_entity_t *running, bool has_keys) {
    make_ready_near(waiter, has_keys);
    return takt_kernel_decide_near(running, has_keys);
}

static __attribute__((noinline)) takt_status_t wake_by_keys(takt_entity_t *waiter, takt_entity_t *running) {
    return wake_near(waiter, running, true);
}

takt_status_t takt_wake_slowly(takt_entity_t *waiter, takt_entity_t *running) {
    if (!takt_near_admits(waiter, running)) {
        return wake_by_pass(waiter);
    }
    return takt_near_has_keys(running) ? wake_by_keys(waiter, running) : wake_near(waiter, running, false);
}

static __attribute__((noinline)) void wake_by_pass_from_isr(takt_entity_t *waiter) {
    if (is_released(waiter)) {
        takt_kernel_post(TAKT_EVENT_WAKE, waiter);
        takt_kernel_pend_after_post();
    }
}

/* The interrupted thread may be in a pass that has taken the last work from its server, so that the server is not ready. */
void takt_wake_slowly_from_isr(takt_entity_t *waiter) {
    const takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_near_admits(waiter, running) || !takt_entity_is_ready(&waiter->parent->entity)) {
        wake_by_pass_from_isr(waiter);
        return;
    }
    const bool has_keys = takt_near_has_keys(running);
    make_ready_near(waiter, has_keys);
    if (takt_near_best(&waiter->parent->ready, has_keys, 1) != running) {
        takt_port_pend();
    }
}
