/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rare paths of waiting; see wait.h. */
#include "kernel/order.h"

#include "kernel/between.h"

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
static __attribute__((noinline)) takt_status_t wait_by_pass(takt_waiters_t *waiters, takt_entity_t *running) {
    TAKT_REQUIRE(!may_be_ended(running), refuse_job(takt_thread_of(running)));
    takt_kernel_post(TAKT_EVENT_BLOCK, running);
    takt_entity_set_state(running, TAKT_STATE_WAITING);
    if (waiters != NULL) {
        takt_queue_begin(&waiters->queue, running);
    }
    return takt_kernel_dispatch_charged();
}

/* Likewise without a pass, if possible. The ready set of `running` would be empty. */
static __attribute__((noinline)) takt_status_t wait_between(takt_waiters_t *waiters) {
    takt_entity_t *running = takt_kernel.cpu.running;
    const takt_instant_t now = takt_port_now();
    if (!takt_kernel_begins_between(running, now)) {
        return wait_by_pass(waiters, running);
    }
    takt_between_leave(running, now);
    takt_entity_set_state(running, TAKT_STATE_WAITING);
    if (waiters != NULL) {
        takt_queue_begin(&waiters->queue, running);
    }
    return takt_kernel_decide_between(now);
}

TAKT_INLINE takt_status_t wait_near(takt_waiters_t *waiters, takt_entity_t *running, bool has_keys) {
    if (!takt_near_remove(running, has_keys, 1)) {
        return wait_between(waiters);
    }
    takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
    if (waiters != NULL) {
        takt_queue_begin(&waiters->queue, running);
    }
    return takt_kernel_decide_near(running, has_keys);
}

/* The first thread of the tail is next. */
static __attribute__((noinline)) takt_status_t wait_before_tail(takt_waiters_t *waiters,
                                                                takt_entity_t *running) {
    takt_near_remove_last_key(running);
    takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
    if (waiters != NULL) {
        takt_queue_begin(&waiters->queue, running);
    }
    return takt_kernel_decide_across(running, takt_near_best(&running->parent->ready, false, 1));
}

/* A function of its own, so that levels need few registers. */
static __attribute__((noinline)) takt_status_t wait_by_keys(takt_waiters_t *waiters, takt_entity_t *running) {
    return takt_near_is_last_key(running) ? wait_before_tail(waiters, running)
                                          : wait_near(waiters, running, true);
}

takt_status_t takt_wait_slowly(takt_waiters_t *waiters, takt_entity_t *running) {
    if (!takt_near_leaves(running)) {
        return wait_by_pass(waiters, running);
    }
    return takt_near_has_keys(running) ? wait_by_keys(waiters, running) : wait_near(waiters, running, false);
}

TAKT_INLINE void join(takt_waiters_t *waiters, takt_entity_t *running) {
    if (takt_waiters_are_fifo(waiters)) {
        takt_queue_append(&waiters->queue, running);
    } else {
        takt_kernel.order->insert(waiters, running);
    }
}

void takt_wait_join(takt_waiters_t *waiters, takt_entity_t *running) { join(waiters, running); }

takt_status_t takt_wait_behind_slowly(takt_waiters_t *waiters, takt_entity_t *running) {
    const bool is_near =
        takt_near_leaves(running) && !takt_near_has_keys(running) && takt_near_remove(running, false, 1);
    if (is_near) {
        takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
        join(waiters, running);
        return takt_kernel_decide_near(running, false);
    }
    TAKT_REQUIRE(!may_be_ended(running), refuse_job(takt_thread_of(running)));
    takt_kernel_post(TAKT_EVENT_BLOCK, running);
    takt_entity_set_state(running, TAKT_STATE_WAITING);
    join(waiters, running);
    return takt_kernel_dispatch_charged();
}

/* As takt_wait_alone, perhaps behind others; `running` has a record. */
static __attribute__((noinline)) takt_status_t wait_behind(takt_waiters_t *waiters, takt_entity_t *running) {
    return takt_entity_is_plain(running) ? takt_wait_plain(waiters, running, false)
                                         : takt_kernel.pass->wait_behind(waiters, running);
}

takt_status_t takt_wait_refuse(takt_waiters_t *waiters) {
    if (waiters != NULL) {
        waiters->count++;
    }
    return takt_kernel_refuse(TAKT_ERROR_NOT_STARTED);
}

/* Removes the node of `entity`, if it has one. */
TAKT_INLINE void leave_order(takt_entity_t *entity) {
    if ((takt_thread_of(entity)->flags & TAKT_THREAD_ORDERED) != 0) {
        takt_kernel.order->remove_node(entity);
    }
}

/* Removes `entity`, inserted with `key`, from the queue of `waiters`. */
static void remove_waiter(takt_waiters_t *waiters, takt_entity_t *entity, takt_key_t key) {
    if (takt_waiters_are_fifo(waiters)) {
        takt_queue_remove(entity);
    } else if (takt_kernel.order->remove == NULL) {
        takt_order_remove_by_level(waiters, entity, (uint32_t)key);
    } else {
        takt_kernel.order->remove(waiters, entity, (uint32_t)key);
    }
}

/* Removes `thread` from the queue of `waiters`, NULL for none. */
TAKT_INLINE void leave(takt_thread_t *thread, takt_waiters_t *waiters) {
    if (waiters != NULL) {
        remove_waiter(waiters, &thread->plain.entity, thread->plain.entity.key);
        waiters->count++;
    }
}

void takt_wait_reorder(takt_entity_t *entity, takt_key_t before) {
    takt_thread_t *thread = takt_thread_of(entity);
    const bool waits = (entity->state & TAKT_STATE_WAITING) != 0 && thread->wait != NULL;
    takt_waiters_t *waiters = waits && entity->key != before ? waiters_of(thread) : NULL;
    if (waiters != NULL && !takt_waiters_are_fifo(waiters)) {
        remove_waiter(waiters, entity, before);
        takt_kernel.order->insert(waiters, entity);
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

/* The record of a delay exists only while it is armed. */
static uint32_t expire_delay(takt_timeout_t *timeout) {
    takt_thread_t *thread = TAKT_CONTAINER_OF(timeout, takt_wait_t, timeout)->thread;
    takt_thread_clear(thread, TAKT_THREAD_TIMED);
    return takt_wake_unseen(&thread->plain.entity);
}

/* The record is no longer used. */
static __attribute__((noinline)) takt_status_t end_wait(takt_wait_t *wait) {
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

TAKT_INLINE takt_status_t wait_until(takt_instant_t instant, takt_instant_t now) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_wait_t wait;
    wait.timeout.expire = expire_delay;
    wait.status = TAKT_OK;
    wait.is_endless = false;
    begin_wait(&wait, running, NULL);
    takt_kernel_arm(&wait.timeout, instant, now);
    (void)takt_wait_alone(NULL, running);
    return wait.status;
}

takt_status_t takt_wait_until(takt_instant_t instant, takt_instant_t now) { return wait_until(instant, now); }

takt_status_t takt_wait_delay(takt_duration_t duration) {
    const takt_instant_t now = takt_port_now();
    return wait_until(takt_instant_after(now, duration), now);
}

/* Waits as `wait` says, which begin_wait has prepared and whose timeout is armed or never will be. */
static __attribute__((noinline)) takt_status_t wait_with_record(takt_wait_t *wait, takt_entity_t *running) {
    takt_waiters_t *waiters = wait->waiters;
    if (waiters == NULL || (takt_wait_is_first(waiters) && !wait->is_node)) {
        (void)takt_wait_alone(waiters, running);
    } else {
        (void)wait_behind(waiters, running);
    }
    return end_wait(wait);
}

/* Decides after the plain thread `running` has begun to wait, with interrupts open in between: one may have woken it. */
TAKT_INLINE takt_status_t decide_after_wait(takt_entity_t *running) {
    takt_kernel.busy &= ~(uint32_t)TAKT_BUSY_PASS;
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    if (takt_kernel.busy != 0 || !takt_entity_is_plain(next)) {
        return takt_kernel.pass->decide();
    }
    return next != running ? takt_kernel_switch(running, next) : takt_port_open();
}

/* Waits as wait_with_record, for `duration`. The timeout is armed once the thread waits, in a masked stretch of its own. */
static takt_status_t wait_timed(takt_wait_t *wait, takt_entity_t *running, takt_duration_t duration) {
    takt_levels_remove(takt_kernel_levels(), running, 1);
    takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
    takt_waiters_t *waiters = wait->waiters;
    if (waiters != NULL && takt_wait_is_first(waiters) && !wait->is_node) {
        takt_queue_begin(&waiters->queue, running);
    } else if (waiters != NULL) {
        join(waiters, running);
    }
    takt_wake_begin();
    takt_port_breathe();
    if (!takt_entity_is_ready(running)) {
        takt_kernel_arm_after(&wait->timeout, duration);
    }
    (void)decide_after_wait(running);
    return end_wait(wait);
}

takt_status_t takt_wait_with(takt_wait_t *wait, takt_waiters_t *waiters, takt_duration_t duration) {
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_wait_refuse(waiters));
    wait->timeout.prev = NULL;
    wait->timeout.expire = expire_wait;
    wait->status = TAKT_OK;
    begin_wait(wait, running, waiters);
    if (duration != TAKT_NEVER && takt_entity_is_plain(running)) {
        return wait_timed(wait, running, duration);
    }
    if (duration != TAKT_NEVER) {
        takt_kernel_arm_after(&wait->timeout, duration);
    }
    return wait_with_record(wait, running);
}

takt_status_t takt_wait_notified_until(takt_instant_t instant, takt_instant_t now) {
    takt_wait_t wait;
    wait.is_node = false;
    wait.is_endless = false;
    wait.timeout.prev = NULL;
    wait.timeout.expire = expire_wait;
    wait.status = TAKT_OK;
    begin_wait(&wait, takt_kernel.cpu.running, NULL);
    takt_kernel_arm(&wait.timeout, instant, now);
    return wait_with_record(&wait, takt_kernel.cpu.running);
}

takt_status_t takt_wait_for(takt_waiters_t *waiters, takt_duration_t duration) {
    takt_wait_t wait;
    wait.is_node = false;
    wait.is_endless = false;
    return takt_wait_with(&wait, waiters, duration);
}

/* Without a timeout, so that a program without timeouts is linked without their wheel. */
takt_status_t takt_wait_endless(takt_waiters_t *waiters) {
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_wait_refuse(waiters));
    takt_wait_t wait;
    wait.is_node = false;
    wait.is_endless = true;
    wait.timeout.prev = NULL;
    wait.status = TAKT_OK;
    begin_wait(&wait, running, waiters);
    (void)wait_behind(waiters, running);
    return end_wait(&wait);
}

static bool is_endless(const takt_thread_t *thread) {
    if ((thread->flags & TAKT_THREAD_TIMED) != 0) {
        return ((const takt_wait_t *)thread->wait)->is_endless;
    }
    return (thread->flags & TAKT_THREAD_AWAITS_NOTIFICATION) == 0;
}

takt_status_t takt_wait_abort(takt_thread_t *thread) {
    if (is_endless(thread)) {
        return takt_kernel_refuse(TAKT_REJECTED);
    }
    if ((thread->flags & TAKT_THREAD_TIMED) != 0) {
        ((takt_wait_t *)thread->wait)->status = TAKT_ABORTED;
    }
    takt_wait_withdraw(thread);
    return takt_wake(&thread->plain.entity);
}

/* ---- to wake ------------------------------------------------------------------------------------ */

enum { KEPT = TAKT_THREAD_SUSPENDED | TAKT_THREAD_ORDERED };

__attribute__((noinline)) bool takt_wait_is_released(takt_entity_t *waiter) {
    takt_thread_t *thread = takt_thread_of(waiter);
    leave_order(waiter);
    if ((thread->flags & TAKT_THREAD_SUSPENDED) == 0) {
        return true;
    }
    takt_wait_forget(thread);
    return false;
}

takt_status_t takt_wake_kept(takt_entity_t *waiter, takt_entity_t *running) {
    if (!takt_wait_is_released(waiter)) {
        return takt_port_open();
    }
    takt_make_ready(waiter);
    return takt_displaces(waiter, running) ? takt_kernel_switch(running, waiter) : takt_port_open();
}

void takt_wake_kept_from_isr(takt_entity_t *waiter) {
    if (!takt_wait_is_released(waiter)) {
        return;
    }
    takt_make_ready(waiter);
    if (takt_displaces(waiter, takt_kernel.cpu.running)) {
        takt_port_pend();
    }
}

/* Makes `waiter`, for which takt_between_admits holds, ready at `now` without a pass, if possible. Returns whether it did. */
TAKT_INLINE bool joins_between(takt_entity_t *waiter, takt_instant_t now) {
    const bool joins = takt_kernel_begins_between(takt_kernel.cpu.running, now);
    if (joins) {
        takt_entity_clear_state(waiter, TAKT_STATE_WAITING);
        takt_between_join(waiter, now);
    }
    return joins;
}

/* Makes `waiter` ready if it is a thread of the root without attributes, so that no lock concerns it, and no time is needed.
 * Returns whether it did. */
TAKT_INLINE bool joins_beside_locks(takt_entity_t *waiter) {
    const bool joins = waiter->attributes == 0 && takt_kernel_is_beside_locks();
    if (joins) {
        takt_make_ready(waiter);
    }
    return joins;
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

static __attribute__((noinline)) takt_status_t wake_by_levels(takt_entity_t *waiter, takt_entity_t *running) {
    return wake_near(waiter, running, false);
}

static __attribute__((noinline)) takt_status_t wake_by_pass(takt_entity_t *waiter, takt_entity_t *running) {
    if (TAKT_UNLIKELY((takt_thread_of(waiter)->flags & KEPT) != 0)) {
        if (!takt_wait_is_released(waiter)) {
            return takt_port_open();
        }
        if (takt_near_admits(waiter, running)) {
            return takt_near_has_keys(running) ? wake_by_keys(waiter, running)
                                               : wake_by_levels(waiter, running);
        }
    }
    if (joins_beside_locks(waiter)) {
        const bool is_best = takt_levels_best(takt_kernel_levels(), 1) == waiter;
        return is_best ? takt_kernel_switch(running, waiter) : takt_port_open();
    }
    takt_entity_clear_state(waiter, TAKT_STATE_WAITING);
    return takt_kernel_pass(TAKT_EVENT_WAKE, waiter);
}

/* `waiter` is of another ready set than the running thread. */
static __attribute__((noinline)) takt_status_t wake_between(takt_entity_t *waiter, takt_entity_t *running) {
    if (TAKT_LIKELY(takt_between_admits(waiter))) {
        const takt_instant_t now = takt_port_now();
        if (TAKT_LIKELY(joins_between(waiter, now))) {
            return takt_kernel_decide_between(now);
        }
    }
    return wake_by_pass(waiter, running);
}

/* One of them is keyed, the other not: perhaps in the heap and in the tail of one set. */
static __attribute__((noinline)) takt_status_t wake_across(takt_entity_t *waiter, takt_entity_t *running) {
    const bool has_keys = takt_near_has_keys(waiter);
    if (!takt_near_admits_across(waiter, running)) {
        return wake_between(waiter, running);
    }
    make_ready_near(waiter, has_keys);
    return has_keys ? takt_kernel_decide_across(running, waiter->parent->ready.keys.slots[0])
                    : takt_port_open();
}

takt_status_t takt_wake_slowly(takt_entity_t *waiter, takt_entity_t *running) {
    if (!takt_near_admits(waiter, running)) {
        return takt_near_is_across(waiter, running) ? wake_across(waiter, running)
                                                    : wake_between(waiter, running);
    }
    return takt_near_has_keys(running) ? wake_by_keys(waiter, running) : wake_near(waiter, running, false);
}

/* Makes `waiter` ready without a pass, if that can be. The interrupted thread may be in a pass that has taken the last
 * work from its server, so that the server is not ready. Returns whether it did. */
TAKT_INLINE bool wake_near_from_isr(takt_entity_t *waiter) {
    const takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_near_admits(waiter, running) || !takt_entity_is_ready(&waiter->parent->entity)) {
        return false;
    }
    const bool has_keys = takt_near_has_keys(running);
    make_ready_near(waiter, has_keys);
    if (takt_near_best(&waiter->parent->ready, has_keys, 1) != running) {
        takt_port_pend();
    }
    return true;
}

static __attribute__((noinline)) void wake_by_pass_from_isr(takt_entity_t *waiter) {
    if (TAKT_UNLIKELY((takt_thread_of(waiter)->flags & KEPT) != 0)) {
        if (!takt_wait_is_released(waiter) || wake_near_from_isr(waiter)) {
            return;
        }
    }
    if (joins_beside_locks(waiter)) {
        if (takt_levels_best(takt_kernel_levels(), 1) == waiter) {
            takt_kernel.busy |= TAKT_BUSY_CHARGED;
            takt_port_pend();
        }
        return;
    }
    takt_entity_clear_state(waiter, TAKT_STATE_WAITING);
    takt_kernel_post(TAKT_EVENT_WAKE, waiter);
    takt_kernel_pend_after_post();
}

static __attribute__((noinline)) void wake_between_from_isr(takt_entity_t *waiter) {
    if (takt_between_admits(waiter) && joins_between(waiter, takt_port_now())) {
        takt_kernel.busy |= TAKT_BUSY_CHARGED;
        takt_port_pend();
    } else {
        wake_by_pass_from_isr(waiter);
    }
}

/* One of them is keyed, the other not: perhaps in the heap and in the tail of one set. */
static __attribute__((noinline)) void wake_across_from_isr(takt_entity_t *waiter) {
    const takt_entity_t *running = takt_kernel.cpu.running;
    const bool has_keys = takt_near_has_keys(waiter);
    if (!takt_near_admits_across(waiter, running) || !takt_entity_is_ready(&waiter->parent->entity)) {
        wake_between_from_isr(waiter);
        return;
    }
    make_ready_near(waiter, has_keys);
    if (has_keys) {
        takt_port_pend();
    }
}

void takt_wake_slowly_from_isr(takt_entity_t *waiter) {
    if (wake_near_from_isr(waiter)) {
        return;
    }
    if (takt_near_is_across(waiter, takt_kernel.cpu.running)) {
        wake_across_from_isr(waiter);
    } else {
        wake_between_from_isr(waiter);
    }
}
