/* Counting semaphore. */
#include "kernel/semaphore.h"

#include "kernel/state.h"

takt_status_t takt_semaphore_init(takt_semaphore_t *semaphore, int32_t count) {
    if (semaphore == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (count < 0) {
        return TAKT_ERROR_COUNT;
    }
    semaphore->count = count;
    takt_queue_init(&semaphore->waiters);
    return TAKT_OK;
}

/* ---- take --------------------------------------------------------------------------------------- */

/* The event goes first: until then the entity's links belong to the ready set. */
static __attribute__((noinline)) takt_status_t wait_by_pass(takt_semaphore_t *semaphore,
                                                            takt_entity_t *running) {
    takt_kernel_post(TAKT_EVENT_BLOCK, running);
    running->state |= TAKT_STATE_WAITING;
    takt_queue_append(&semaphore->waiters, running);
    return takt_kernel_dispatch();
}

/* Takes back that `running` has left its level: the full pass is to see it there. */
static __attribute__((noinline)) takt_status_t return_and_wait(takt_semaphore_t *semaphore,
                                                               takt_entity_t *running) {
    takt_levels_insert_first(takt_kernel_levels(), running, 1);
    return wait_by_pass(semaphore, running);
}

/* Before the start nobody can wait. */
static __attribute__((noinline)) takt_status_t refuse_to_wait(takt_semaphore_t *semaphore) {
    semaphore->count++;
    (void)takt_port_open();
    return TAKT_ERROR_NOT_STARTED;
}

/* The running thread, plain or not, waits. */
TAKT_INLINE takt_status_t wait(takt_semaphore_t *semaphore) {
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, refuse_to_wait(semaphore));
    if (!takt_entity_is_plain(running)) {
        return wait_by_pass(semaphore, running);
    }
    takt_levels_remove(takt_kernel_levels(), running, 1);
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    if (!takt_entity_is_plain(next)) {
        return return_and_wait(semaphore, running);
    }
    running->state ^= TAKT_STATE_READY | TAKT_STATE_WAITING;
    takt_queue_append(&semaphore->waiters, running);
    return takt_kernel_switch(running, next);
}

takt_status_t takt_semaphore_take(takt_semaphore_t *semaphore) {
    TAKT_REQUIRE(semaphore != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    if (--semaphore->count < 0) {
        return wait(semaphore);
    }
    return takt_port_open();
}

/* ---- give --------------------------------------------------------------------------------------- */

/* Inline layer: `waiter` is plain and becomes ready. */
TAKT_INLINE void make_ready(takt_entity_t *waiter) {
    takt_levels_insert(takt_kernel_levels(), waiter, 1);
    waiter->state ^= TAKT_STATE_READY | TAKT_STATE_WAITING;
}

/* Inline layer: keys are levels, which 32 bits hold. */
TAKT_INLINE bool displaces(const takt_entity_t *entity, const takt_entity_t *running) {
    return takt_is_more_urgent((uint32_t)entity->key, 0, (uint32_t)running->key, 0);
}

static __attribute__((noinline)) takt_status_t wake_by_pass(takt_entity_t *waiter) {
    waiter->state ^= TAKT_STATE_WAITING;
    return takt_kernel_pass(TAKT_EVENT_WAKE, waiter);
}

TAKT_INLINE takt_status_t wake(takt_semaphore_t *semaphore) {
    takt_entity_t *waiter = takt_queue_take(&semaphore->waiters);
    takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(waiter) || !takt_entity_is_plain(running)) {
        return wake_by_pass(waiter);
    }
    make_ready(waiter);
    if (displaces(waiter, running)) {
        return takt_kernel_switch(running, waiter);
    }
    return takt_port_open();
}

static __attribute__((noinline)) takt_status_t refuse_to_give(void) {
    (void)takt_port_open();
    return TAKT_ERROR_COUNT;
}

takt_status_t takt_semaphore_give(takt_semaphore_t *semaphore) {
    TAKT_REQUIRE(semaphore != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    if (TAKT_LIKELY(semaphore->count >= 0)) {
        TAKT_REQUIRE(semaphore->count < TAKT_SEMAPHORE_MAX, refuse_to_give());
        semaphore->count++;
        return takt_port_open();
    }
    semaphore->count++;
    return wake(semaphore);
}

/* The waiter becomes ready now, so that the decision that follows all interrupts finds it. */
TAKT_INLINE void wake_from_isr(takt_semaphore_t *semaphore) {
    takt_entity_t *waiter = takt_queue_take(&semaphore->waiters);
    const takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(waiter)) {
        waiter->state ^= TAKT_STATE_WAITING;
        takt_kernel_post(TAKT_EVENT_WAKE, waiter);
        takt_port_pend();
        return;
    }
    make_ready(waiter);
    /* Keys of a thread with attributes are not of the root's levels: there the pass compares. */
    if (!takt_entity_is_plain(running) || displaces(waiter, running)) {
        takt_port_pend();
    }
}

TAKT_INLINE takt_status_t give_from_isr(takt_semaphore_t *semaphore) {
    TAKT_REQUIRE(semaphore->count < TAKT_SEMAPHORE_MAX, TAKT_ERROR_COUNT);
    if (++semaphore->count <= 0) {
        wake_from_isr(semaphore);
    }
    return TAKT_OK;
}

takt_status_t takt_semaphore_give_from_isr(takt_semaphore_t *semaphore) {
    TAKT_REQUIRE(semaphore != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(takt_port_is_in_isr(), TAKT_ERROR_NOT_IN_ISR);
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = give_from_isr(semaphore);
    takt_port_unlock(level);
    return status;
}
