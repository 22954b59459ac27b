/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How a thread waits, and how it is woken. Private to kernel/.
 *
 * Every object that threads wait for is a takt_waiters_t and what it protects. A call that waits for ever is inline for
 * plain threads; one with an end, and one of a thread with attributes, goes through wait.c. What is needed only as long as a
 * thread waits with an end stands in a record in the frame of its call.
 *
 * A waiting thread is in one of these states, all with TAKT_STATE_WAITING:
 *     thread->wait is the takt_waiters_t that it stands in                 without an end
 *     thread->wait is its takt_wait_t, and TAKT_THREAD_TIMED is set        with one; waiters NULL: nothing but time
 *     thread->wait is something, and TAKT_THREAD_LISTENS is set            for a notification; with TIMED as above
 *     thread->wait is NULL                                                 suspended, and waits for nothing else
 * What thread->wait says of one that does not wait is left over.
 *
 * All functions are called closed. */
#ifndef TAKT_KERNEL_WAIT_H
#define TAKT_KERNEL_WAIT_H

#include "kernel/state.h"
#include "kernel/waiters.h"

/* A wait that has an end. */
typedef struct takt_wait {
    takt_timeout_t timeout;
    takt_thread_t *thread;
    takt_waiters_t *waiters; /* NULL: nothing but time */
    takt_status_t status;    /* TAKT_OK: woken; TAKT_TIMEOUT */
} takt_wait_t;

/* ---- wait.c ------------------------------------------------------------------------------------- */

/* `running`, of any kind, waits in `queue`, if that is not NULL; returns open, once it has been woken. A job that may be ended
 * does not wait: its record, if it has one, says ERROR_WAITS as well, and what was asked for is taken back. */
takt_status_t takt_wait_by_pass(takt_queue_t *queue, takt_entity_t *running);

/* Likewise where `running` stands in `queue` already, and a next one with attributes was found. */
takt_status_t takt_wait_by_pass_after_all(takt_queue_t *queue, takt_entity_t *running);

/* Before the start nobody can wait: takes back that a unit was asked for. Returns ERROR_NOT_STARTED, open. */
takt_status_t takt_wait_refuse(takt_waiters_t *waiters);

/* The running thread, for which there is no unit in `waiters` (NULL: it wants none), waits `duration` at the longest, TAKT_NEVER:
 * for ever. Returns open: TAKT_OK, TAKT_TIMEOUT, ERROR_WAITS or ERROR_NOT_STARTED. */
takt_status_t takt_wait_for(takt_waiters_t *waiters, takt_duration_t duration);

/* The same with a record that is the caller's, a part of what tells who wakes it what to hand over: while the thread waits,
 * thread->wait is `wait`. */
takt_status_t takt_wait_with(takt_wait_t *wait, takt_waiters_t *waiters, takt_duration_t duration);

/* The running thread waits until `duration` has passed. Returns open. */
takt_status_t takt_wait_delay(takt_duration_t duration);

/* `waiter`, which has been taken out of its queue and is not plain, can go on; takt_wake_slowly also decides. */
takt_status_t takt_wake_slowly(takt_entity_t *waiter);
void takt_wake_slowly_from_isr(takt_entity_t *waiter);

/* Takes `thread`, which waits and not for its resumption only, out of what it waits for. It is not ready yet, and its
 * state is not written. */
void takt_wait_withdraw(takt_thread_t *thread);

/* `thread`, which waits for nothing any more, may not run for long, or never again: its record, in the frame of a call that
 * has not returned yet, is not to be found by its timeout. */
void takt_wait_forget(takt_thread_t *thread);

/* ---- mutex.c ------------------------------------------------------------------------------------ */

/* `thread` does not want any mutex any more; if it waited for one, it is ready. */
void takt_mutex_forget(takt_thread_t *thread);

/* `thread`, which runs, ends while it holds mutexes: tells the program, and unlocks them. Open. */
void takt_mutex_abandon(takt_thread_t *thread);

/* ---- inline layer ------------------------------------------------------------------------------- */

/* `running` waits in `queue`, if that is not NULL. Who is next is looked up last, which needs the fewest registers. */
TAKT_INLINE takt_status_t takt_wait_in_queue(takt_queue_t *queue, takt_entity_t *running) {
    if (!takt_entity_is_plain(running)) {
        return takt_wait_by_pass(queue, running);
    }
    takt_levels_remove(takt_kernel_levels(), running, 1);
    takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
    if (queue != NULL) {
        takt_queue_append(queue, running);
    }
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    if (!takt_entity_is_plain(next)) {
        return takt_wait_by_pass_after_all(queue, running);
    }
    return takt_kernel_switch(running, next);
}

/* The running thread waits for a unit of `waiters`, whose count says so already. */
TAKT_INLINE takt_status_t takt_wait_in(takt_waiters_t *waiters) {
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_wait_refuse(waiters));
    takt_thread_of(running)->wait = waiters;
    return takt_wait_in_queue(&waiters->queue, running);
}

/* `waiter` is plain and becomes ready. */
TAKT_INLINE void takt_make_ready(takt_entity_t *waiter) {
    takt_levels_insert(takt_kernel_levels(), waiter, 1);
    takt_entity_flip_state(waiter, TAKT_STATE_READY | TAKT_STATE_WAITING);
}

/* Whether `entity` goes before `running`, both plain: keys are levels, which 32 bits hold. */
TAKT_INLINE bool takt_displaces(const takt_entity_t *entity, const takt_entity_t *running) {
    return (uint32_t)entity->key < (uint32_t)running->key;
}

/* `waiter`, taken out of its queue, can go on, and runs at once if it is more urgent. Returns open. */
TAKT_INLINE takt_status_t takt_wake(takt_entity_t *waiter) {
    takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(waiter) || !takt_entity_is_plain(running)) {
        return takt_wake_slowly(waiter);
    }
    takt_make_ready(waiter);
    if (takt_displaces(waiter, running)) {
        return takt_kernel_switch(running, waiter);
    }
    return takt_port_open();
}

/* The same for interrupts, but does not look whether it is more urgent: gives of how many, 1 or 0, that is to be asked. It becomes
 * ready now, so that the decision that follows all interrupts finds it. */
TAKT_INLINE uint32_t takt_wake_unseen(takt_entity_t *waiter) {
    if (!takt_entity_is_plain(waiter)) {
        takt_wake_slowly_from_isr(waiter);
        return 0;
    }
    takt_make_ready(waiter);
    return 1;
}

/* Likewise, and looks. */
TAKT_INLINE void takt_wake_from_isr(takt_entity_t *waiter) {
    if (takt_wake_unseen(waiter) == 0) {
        return;
    }
    /* Keys of a thread with attributes are not of the root's levels: there the pass compares. */
    const takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(running) || takt_displaces(waiter, running)) {
        takt_port_pend();
    }
}

/* Gives a unit to the first of `waiters`, whose count says already that there is one. */
TAKT_INLINE takt_status_t takt_wake_first(takt_waiters_t *waiters) {
    return takt_wake(takt_queue_take(&waiters->queue));
}

TAKT_INLINE void takt_wake_first_from_isr(takt_waiters_t *waiters) {
    takt_wake_from_isr(takt_queue_take(&waiters->queue));
}

/* Arms `timeout`, and the port's timer if nothing comes before; `now` has just been read. The timer goes first: it may count
 * from its setting. */
TAKT_INLINE void takt_kernel_arm(takt_timeout_t *timeout, takt_instant_t instant, takt_instant_t now) {
    if (instant < takt_kernel.alarm) {
        takt_kernel.alarm = instant;
        takt_port_timer_set(instant, now);
    }
    takt_timeouts_insert(&takt_kernel.timeouts, timeout, instant);
}

/* `duration` from `now` on, or never. */
TAKT_INLINE takt_instant_t takt_instant_after(takt_instant_t now, takt_duration_t duration) {
    return duration < TAKT_NEVER - now ? now + duration : TAKT_NEVER;
}

/* Arms `timeout` for `duration` from now on. */
TAKT_INLINE void takt_kernel_arm_after(takt_timeout_t *timeout, takt_duration_t duration) {
    const takt_instant_t now = takt_port_now();
    takt_kernel_arm(timeout, takt_instant_after(now, duration), now);
}

#endif
