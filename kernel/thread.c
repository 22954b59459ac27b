/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls of a thread on itself and on other threads. */
#include "kernel/creation.h"
#include "kernel/wait.h"

#define REQUIRE_THREAD(thread)                       \
    TAKT_REQUIRE((thread) != NULL, TAKT_ERROR_NULL); \
    TAKT_REQUIRE(((thread)->flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT)

/* For calls that are made often. */
#define DEBUG_REQUIRE_THREAD(thread)                 \
    TAKT_REQUIRE((thread) != NULL, TAKT_ERROR_NULL); \
    TAKT_DEBUG_REQUIRE(((thread)->flags & TAKT_THREAD_EXISTS) != 0, TAKT_ERROR_OBJECT)

#define DEBUG_REQUIRE_STARTED() TAKT_DEBUG_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED)
#define REQUIRE_STARTED() TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED)

/* `running`, or its next equal, has attributes. Keys have no equals. */
takt_status_t takt_yield_slowly(takt_entity_t *running) {
    if (!takt_near_leaves(running)) {
        return takt_kernel_pass(TAKT_EVENT_YIELD, running);
    }
    if (takt_near_has_keys(running)) {
        return takt_kernel_decide_near(running, true);
    }
    takt_levels_rotate(&running->parent->ready.levels, running);
    return takt_kernel_decide_near(running, false);
}

/* Its next equal has attributes. A function of its own, so that the call above needs few registers. */
static __attribute__((noinline)) takt_status_t yield_to_other(takt_entity_t *running) {
    return takt_kernel.pass->yield(running);
}

takt_status_t takt_thread_yield(void) {
    TAKT_REQUIRE_OPEN_FIRST();
    TAKT_REQUIRE_IF(TAKT_CHECKS_NOW, !takt_port_is_in_isr(), TAKT_ERROR_IN_ISR);
    takt_entity_t *running = takt_kernel.cpu.running;
    TAKT_REQUIRE(running != NULL, TAKT_ERROR_NOT_STARTED);
    takt_port_close();
    if (!takt_entity_is_plain(running)) {
        return takt_kernel.pass->yield(running);
    }
    takt_entity_t *next = running->next;
    if (next == running) {
        return takt_port_open();
    }
    if (!takt_entity_is_plain(next)) {
        return yield_to_other(running);
    }
    takt_levels_rotate(takt_kernel_levels(), running);
    return takt_kernel_switch(running, next);
}

takt_status_t takt_thread_set_level_of_waiting(takt_entity_t *entity, takt_key_t level) {
    const takt_key_t before = entity->key;
    entity->level = (uint8_t)level;
    entity->key = before >> 32 << 32 | level; /* in a tail the high word stays */
    takt_wait_reorder(entity, before);
    return takt_port_open();
}

/* Also of a thread that is between the steps of a pass, and is not ready any more. */
takt_status_t takt_thread_yield_from_isr(void) {
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(running)) {
        takt_kernel.pass->end_turn(running);
    } else if (takt_levels_begins_equals(takt_kernel_levels(), running)) {
        if (takt_entity_is_plain(running->next)) {
            takt_levels_rotate(takt_kernel_levels(), running);
            takt_port_pend();
        } else {
            takt_kernel.pass->end_turn(running);
        }
    }
    takt_port_unlock(level);
    return TAKT_OK;
}

static takt_status_t set_level_by_pass(takt_entity_t *entity, takt_key_t level) {
    if (takt_kernel.pass->set_level != NULL) {
        return takt_kernel.pass->set_level(entity, level);
    }
    const takt_key_t before = entity->key;
    entity->level = (uint8_t)level;
    takt_kernel.pass->renew(entity);
    takt_wait_reorder(entity, before);
    return takt_kernel.pass->decide();
}

takt_status_t takt_thread_set_priority(takt_thread_t *thread, uint32_t priority) {
    DEBUG_REQUIRE_THREAD(thread);
    TAKT_REQUIRE(priority < TAKT_PRIORITIES, TAKT_ERROR_PRIORITY);
    TAKT_REQUIRE_OPEN_FIRST();
    DEBUG_REQUIRE_STARTED();
    takt_port_close();
    TAKT_REQUIRE_THREAD_NOW();
    takt_entity_t *entity = &thread->plain.entity;
    takt_entity_t *running = takt_kernel.cpu.running;
    const takt_key_t level = takt_creation_level(priority);
    if (!takt_near_has_level(entity, running)) {
        return takt_kernel_has_pass() ? set_level_by_pass(entity, level)
                                      : takt_thread_set_level_of_waiting(entity, level);
    }
    takt_near_set_level(entity, (uint32_t)level, 1);
    return takt_kernel_decide_near(running, false);
}

takt_status_t takt_thread_delay(takt_duration_t duration) {
    if (duration == 0) {
        return takt_thread_yield();
    }
    TAKT_REQUIRE_OPEN();
    REQUIRE_STARTED();
    takt_port_close();
    return takt_wait_delay(duration);
}

takt_status_t takt_thread_delay_until(takt_instant_t instant) {
    TAKT_REQUIRE_OPEN();
    REQUIRE_STARTED();
    takt_port_close();
    const takt_instant_t now = takt_port_now();
    return instant > now ? takt_wait_until(instant, now) : takt_kernel_refuse(TAKT_TIMEOUT);
}

/* ---- suspend and resume ------------------------------------------------------------------------- */

/* Makes `thread`, which is ready and does not run, not ready. */
static takt_status_t stop(takt_thread_t *thread) {
    takt_entity_t *entity = &thread->plain.entity;
    if (!takt_entity_is_plain(entity) || !takt_entity_is_plain(takt_kernel.cpu.running)) {
        return takt_kernel.pass->stop(entity);
    }
    takt_kernel_remove(entity);
    takt_entity_flip_state(entity, TAKT_STATE_READY | TAKT_STATE_WAITING);
    return takt_port_open();
}

/* A waiting thread gets an attribute, so that the inline layer does not wake it. */
static __attribute__((noinline)) takt_status_t suspend_other(takt_thread_t *thread) {
    if ((thread->plain.entity.state & TAKT_STATE_WAITING) != 0) {
        takt_kernel_expect_suspension();
        thread->plain.entity.attributes |= TAKT_ATTRIBUTE_FULL_PASS;
        return takt_port_open();
    }
    if (thread->plain.wait != NULL) {
        return takt_kernel.mutexes->put_off(thread);
    }
    takt_wait_forget(thread);
    return stop(thread);
}

/* `thread` cannot be suspended: it is suspended already, or does not exist. */
static __attribute__((noinline)) takt_status_t refuse_suspension(const takt_thread_t *thread) {
    const bool exists = (thread->flags & TAKT_THREAD_EXISTS) != 0;
    return takt_kernel_refuse(exists ? TAKT_ERROR_SUSPENDED : TAKT_ERROR_OBJECT);
}

takt_status_t takt_thread_suspend(takt_thread_t *thread) {
    DEBUG_REQUIRE_THREAD(thread);
    TAKT_DEBUG_REQUIRE(thread->plain.entity.task == NULL, TAKT_ERROR_JOBS);
    TAKT_REQUIRE_OPEN_FIRST();
    DEBUG_REQUIRE_STARTED();
    takt_port_close();
    TAKT_REQUIRE_THREAD_NOW();
    TAKT_REQUIRE((thread->flags & (TAKT_THREAD_SUSPENDED | TAKT_THREAD_EXISTS)) == TAKT_THREAD_EXISTS,
                 refuse_suspension(thread));
    thread->flags |= TAKT_THREAD_SUSPENDED;
    if (&thread->plain.entity != takt_kernel.cpu.running) {
        return suspend_other(thread);
    }
    thread->wait = NULL;
    return takt_wait_alone(NULL, &thread->plain.entity);
}

/* Removes the attribute that suspend_other set, if any. */
static __attribute__((noinline)) void leave_to_inline_layer(takt_entity_t *entity) {
    if ((entity->attributes & TAKT_ATTRIBUTE_FULL_PASS) != takt_kernel.full_pass) {
        entity->attributes ^= TAKT_ATTRIBUTE_FULL_PASS;
    }
}

/* Ends the suspension of `thread`. Returns true if it waits for nothing else. */
TAKT_INLINE bool end_suspension(takt_thread_t *thread) {
    takt_thread_clear(thread, TAKT_THREAD_SUSPENDED);
    if (TAKT_UNLIKELY(!takt_entity_is_plain(&thread->plain.entity))) {
        leave_to_inline_layer(&thread->plain.entity);
    }
    return thread->wait == NULL;
}

takt_status_t takt_thread_resume(takt_thread_t *thread) {
    DEBUG_REQUIRE_THREAD(thread);
    TAKT_REQUIRE_OPEN_FIRST();
    DEBUG_REQUIRE_STARTED();
    takt_port_close();
    TAKT_REQUIRE_THREAD_NOW();
    TAKT_REQUIRE((thread->flags & TAKT_THREAD_SUSPENDED) != 0, takt_kernel_refuse(TAKT_ERROR_NOT_SUSPENDED));
    return end_suspension(thread) ? takt_wake(&thread->plain.entity) : takt_port_open();
}

takt_status_t takt_thread_resume_from_isr(takt_thread_t *thread) {
    DEBUG_REQUIRE_THREAD(thread);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    const bool is_suspended = (thread->flags & TAKT_THREAD_SUSPENDED) != 0;
    if (is_suspended && end_suspension(thread)) {
        takt_wake_from_isr(&thread->plain.entity);
    }
    takt_port_unlock(level);
    return is_suspended ? TAKT_OK : TAKT_ERROR_NOT_SUSPENDED;
}

/* ---- notification ------------------------------------------------------------------------------- */

/* Adds `bits` to the notification of `thread`. Returns true if the thread waits for one. */
TAKT_INLINE bool is_to_hear(takt_thread_t *thread, uint32_t bits) {
    thread->notification |= bits;
    const bool is_awaited = (thread->flags & TAKT_THREAD_AWAITS_NOTIFICATION) != 0 && bits != 0;
    if (is_awaited) {
        takt_thread_clear(thread, TAKT_THREAD_AWAITS_NOTIFICATION);
    }
    return is_awaited;
}

takt_status_t takt_thread_notify(takt_thread_t *thread, uint32_t bits) {
    REQUIRE_THREAD(thread);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    return is_to_hear(thread, bits) ? takt_wake(&thread->plain.entity) : takt_port_open();
}

takt_status_t takt_thread_notify_each(takt_thread_t *(*next)(uint32_t *bits)) {
    TAKT_REQUIRE(next != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    REQUIRE_STARTED();
    takt_port_close();
    takt_wake_begin();
    uint32_t bits;
    for (takt_thread_t *thread = next(&bits); thread != NULL; thread = next(&bits)) {
        if (is_to_hear(thread, bits)) {
            takt_wake_before_decision(&thread->plain.entity);
        }
        takt_port_breathe();
    }
    return takt_wake_decide();
}

takt_status_t takt_thread_notify_from_isr(takt_thread_t *thread, uint32_t bits) {
    REQUIRE_THREAD(thread);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    if (is_to_hear(thread, bits)) {
        takt_wake_from_isr(&thread->plain.entity);
    }
    takt_port_unlock(level);
    return TAKT_OK;
}

/* Waits for a notification of the running thread. Closed; returns open. */
static takt_status_t listen(takt_thread_t *self, takt_duration_t duration) {
    self->flags |= TAKT_THREAD_AWAITS_NOTIFICATION;
    if (duration != TAKT_NEVER) {
        return takt_wait_for(NULL, duration);
    }
    self->wait = &self->notification;
    return takt_wait_alone(NULL, &self->plain.entity);
}

/* Takes the notified bits after a wait that ended with `status`, or after none. Closed; opens. */
static takt_status_t take_bits(takt_thread_t *self, uint32_t *bits, takt_status_t status) {
    takt_thread_clear(self, TAKT_THREAD_AWAITS_NOTIFICATION);
    *bits = self->notification;
    self->notification = 0;
    (void)takt_port_open();
    if (*bits != 0) {
        return TAKT_OK;
    }
    return status == TAKT_OK ? TAKT_ABORTED : status; /* a wait without end has no record */
}

takt_status_t takt_notification_take_for(uint32_t *bits, takt_duration_t duration) {
    TAKT_REQUIRE(bits != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    REQUIRE_STARTED();
    takt_thread_t *self = takt_thread_of(takt_kernel.cpu.running);
    takt_status_t status = TAKT_TIMEOUT;
    takt_port_close();
    if (self->notification == 0 && duration > 0) {
        status = listen(self, duration);
        takt_port_close();
    }
    return take_bits(self, bits, status);
}

takt_status_t takt_notification_take_until(uint32_t *bits, takt_instant_t instant) {
    TAKT_REQUIRE(bits != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    REQUIRE_STARTED();
    takt_thread_t *self = takt_thread_of(takt_kernel.cpu.running);
    takt_status_t status = TAKT_TIMEOUT;
    takt_port_close();
    const takt_instant_t now = takt_port_now();
    if (self->notification == 0 && instant > now) {
        self->flags |= TAKT_THREAD_AWAITS_NOTIFICATION;
        status = takt_wait_notified_until(instant, now);
        takt_port_close();
    }
    return take_bits(self, bits, status);
}

takt_status_t takt_notification_take(uint32_t *bits) { return takt_notification_take_for(bits, TAKT_NEVER); }

/* ---- the end ------------------------------------------------------------------------------------ */

static takt_status_t remove(takt_thread_t *thread) {
    takt_entity_t *entity = &thread->plain.entity;
    const bool waits = (entity->state & TAKT_STATE_WAITING) != 0;
    if (waits && thread->wait != NULL) {
        takt_wait_withdraw(thread);
    } else {
        takt_wait_forget(thread);
    }
    if (thread->plain.wait != NULL) {
        takt_kernel.mutexes->forget(thread);
    }
    thread->flags = 0;
    takt_creation_release(entity);
    takt_port_unguard(thread->stack, thread->stack_bytes);
    if (waits) {
        return takt_port_open();
    }
    return entity == takt_kernel.cpu.running ? takt_wait_alone(NULL, entity) : stop(thread);
}

takt_status_t takt_thread_delete(takt_thread_t *thread) {
    REQUIRE_THREAD(thread);
    TAKT_REQUIRE(thread->plain.entity.task == NULL, TAKT_ERROR_JOBS);
    TAKT_REQUIRE_OPEN();
    REQUIRE_STARTED();
    takt_port_close();
    TAKT_REQUIRE(thread->plain.held == NULL, takt_kernel_refuse(TAKT_ERROR_HOLDS));
    return remove(thread);
}

void takt_kernel_thread_returned(void) {
    (void)takt_port_open(); /* it may have returned with the lock closed */
    takt_entity_t *running = takt_kernel.cpu.running;
    if (running->task == NULL && takt_plain_of(running)->held != NULL) {
        takt_kernel.mutexes->abandon(takt_thread_of(running));
    }
    takt_port_close();
    takt_thread_of(running)->flags = 0;
    if (running->task == NULL) {
        takt_creation_release(running);
        takt_port_unguard(takt_thread_of(running)->stack, takt_thread_of(running)->stack_bytes);
    }
    (void)takt_wait_alone(NULL, running);
    for (;;) {
        takt_port_fault();
    }
}

uint32_t takt_thread_stack_unused(const takt_thread_t *thread) {
    if (thread == NULL) {
        return 0;
    }
    const uint32_t *word = thread->stack;
    const uint32_t *end = word + thread->stack_bytes / sizeof *word;
    while (word < end && *word == TAKT_STACK_PAINT) {
        word++;
    }
    return (uint32_t)((uintptr_t)word - (uintptr_t)thread->stack);
}
