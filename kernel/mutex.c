/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Mutex; see mutex.h. */
#include "kernel/mutex.h"

#include "core/plain_locks.h"
#include "core/protocol.h"
#include "core/waiting.h"
#include "kernel/creation.h"
#include "kernel/hooks.h"
#include "kernel/wait.h"

/* Record of a lock request, in the frame of the thread's call. */
typedef struct wish {
    takt_lock_wait_t wait;  /* core's part */
    takt_mutex_t *mutex;    /* NULL: the request has ended */
    takt_timeout_t timeout; /* not armed if it waits for ever */
    takt_plain_t *thread;   /* read when the timeout expires */
    takt_status_t status;   /* of the call if the mutex is not locked */
    bool is_put_off;        /* withdrawn: while the thread is suspended, or for good */
} wish_t;

static void forget(takt_thread_t *thread);
static takt_status_t put_off(takt_thread_t *thread);
static takt_status_t abort_request(takt_thread_t *thread);

static const takt_lock_functions_t functions = {
    .forget = forget, .put_off = put_off, .abort = abort_request, .abandon = takt_mutex_abandon};

takt_status_t takt_mutex_init_under(takt_mutex_t *mutex, const takt_mutex_parameters_t *parameters,
                                    const takt_protocol_kind_t *kind) {
    if (mutex == NULL || parameters == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (parameters->ceiling >= TAKT_PRIORITIES) {
        return TAKT_ERROR_PRIORITY;
    }
    const takt_status_t status = takt_creation_add_resource(
        &mutex->resource, parameters->protocol, kind, takt_creation_level(parameters->ceiling),
        parameters->server, takt_kernel_expect_plain_pass);
    if (status != TAKT_OK) {
        return status;
    }
    takt_kernel.mutexes = &functions;
    mutex->watchers = parameters->protocol != TAKT_PROTOCOL_PIP;
    mutex->parent = takt_creation_parent(parameters->server);
    return TAKT_OK;
}

#define DEBUG_REQUIRE_MUTEX(mutex)                                               \
    TAKT_DEBUG_REQUIRE((mutex) != NULL, TAKT_ERROR_NULL);                        \
    TAKT_DEBUG_REQUIRE((mutex)->parent != NULL, TAKT_ERROR_OBJECT);              \
    TAKT_REQUIRE_OPEN_FIRST();                                                   \
    TAKT_DEBUG_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED); \
    TAKT_DEBUG_REQUIRE(takt_kernel.cpu.running->task == NULL, TAKT_ERROR_JOBS);  \
    TAKT_DEBUG_REQUIRE(takt_kernel.cpu.running->parent == (mutex)->parent, TAKT_ERROR_RESOURCE)

/* Closed, `running` is about to ask core for `mutex`, or to wait for it: what a lock without contention does not read. */
#define REQUIRE_CONTENDED(mutex, running)                                         \
    TAKT_REQUIRE_THREAD_NOW();                                                    \
    TAKT_REQUIRE((mutex)->parent != NULL, takt_kernel_refuse(TAKT_ERROR_OBJECT)); \
    TAKT_REQUIRE((running)->parent == (mutex)->parent, takt_kernel_refuse(TAKT_ERROR_RESOURCE))

/* ---- lock --------------------------------------------------------------------------------------- */

/* Begins a lock request of the running thread; its timeout is the caller's. */
TAKT_INLINE void begin_wish(wish_t *wish, takt_mutex_t *mutex) {
    wish->mutex = mutex;
    wish->status = TAKT_TIMEOUT;
    wish->is_put_off = false;
    mutex->watchers++;
}

/* Ends a lock request, granted or not, but for its timeout. Closed; once or more. */
TAKT_INLINE void end_request(wish_t *wish) {
    if (wish->mutex != NULL) {
        wish->mutex->watchers--;
        wish->mutex = NULL;
    }
}

/* Likewise with it. */
static void forget_wish(wish_t *wish) {
    end_request(wish);
    if (takt_timeout_is_armed(&wish->timeout)) {
        takt_kernel.time->disarm(&wish->timeout);
    }
}

/* Likewise, for calls that are linked with timeouts anyway. */
static void forget_timed_wish(wish_t *wish) {
    end_request(wish);
    if (takt_timeout_is_armed(&wish->timeout)) {
        takt_timeouts_remove(&takt_timeouts, &wish->timeout);
    }
}

/* True if the protocol of `mutex` would raise the key of `running`, which is its deadline. */
static bool raises_deadline(const takt_mutex_t *mutex, const takt_entity_t *running) {
    return mutex->resource.kind->boost != NULL && takt_plain_has_deadline(running);
}

/* `running` asks core for the lock. */
static void request(takt_entity_t *running, wish_t *wish) {
    wish->wait.wanted = NULL;
    wish->wait.blocked_at = NULL;
    wish->wait.deadlock = NULL;
    takt_plain_of(running)->wait = &wish->wait;
    takt_kernel.pass->locking->lock(running, &wish->mutex->resource);
}

/* The wait of `running` has ended. A request that a suspension has put off is made again, unless its time is up. Open. */
TAKT_INLINE takt_status_t end_wish(wish_t *wish, const takt_mutex_t *mutex, void (*forget_it)(wish_t *wish)) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_port_close();
    while (wish->is_put_off && wish->mutex != NULL) {
        wish->is_put_off = false;
        request(running, wish);
        (void)takt_kernel.pass->locking->dispatch_charged();
        takt_port_close();
    }
    takt_plain_of(running)->wait = NULL;
    forget_it(wish);
    const takt_status_t status = mutex->resource.holder == running ? TAKT_OK : wish->status;
    (void)takt_port_open();
    return status;
}

static __attribute__((noinline)) takt_status_t end_endless_wish(wish_t *wish, const takt_mutex_t *mutex) {
    return end_wish(wish, mutex, forget_wish);
}

static __attribute__((noinline)) takt_status_t lock_by_pass(takt_mutex_t *mutex, takt_entity_t *running) {
    TAKT_REQUIRE(mutex->resource.holder != running, takt_kernel_refuse(TAKT_ERROR_RESOURCE));
    TAKT_REQUIRE(!raises_deadline(mutex, running), takt_kernel_refuse(TAKT_ERROR_DEADLINES));
    wish_t wish;
    begin_wish(&wish, mutex);
    wish.timeout.prev = NULL;
    request(running, &wish);
    (void)takt_kernel.pass->locking->dispatch_charged();
    return end_endless_wish(&wish, mutex);
}

/* True if only the holder of `mutex`, another thread, blocks `running`, under pip; then the holder can run at once. */
TAKT_INLINE bool is_blocked_alone(const takt_mutex_t *mutex, const takt_entity_t *running) {
    const takt_resource_t *resource = &mutex->resource;
    return !TAKT_IS_SMALL && resource->holder != NULL && running->attributes == 0 &&
           resource->protocol == TAKT_PROTOCOL_PIP && takt_plain_is_blocked_alone(running, resource);
}

static __attribute__((noinline)) takt_status_t wait_for_holder(takt_mutex_t *mutex, takt_entity_t *running) {
    REQUIRE_CONTENDED(mutex, running);
    if (mutex->resource.holder == running || !is_blocked_alone(mutex, running)) {
        return lock_by_pass(mutex, running);
    }
    wish_t wish;
    begin_wish(&wish, mutex);
    wish.timeout.prev = NULL;
    (void)takt_kernel_switch(running, takt_plain_block(running, &mutex->resource, &wish.wait));
    if (TAKT_UNLIKELY(wish.is_put_off)) {
        return end_endless_wish(&wish, mutex);
    }
    takt_port_close();
    mutex->watchers--; /* without a timeout the wait ends only when it holds the mutex */
    return takt_port_open();
}

/* True if a lock concerns only `running`: the mutex is free and uncontended. */
TAKT_INLINE bool is_private(const takt_mutex_t *mutex, const takt_entity_t *running) {
    return mutex->resource.holder == NULL && (running->attributes | mutex->watchers) == 0;
}

TAKT_INLINE takt_status_t hold(takt_resource_t *resource, takt_entity_t *running) {
    takt_plain_t *thread = takt_plain_of(running);
    resource->outer = thread->held;
    resource->holder = running;
    thread->held = resource;
    return takt_port_open();
}

takt_status_t takt_mutex_lock(takt_mutex_t *mutex) {
    TAKT_REQUIRE(mutex != NULL, TAKT_ERROR_NULL);
    DEBUG_REQUIRE_MUTEX(mutex);
    takt_resource_t *resource = &mutex->resource;
    takt_port_close();
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_kernel_refuse(TAKT_ERROR_NOT_STARTED));
    return is_private(mutex, running) ? hold(resource, running) : wait_for_holder(mutex, running);
}

/* ---- lock, for a while -------------------------------------------------------------------------- */

/* True if the lock request of `entity` is neither granted nor put off. */
static bool is_requesting(takt_entity_t *entity) {
    const takt_lock_wait_t *wait = takt_plain_of(entity)->wait;
    return wait != NULL && wait->wanted != NULL;
}

/* Withdraws the lock request of `entity`, if it is neither granted nor put off. A decision follows. */
static void withdraw(takt_entity_t *entity) {
    if (is_requesting(entity) && (TAKT_IS_SMALL || !takt_plain_withdraw(entity))) {
        takt_kernel.pass->locking->withdraw(entity);
    }
}

static void forget(takt_thread_t *thread) {
    wish_t *wish = TAKT_CONTAINER_OF(thread->plain.wait, wish_t, wait);
    withdraw(&thread->plain.entity);
    thread->plain.wait = NULL;
    forget_wish(wish);
}

/* The record stays with the thread, and requests nothing. */
static takt_status_t put_off(takt_thread_t *thread) {
    takt_lock_wait_t *wait = thread->plain.wait;
    takt_entity_t *entity = &thread->plain.entity;
    TAKT_CONTAINER_OF(wait, wish_t, wait)->is_put_off = true;
    withdraw(entity);
    thread->plain.wait = wait;
    thread->wait = NULL;
    return takt_kernel.pass->stop(entity);
}

static takt_status_t abort_request(takt_thread_t *thread) {
    wish_t *wish = TAKT_CONTAINER_OF(thread->plain.wait, wish_t, wait);
    wish->status = TAKT_ABORTED;
    wish->is_put_off = true;
    withdraw(&thread->plain.entity);
    forget_wish(wish);
    return takt_kernel.pass->locking->dispatch();
}

static uint32_t expire_wish(takt_timeout_t *timeout) {
    wish_t *wish = TAKT_CONTAINER_OF(timeout, wish_t, timeout);
    takt_entity_t *entity = &wish->thread->entity;
    if (is_requesting(entity)) {
        if (!TAKT_IS_SMALL && takt_plain_withdraw(entity)) {
            takt_kernel.pass->pend();
        } else {
            takt_kernel.pass->locking->withdraw(entity);
            takt_kernel_pend_after_post();
        }
    }
    forget_timed_wish(wish);
    return 0;
}

static __attribute__((noinline)) void lock_for_by_pass(wish_t *wish, takt_entity_t *running,
                                                       takt_duration_t duration) {
    wish->timeout.prev = NULL;
    request(running, wish);
    if (duration > 0) {
        takt_kernel_arm_after(&wish->timeout, duration);
    } else {
        withdraw(running);
    }
    (void)takt_kernel.pass->locking->dispatch_charged();
}

static __attribute__((noinline)) takt_status_t lock_for(takt_mutex_t *mutex, takt_entity_t *running,
                                                        takt_duration_t duration) {
    REQUIRE_CONTENDED(mutex, running);
    TAKT_REQUIRE(!raises_deadline(mutex, running), takt_kernel_refuse(TAKT_ERROR_DEADLINES));
    wish_t wish;
    begin_wish(&wish, mutex);
    wish.timeout.expire = expire_wish;
    wish.thread = takt_plain_of(running);
    if (duration == 0 || !is_blocked_alone(mutex, running)) {
        lock_for_by_pass(&wish, running, duration);
    } else {
        takt_kernel_arm_after(&wish.timeout, duration);
        (void)takt_kernel_switch(running, takt_plain_block(running, &mutex->resource, &wish.wait));
    }
    return end_wish(&wish, mutex, forget_timed_wish);
}

takt_status_t takt_mutex_lock_for(takt_mutex_t *mutex, takt_duration_t duration) {
    TAKT_REQUIRE(mutex != NULL, TAKT_ERROR_NULL);
    DEBUG_REQUIRE_MUTEX(mutex);
    takt_resource_t *resource = &mutex->resource;
    takt_port_close();
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, takt_kernel_refuse(TAKT_ERROR_NOT_STARTED));
    TAKT_REQUIRE(resource->holder != running, takt_kernel_refuse(TAKT_ERROR_RESOURCE));
    return is_private(mutex, running) ? hold(resource, running) : lock_for(mutex, running, duration);
}

/* ---- unlock ------------------------------------------------------------------------------------- */

static __attribute__((noinline)) takt_status_t unlock_by_pass(takt_resource_t *resource,
                                                              takt_entity_t *running) {
    takt_kernel.pass->locking->unlock(running, resource);
    return takt_kernel.pass->locking->dispatch_charged();
}

/* `resource`, under pip, is free, and no other one is locked: the most urgent thread runs. */
TAKT_INLINE takt_status_t hand_over(takt_resource_t *resource, takt_entity_t *running) {
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    if (next == running) {
        return takt_port_open();
    }
    if (takt_plain_is_next(next, resource)) {
        takt_plain_grant(next, resource);
    } else if (!takt_entity_is_plain(next)) {
        return takt_kernel.pass->locking->dispatch();
    }
    return takt_kernel_switch(running, next);
}

static __attribute__((noinline)) takt_status_t unlock_for_waiters(takt_mutex_t *mutex,
                                                                  takt_entity_t *running) {
    TAKT_REQUIRE_THREAD_NOW();
    takt_resource_t *resource = &mutex->resource;
    if (TAKT_IS_SMALL) {
        return unlock_by_pass(resource, running);
    }
    if (resource->protocol == TAKT_PROTOCOL_PIP && takt_plain_holds_alone(running, resource)) {
        takt_plain_free(running, resource);
        return hand_over(resource, running);
    }
    const bool is_last = takt_plain_of(running)->held == resource;
    if (mutex->watchers == 0 && is_last && takt_plain_free_inner(running, resource)) {
        return takt_port_open();
    }
    return unlock_by_pass(resource, running);
}

/* True if `running` holds `resource`. The empty instruction lets one load read the holder and `*outer`, which is beside it. */
TAKT_INLINE bool is_held_by(const takt_resource_t *resource, const takt_entity_t *running,
                            takt_resource_t **outer) {
    takt_resource_t *next = resource->outer;
    takt_entity_t *holder = resource->holder;
    __asm volatile("" : "+r"(next), "+r"(holder));
    *outer = next;
    return holder == running;
}

/* `thread` holds others that it locked after `resource`; no request concerns them. */
static __attribute__((noinline)) takt_status_t unlock_inside(takt_resource_t *resource,
                                                             takt_plain_t *thread) {
    takt_waiting_unlink(&thread->held, resource);
    resource->holder = NULL;
    return takt_port_open();
}

takt_status_t takt_mutex_unlock(takt_mutex_t *mutex) {
    DEBUG_REQUIRE_MUTEX(mutex);
    takt_resource_t *resource = &mutex->resource;
    takt_port_close();
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_plain_t *thread = takt_plain_of(running);
    takt_resource_t *outer;
    const bool is_held = is_held_by(resource, running, &outer);
    TAKT_REQUIRE(is_held, takt_kernel_refuse(TAKT_ERROR_RESOURCE));
    if (!takt_entity_is_plain(running)) {
        return unlock_for_waiters(mutex, running);
    }
    if (TAKT_UNLIKELY(thread->held != resource)) {
        return unlock_inside(resource, thread);
    }
    thread->held = outer;
    resource->holder = NULL;
    return takt_port_open();
}

void takt_mutex_release(takt_mutex_t *mutex) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_resource_t *resource = &mutex->resource;
    if (takt_entity_is_plain(running)) {
        takt_waiting_unlink(&takt_plain_of(running)->held, resource);
        resource->holder = NULL;
    } else {
        takt_kernel.pass->locking->unlock(running, resource);
        takt_entity_set_attributes(running, TAKT_ATTRIBUTE_FULL_PASS);
    }
}

/* Unlocks the last one first, each in its own call: the number of mutexes does not lengthen the masked time. */
void takt_mutex_abandon(takt_thread_t *thread) {
    takt_hook_abandoned(thread);
    while (thread->plain.held != NULL) {
        (void)takt_mutex_unlock(TAKT_CONTAINER_OF(thread->plain.held, takt_mutex_t, resource));
    }
}

takt_thread_t *takt_mutex_holder(const takt_mutex_t *mutex) {
    if (mutex == NULL) {
        return NULL;
    }
    const takt_port_level_t level = takt_port_lock();
    takt_entity_t *holder = mutex->resource.holder;
    takt_port_unlock(level);
    return holder != NULL ? takt_thread_of(holder) : NULL;
}
