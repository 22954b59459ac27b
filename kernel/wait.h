/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How a thread waits, and how it is woken. Private to kernel/.
 *
 * Every object that threads wait for is a takt_waiters_t plus what it protects. A wait without timeout is inline for
 * plain threads. A wait with timeout, or of a thread with attributes, goes through wait.c. Data that is needed only
 * during a wait with timeout is in a record in the stack frame of the call.
 *
 * A waiting thread is in one of these states, all with TAKT_STATE_WAITING:
 *     thread->wait is the takt_waiters_t that it waits in                  without timeout
 *     thread->wait is its takt_wait_t, and TAKT_THREAD_TIMED is set        with timeout; waiters NULL: a delay
 *     thread->wait is something, and TAKT_THREAD_AWAITS_NOTIFICATION is set            for a notification; with TIMED
 * as above
 *     thread->wait is NULL                                                 suspended, and waits for nothing else
 * `thread->wait` is stale unless the thread is waiting.
 *
 * Call all functions with the lock closed. */
#ifndef TAKT_KERNEL_WAIT_H
#define TAKT_KERNEL_WAIT_H

#include "kernel/state.h"
#include "kernel/waiters.h"

/* A wait with timeout. */
typedef struct takt_wait {
    takt_timeout_t timeout;
    takt_thread_t *thread;
    takt_waiters_t *waiters; /* NULL: a delay */
    takt_status_t status;    /* TAKT_OK: woken; TAKT_TIMEOUT; TAKT_ABORTED */
    bool is_endless;         /* its call has no end, and so no status for the end of a wait */
    bool is_node;            /* see kernel/order.h: also if the queue is empty */
    /* See kernel/order.h. In a list: the last waiter of the level before, if this is the last of its level. In the
     * tree, while the thread has TAKT_ATTRIBUTE_ORDERED: the node above. */
    union {
        takt_entity_t *earlier;
        struct takt_wait *above;
    };
    struct takt_wait *below[2];
} takt_wait_t;

/* ---- wait.c ------------------------------------------------------------------------------------- */

/* `running`, of any kind, waits in `waiters`, if not NULL, where no other thread waits; returns open when it was
 * woken. A job that may be ended does not wait: the call returns ERROR_WAITS, also in its record, if any, and undoes
 * the request. */
takt_status_t takt_wait_slowly(takt_waiters_t *waiters, takt_entity_t *running);

/* Likewise perhaps behind others; `running` has a record. Under keys it takes the full pass. */
takt_status_t takt_wait_behind_slowly(takt_waiters_t *waiters, takt_entity_t *running);

/* No thread can wait before the start: undoes the request for a unit. Returns ERROR_NOT_STARTED, open. */
takt_status_t takt_wait_refuse(takt_waiters_t *waiters);

/* The running thread found no unit in `waiters` (NULL: it needs none) and waits at most `duration`; TAKT_NEVER: for
 * ever. Returns open: TAKT_OK, TAKT_TIMEOUT, ERROR_WAITS or ERROR_NOT_STARTED. */
takt_status_t takt_wait_for(takt_waiters_t *waiters, takt_duration_t duration);

/* The same with a record of the caller, of which `is_node` and `is_endless` are set. It is part of a larger one that
 * says what to hand over at the wake-up. While the thread waits, thread->wait is `wait`. */
takt_status_t takt_wait_with(takt_wait_t *wait, takt_waiters_t *waiters, takt_duration_t duration);

/* The running thread waits for `duration`, or until `instant`, where `now` has just been read. Returns open. */
takt_status_t takt_wait_delay(takt_duration_t duration);
takt_status_t takt_wait_until(takt_instant_t instant, takt_instant_t now);

/* Likewise, for a notification, which it awaits already, until `instant`. Returns TIMEOUT, or what ended the wait. */
takt_status_t takt_wait_notified_until(takt_instant_t instant, takt_instant_t now);

/* Makes `waiter`, removed from its queue and not plain, ready; takt_wake_slowly also decides. */
takt_status_t takt_wake_slowly(takt_entity_t *waiter, takt_entity_t *running);
void takt_wake_slowly_from_isr(takt_entity_t *waiter);

/* The same where only threads that are suspended, or have a node, have an attribute, and there is no pass. */
takt_status_t takt_wake_kept(takt_entity_t *waiter, takt_entity_t *running);
void takt_wake_kept_from_isr(takt_entity_t *waiter);

/* Waits as takt_wait_for without end; the call that waits does not return the status. */
takt_status_t takt_wait_endless(takt_waiters_t *waiters);

/* Ends the wait of `thread`, if its call can return TAKT_ABORTED; else returns TAKT_REJECTED. Closed; opens. */
takt_status_t takt_wait_abort(takt_thread_t *thread);

/* Removes `thread` from what it waits for, which is not only its resumption. Does not make it ready, nor write its
 * state. */
void takt_wait_withdraw(takt_thread_t *thread);

/* Puts `running`, which is not ready, into the queue of `waiters`, perhaps behind others. */
void takt_wait_join(takt_waiters_t *waiters, takt_entity_t *running);

/* `waiter` is woken: removes its node, if it has one. Returns false if it is suspended, so that it still waits for its
 * resumption. */
bool takt_wait_is_released(takt_entity_t *waiter);

/* The key of `entity`, which was `before`, may have changed: if it waits, it joins its new equals, behind them. */
void takt_wait_reorder(takt_entity_t *entity, takt_key_t before);

/* Disarms the timeout of `thread`, which no longer waits but may not run for long, or never again. Its record is in the
 * frame of a call that has not returned yet. */
void takt_wait_forget(takt_thread_t *thread);

/* ---- wake_all.c --------------------------------------------------------------------------------- */

/* The running thread begins to wake several: it is not preempted until takt_wake_decide. It may open in between. */
TAKT_INLINE void takt_wake_begin(void) { takt_kernel.busy |= TAKT_BUSY_PASS; }

/* Makes `waiter`, removed from its queue, ready. */
void takt_wake_before_decision(takt_entity_t *waiter);

/* Decides after the last one. Opens. */
takt_status_t takt_wake_decide(void);

/* ---- mutex.c ------------------------------------------------------------------------------------ */

/* What is done about the request of a thread for a mutex; takt_kernel.mutexes. Closed. */
typedef struct takt_lock_functions {
    /* Cancels the request of `thread`, which ends; if it waited for a mutex, it becomes ready. */
    void (*forget)(takt_thread_t *thread);
    /* Suspends `thread`: its request is withdrawn, and made again when it has been resumed. Opens. */
    takt_status_t (*put_off)(takt_thread_t *thread);
    /* Ends the request, perhaps put off: the call of `thread` returns TAKT_ABORTED. Opens. */
    takt_status_t (*abort)(takt_thread_t *thread);
    /* See takt_mutex_abandon. Open. */
    void (*abandon)(takt_thread_t *thread);
} takt_lock_functions_t;

/* Unlocks `mutex`, which the running thread holds, without a decision: a wait follows, by the full pass if an event was
 * posted. Closed. */
struct takt_mutex;
void takt_mutex_release(struct takt_mutex *mutex);

/* The running thread `thread` ends while it holds mutexes: reports it to the program, and unlocks them. Open. */
void takt_mutex_abandon(takt_thread_t *thread);

/* ---- inline layer ------------------------------------------------------------------------------- */

/* A thread is about to wait in `waiters`. Closed; before anything has changed. */
#define TAKT_REQUIRE_WAITERS(waiters) \
    TAKT_REQUIRE_THREAD_NOW();        \
    TAKT_REQUIRE(takt_waiters_is_initialised(waiters), takt_kernel_refuse(TAKT_ERROR_OBJECT))

/* True if no other thread waits in `waiters`, whose count includes the caller. */
TAKT_INLINE bool takt_wait_is_first(const takt_waiters_t *waiters) { return waiters->count == -1; }

/* The plain `running` waits in `waiters`, if not NULL, `is_alone` if no other thread waits there. The next thread is
 * selected last, which needs the fewest registers. */
TAKT_SHARED takt_status_t takt_wait_plain(takt_waiters_t *waiters, takt_entity_t *running, bool is_alone) {
    takt_kernel_remove(running);
    takt_entity_flip_state(running, TAKT_STATE_READY | TAKT_STATE_WAITING);
    if (waiters != NULL && is_alone) {
        takt_queue_begin(&waiters->queue, running);
    } else if (waiters != NULL) {
        takt_wait_join(waiters, running);
    }
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    return takt_entity_is_plain(next) ? takt_kernel_switch(running, next) : takt_kernel.pass->decide();
}

/* `running` waits in `waiters`, if not NULL, where no other thread waits. */
TAKT_SHARED takt_status_t takt_wait_alone(takt_waiters_t *waiters, takt_entity_t *running) {
    if (!takt_entity_is_plain(running)) {
        return takt_kernel.pass->wait(waiters, running);
    }
    return takt_wait_plain(waiters, running, true);
}

/* The running thread waits for a unit of `waiters`; the count includes it already. */
TAKT_INLINE takt_status_t takt_wait_in(takt_waiters_t *waiters) {
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_wait_refuse(waiters));
    if (!takt_wait_is_first(waiters)) {
        return takt_wait_endless(waiters);
    }
    takt_thread_of(running)->wait = waiters;
    return takt_wait_alone(waiters, running);
}

/* Makes the plain `waiter` ready. */
TAKT_SHARED void takt_make_ready(takt_entity_t *waiter) {
    takt_kernel_insert(waiter);
    takt_entity_flip_state(waiter, TAKT_STATE_READY | TAKT_STATE_WAITING);
}

/* True if `entity` preempts `running`, both plain: keys are levels, which fit in 32 bits. */
TAKT_INLINE bool takt_displaces(const takt_entity_t *entity, const takt_entity_t *running) {
    return (uint32_t)entity->key < (uint32_t)running->key;
}

/* Makes `waiter`, removed from its queue, ready; it runs at once if it is more urgent. Returns open. */
TAKT_SHARED takt_status_t takt_wake(takt_entity_t *waiter) {
    takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(waiter) || !takt_entity_is_plain(running)) {
        return takt_kernel.pass->wake(waiter, running);
    }
    takt_make_ready(waiter);
    if (takt_displaces(waiter, running)) {
        return takt_kernel_switch(running, waiter);
    }
    return takt_port_open();
}

/* The same for interrupts, without the comparison. Returns the number of threads, 1 or 0, still to be compared. The
 * thread becomes ready now, so that the decision after all interrupts finds it. */
TAKT_SHARED uint32_t takt_wake_unseen(takt_entity_t *waiter) {
    if (!takt_entity_is_plain(waiter)) {
        takt_kernel.pass->wake_from_isr(waiter);
        return 0;
    }
    takt_make_ready(waiter);
    return 1;
}

/* Likewise, with the comparison. */
TAKT_SHARED void takt_wake_from_isr(takt_entity_t *waiter) {
    if (takt_wake_unseen(waiter) == 0) {
        return;
    }
    /* Keys of a thread with attributes are not the root's levels: the full pass compares them. */
    const takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(running)) {
        takt_kernel.pass->pend();
    } else if (takt_displaces(waiter, running)) {
        takt_port_pend();
    }
}

/* Gives a unit to the first of `waiters`; the count includes the unit already. */
TAKT_INLINE takt_status_t takt_wake_first(takt_waiters_t *waiters) {
    return takt_wake(takt_queue_take(&waiters->queue));
}

TAKT_INLINE void takt_wake_first_from_isr(takt_waiters_t *waiters) {
    takt_wake_from_isr(takt_queue_take(&waiters->queue));
}

/* Arms `timeout`, and the port's timer if nothing expires before; `now` has just been read. The timer goes first: it
 * may count from its setting. The first timeout of all finds no alarm. */
TAKT_INLINE void takt_kernel_arm(takt_timeout_t *timeout, takt_instant_t instant, takt_instant_t now) {
    if (instant <= takt_kernel.alarm) {
        takt_kernel_set_timer(instant, now);
        if (TAKT_UNLIKELY(takt_kernel.time == NULL)) {
            takt_kernel_expect_time();
        }
    }
    takt_timeouts_insert(&takt_timeouts, timeout, instant);
}

/* The instant `duration` after `now`, or TAKT_NEVER. */
TAKT_INLINE takt_instant_t takt_instant_after(takt_instant_t now, takt_duration_t duration) {
    return duration < TAKT_NEVER - now ? now + duration : TAKT_NEVER;
}

/* Arms `timeout` for `duration` from now. */
TAKT_SHARED void takt_kernel_arm_after(takt_timeout_t *timeout, takt_duration_t duration) {
    const takt_instant_t now = takt_port_now();
    takt_kernel_arm(timeout, takt_instant_after(now, duration), now);
}

#endif
