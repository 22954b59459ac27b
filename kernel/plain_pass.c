/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Plain pass: decides where all threads are plain, under the root, and levels order them, while some hold or request
 * mutexes. The third pass of pass.h; takt_mutex_init sets it unless there is the full one.
 *
 * Source: SPEC.md, 9; core/locks.c, core/inheritance.c, core/blocked.c and core/deadlock.c, of which this is the case
 * without jobs, servers, keys and traces. Both leave the same state, so the full pass may replace this one while mutexes
 * are held. Here nothing is charged and no time is read.
 *
 * Invariant: an entity has no attributes but LOCKING, ORDERED, and FULL_PASS while it is suspended, releases a mutex in a
 * wait, or ceilings bar runs. */
#include "core/blocked.h"
#include "core/blocker.h"
#include "core/deadlock.h"
#include "core/inheritance.h"
#include "core/plain_locks.h"
#include "core/protocol.h"
#include "kernel/wait.h"

/* ---- the ready set ------------------------------------------------------------------------------------ */

static void enter(takt_entity_t *entity) {
    takt_kernel_insert(entity);
    takt_entity_set_state(entity, TAKT_STATE_READY);
}

static void leave(takt_entity_t *entity) {
    if (takt_entity_is_ready(entity)) {
        takt_kernel_remove(entity);
        takt_entity_clear_state(entity, TAKT_STATE_READY);
    }
}

/* Moves `entity`, if it is in the set, behind its equals. */
static void rotate(takt_entity_t *entity) {
    if (takt_entity_is_ready(entity)) {
        takt_kernel_remove(entity);
        takt_kernel_insert(entity);
    }
}

static takt_key_t key_of(takt_entity_t *entity) {
    takt_key_t key = entity->level;
    const takt_resource_t *held = takt_entity_is_locking(entity) ? takt_plain_of(entity)->held : NULL;
    for (; held != NULL; held = held->outer) {
        key = takt_least_of(key, held->boost);
    }
    return key;
}

/* Writes the key of `entity`. It keeps its place if the key does not change; otherwise it is placed ahead of its new
 * equals. */
static void refresh(takt_entity_t *entity) {
    const takt_key_t key = key_of(entity);
    if (key == entity->key) {
        return;
    }
    const bool is_ready = takt_entity_is_ready(entity);
    leave(entity);
    entity->key = key;
    if (is_ready) {
        takt_levels_insert_first(takt_kernel_levels(), entity, 1);
        takt_entity_set_state(entity, TAKT_STATE_READY);
    }
}

/* ---- threads that are blocked outside the ready set ----------------------------------------------------- */

static void stand_at(takt_entity_t *entity, takt_resource_t *resource) {
    takt_blocked_append(&resource->blocked, entity);
    takt_plain_of(entity)->wait->blocked_at = resource;
}

static void add_blocked(takt_entity_t *entity, takt_resource_t *resource) {
    leave(entity);
    stand_at(entity, resource);
}

/* Moves all that are blocked at `from` to `list`. */
static void move_blocked(takt_entity_t **list, takt_resource_t *from) {
    takt_entity_t *entity;
    while ((entity = from->blocked) != NULL) {
        takt_blocked_detach(&from->blocked, entity);
        takt_plain_of(entity)->wait->blocked_at = NULL;
        takt_blocked_append(list, entity);
    }
}

static void gather(takt_entity_t **list, const takt_entity_t *entity) {
    takt_resource_t *held = TAKT_CONTAINER_OF(entity, takt_plain_t, entity)->held;
    for (; held != NULL; held = held->outer) {
        move_blocked(list, held);
    }
}

/* Makes all in `list` ready again, and all that wait for them. */
static void come_back(takt_entity_t *list) {
    takt_entity_t *entity;
    while ((entity = list) != NULL) {
        takt_blocked_detach(&list, entity);
        if (takt_blocked_stays(entity)) {
            stand_at(entity, takt_plain_of(entity)->wait->wanted);
        } else {
            enter(entity);
        }
        gather(&list, entity);
    }
}

static void compete_again(takt_entity_t *entity) {
    takt_entity_t *list = NULL;
    takt_blocked_append(&list, entity);
    come_back(list);
}

/* ---- deadlocks ------------------------------------------------------------------------------------------ */

/* Removes the members of the cycle that the chain of `entity` leads to, if any. Returns whether there is one. */
static bool finds_deadlock(takt_entity_t *entity) {
    takt_entity_t *first = takt_deadlock_behind(entity);
    if (first == NULL) {
        return false;
    }
    takt_entity_t *member = first;
    do {
        takt_resource_t *blocker = takt_blocker_of(member);
        takt_plain_of(member)->wait->deadlock = blocker;
        member = blocker->holder;
    } while (member != first);
    do {
        takt_resource_t *blocker = takt_plain_of(member)->wait->deadlock;
        if (takt_entity_is_ready(member)) {
            add_blocked(member, blocker);
        }
        member = blocker->holder;
    } while (member != first);
    return true;
}

/* ---- locks ------------------------------------------------------------------------------------------------ */

static void begin_locking(takt_entity_t *entity) {
    if (!takt_entity_is_locking(entity)) {
        const uint32_t others = entity->attributes;
        takt_plain_begin_locking(entity);
        takt_entity_set_attributes(entity, others);
    }
}

/* Called after `entity` has freed a resource or ended a wait. */
static void stop_locking(takt_entity_t *entity) {
    if (takt_plain_of(entity)->held == NULL && takt_waiting_wanted_by(entity) == NULL) {
        takt_entity_clear_attributes(entity, TAKT_ATTRIBUTE_LOCKING);
    }
    refresh(entity);
}

static void grant(takt_entity_t *entity) {
    takt_resource_t *resource = takt_plain_of(entity)->wait->wanted;
    takt_resource_t *outer = takt_plain_of(entity)->held;
    takt_resource_t *below = entity->parent->locked;
    takt_plain_grant(entity, resource);
    resource->outer = outer;
    resource->below = below;
    const takt_protocol_kind_t *protocol = resource->kind;
    if (protocol->boost != NULL) {
        resource->boost = protocol->boost(resource, entity->parent->policy, 0);
    }
    refresh(entity);
}

static void lock(takt_entity_t *entity, takt_resource_t *resource) {
    if (resource->holder != NULL) {
        begin_locking(resource->holder);
    }
    begin_locking(entity);
    takt_plain_of(entity)->wait->wanted = resource;
    if (takt_blocker_of(entity) == NULL) {
        grant(entity);
    } else if (!finds_deadlock(entity) && !resource->kind->lends) {
        add_blocked(entity, resource);
    }
}

static void unlink_locked(takt_server_t *parent, const takt_resource_t *resource) {
    takt_resource_t **link = &parent->locked;
    while (*link != resource) {
        link = &(*link)->below;
    }
    *link = resource->below;
}

static void unlock(takt_entity_t *entity, takt_resource_t *resource) {
    takt_entity_t *list = NULL;
    begin_locking(entity);
    unlink_locked(entity->parent, resource);
    takt_waiting_unlink(&takt_plain_of(entity)->held, resource);
    resource->holder = NULL;
    move_blocked(&list, resource);
    come_back(list);
    stop_locking(entity);
}

static void withdraw(takt_entity_t *entity) {
    const bool was_out = takt_deadlock_leave_queue(entity, takt_plain_of(entity)->wait);
    takt_plain_of(entity)->wait->wanted = NULL;
    takt_plain_of(entity)->wait = NULL;
    stop_locking(entity);
    if (was_out) {
        compete_again(entity);
    }
}

/* The level of `entity`, which holds or requests a resource, has changed. */
static void reconsider(takt_entity_t *entity) {
    const takt_resource_t *deadlock = takt_waiting_deadlock_of(entity);
    const bool stays =
        takt_blocked_stays(entity) || (deadlock != NULL && deadlock == takt_blocker_of(entity));
    takt_lock_wait_t *wait = takt_plain_of(entity)->wait;
    if (!stays && wait != NULL && takt_deadlock_leave_queue(entity, wait)) {
        compete_again(entity);
    }
}

/* ---- to choose ---------------------------------------------------------------------------------------------- */

/* Removes `entity`, which `blocker` blocks and no thread can run for, and the holders between. One that only a ceiling bars
 * from running stays: it continues once the holder is not ready. */
static void remove_blocked(takt_entity_t *entity, takt_resource_t *blocker) {
    if (blocker == takt_blocker_of(entity) || !takt_entity_is_ready(blocker->holder)) {
        add_blocked(entity, blocker);
    }
    if (!blocker->kind->lends) {
        return;
    }
    for (entity = blocker->holder; takt_entity_is_ready(entity); entity = blocker->holder) {
        blocker = takt_blocker_of(entity);
        add_blocked(entity, blocker);
    }
}

/* Returns the thread that runs in place of `entity`, the most urgent one. NULL if there is none; then `entity` has left the
 * ready set, or others have that bar it. */
static takt_entity_t *stand_in(takt_entity_t *entity, takt_resource_t *blocker) {
    takt_entity_t *other = NULL;
    if (blocker->kind->lends && !finds_deadlock(entity)) {
        other = takt_inheritance_end_of_chain(blocker);
    }
    if (other == NULL && takt_entity_is_ready(entity)) {
        remove_blocked(entity, blocker);
    }
    return other;
}

/* Returns the resource with the highest ceiling that bars `entity` from running; NULL: none does. */
static takt_resource_t *barrier_of(takt_entity_t *entity) {
    for (const takt_resource_t *locked = entity->parent->locked; locked != NULL; locked = locked->below) {
        const takt_protocol_kind_t *protocol = locked->kind;
        if (protocol->bars == TAKT_BARS_RUNS) {
            return protocol->highest(entity, TAKT_BARS_RUNS);
        }
    }
    return NULL;
}

/* Returns the thread that runs now; what it requests is granted. The idle thread, if all are barred. */
static takt_entity_t *choose(void) {
    takt_entity_t *next = NULL;
    takt_kernel.busy = 0;
    while (next == NULL && !takt_levels_is_empty(takt_kernel_levels())) {
        next = takt_levels_best(takt_kernel_levels(), 1);
        takt_resource_t *blocker = barrier_of(next);
        if (blocker == NULL) {
            blocker = takt_blocker_of(next);
        }
        if (blocker != NULL) {
            next = stand_in(next, blocker);
        }
    }
    if (next == NULL) {
        return &takt_kernel.idle.plain.entity;
    }
    if (takt_waiting_wanted_by(next) != NULL) {
        grant(next);
    }
    return next;
}

/* ---- behind the pointers of the pass ------------------------------------------------------------------------ */

static takt_status_t decide(void) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_entity_t *next = choose();
    return next != running ? takt_kernel_switch(running, next) : takt_port_open();
}

static void preempt_by_pass(void) {
    if ((takt_kernel.busy & TAKT_BUSY_PASS) != 0) {
        (void)takt_port_open();
    } else {
        takt_entity_t *running = takt_kernel.cpu.running;
        takt_kernel_preempt_by(choose(), running);
    }
}

static void preempt(takt_entity_t *running) {
    (void)running;
    preempt_by_pass();
}

static takt_status_t yield(takt_entity_t *running) {
    rotate(running);
    return decide();
}

static void end_turn(takt_entity_t *running) {
    if (takt_entity_is_ready(running) && takt_levels_begins_equals(takt_kernel_levels(), running)) {
        rotate(running);
        takt_port_pend();
    }
}

static void block(takt_entity_t *entity) {
    leave(entity);
    takt_entity_set_state(entity, TAKT_STATE_WAITING);
}

static takt_status_t stop(takt_entity_t *entity) {
    block(entity);
    return decide();
}

static takt_status_t wait(takt_waiters_t *waiters, takt_entity_t *running) {
    block(running);
    if (waiters != NULL) {
        takt_queue_begin(&waiters->queue, running);
    }
    return decide();
}

static takt_status_t wait_behind(takt_waiters_t *waiters, takt_entity_t *running) {
    block(running);
    takt_wait_join(waiters, running);
    return decide();
}

/* Returns false if `waiter` still waits for its resumption. */
static bool make_ready(takt_entity_t *waiter) {
    takt_entity_t *list = NULL;
    if (!takt_wait_is_released(waiter)) {
        return false;
    }
    takt_entity_clear_state(waiter, TAKT_STATE_WAITING);
    enter(waiter);
    gather(&list, waiter);
    come_back(list);
    return true;
}

static takt_status_t wake(takt_entity_t *waiter, takt_entity_t *running) {
    (void)running;
    return make_ready(waiter) ? decide() : takt_port_open();
}

static void wake_from_isr(takt_entity_t *waiter) {
    if (make_ready(waiter)) {
        takt_port_pend();
    }
}

static void renew(takt_entity_t *entity) {
    const takt_key_t before = entity->key;
    refresh(entity);
    if (entity->key != before) {
        rotate(entity);
    }
    if (takt_entity_is_locking(entity)) {
        reconsider(entity);
    }
}

static const takt_pass_locking_t locking = {
    .expect = takt_kernel_expect_plain_pass,
    .lock = lock,
    .unlock = unlock,
    .withdraw = withdraw,
    .dispatch = decide,
    .dispatch_charged = decide,
};

static const takt_pass_t plain = {
    .begin = takt_kernel_first_thread,
    .decide = decide,
    .pend = takt_port_pend,
    .yield = yield,
    .end_turn = end_turn,
    .wait = wait,
    .wait_behind = wait_behind,
    .wake = wake,
    .wake_from_isr = wake_from_isr,
    .preempt = preempt,
    .preempt_by_pass = preempt_by_pass,
    .stop = stop,
    .renew = renew,
    .locking = &locking,
};

void takt_kernel_expect_plain_pass(void) {
    if (!takt_kernel_has_pass()) {
        takt_kernel.pass = &plain;
    }
}
