/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Event flags; see flags.h. */
#include "kernel/flags.h"

#include "kernel/order.h"

/* What a thread waits for. */
typedef struct condition {
    takt_wait_t wait;
    uint32_t mask;
    uint32_t how;  /* TAKT_FLAGS_ */
    uint32_t bits; /* set bits of the mask when the wait ended; 0: it did not end by flags */
} condition_t;

takt_status_t takt_flags_init_fifo(takt_flags_t *flags) {
    if (flags == NULL) {
        return TAKT_ERROR_NULL;
    }
    takt_waiters_init(&flags->waiters, 0);
    takt_queue_init(&flags->seen);
    flags->bits = 0;
    return TAKT_OK;
}

takt_status_t takt_flags_init(takt_flags_t *flags) {
    const takt_status_t status = takt_flags_init_fifo(flags);
    if (status == TAKT_OK) {
        takt_order_by_tree(&flags->waiters);
    }
    return status;
}

#define REQUIRE_FLAGS(flags)                        \
    TAKT_REQUIRE((flags) != NULL, TAKT_ERROR_NULL); \
    TAKT_REQUIRE(takt_waiters_is_initialised(&(flags)->waiters), TAKT_ERROR_OBJECT)

/* True if `condition` holds; its bits are then taken. */
static bool is_met(takt_flags_t *flags, condition_t *condition) {
    const uint32_t bits = flags->bits & condition->mask;
    const bool is_enough = (condition->how & TAKT_FLAGS_ALL) != 0 ? bits == condition->mask : bits != 0;
    if (!is_enough) {
        return false;
    }
    condition->bits = bits;
    if ((condition->how & TAKT_FLAGS_CLEAR) != 0) {
        flags->bits &= ~condition->mask;
    }
    return true;
}

/* ---- set ---------------------------------------------------------------------------------------- */

/* Marks all threads as unchecked, in the order of the queue. */
static void look_again(takt_flags_t *flags) {
    if (takt_queue_is_empty(&flags->seen)) {
        return;
    }
    takt_entity_t *place = takt_queue_place(&flags->waiters.queue);
    takt_entity_t *first = flags->seen.next;
    takt_entity_t *last = flags->seen.prev;
    last->next = place->next;
    place->next->prev = last;
    place->next = first;
    first->prev = place;
    takt_queue_init(&flags->seen);
}

/* Checks the first unchecked thread, and calls `wake` with it if its condition holds. Returns true if there was one. */
TAKT_INLINE bool check_next(takt_flags_t *flags, void (*wake)(takt_entity_t *waiter)) {
    if (takt_queue_is_empty(&flags->waiters.queue)) {
        return false;
    }
    takt_entity_t *waiter = takt_queue_take(&flags->waiters.queue);
    takt_wait_t *wait = takt_thread_of(waiter)->wait;
    if (is_met(flags, TAKT_CONTAINER_OF(wait, condition_t, wait))) {
        flags->waiters.count++;
        wake(waiter);
    } else {
        takt_queue_append(&flags->seen, waiter);
    }
    return true;
}

takt_status_t takt_flags_set(takt_flags_t *flags, uint32_t bits) {
    REQUIRE_FLAGS(flags);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    flags->bits |= bits;
    if (flags->waiters.count == 0) {
        return takt_port_open();
    }
    takt_wake_begin();
    look_again(flags);
    while (check_next(flags, takt_wake_before_decision)) {
        takt_port_breathe();
    }
    return takt_wake_decide();
}

takt_status_t takt_flags_set_from_isr(takt_flags_t *flags, uint32_t bits) {
    REQUIRE_FLAGS(flags);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    flags->bits |= bits;
    look_again(flags);
    while (check_next(flags, takt_wake_from_isr)) {
        takt_port_unlock(level);
        (void)takt_port_lock();
    }
    takt_port_unlock(level);
    return TAKT_OK;
}

takt_status_t takt_flags_clear(takt_flags_t *flags, uint32_t bits) {
    REQUIRE_FLAGS(flags);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    flags->bits &= ~bits;
    takt_port_unlock(level);
    return TAKT_OK;
}

uint32_t takt_flags_get(const takt_flags_t *flags) { return flags == NULL ? 0 : flags->bits; }

/* ---- wait --------------------------------------------------------------------------------------- */

/* Closed; returns open. */
static takt_status_t wait_until(takt_flags_t *flags, condition_t *condition, takt_duration_t duration) {
    if (is_met(flags, condition)) {
        return takt_port_open();
    }
    if (duration == 0) {
        (void)takt_port_open();
        return TAKT_TIMEOUT;
    }
    flags->waiters.count--;
    return takt_wait_with(&condition->wait, &flags->waiters, duration);
}

takt_status_t takt_flags_wait_for(takt_flags_t *flags, uint32_t mask, uint32_t how, uint32_t *bits,
                                  takt_duration_t duration) {
    REQUIRE_FLAGS(flags);
    TAKT_REQUIRE(bits != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(mask != 0 && how <= (TAKT_FLAGS_ALL | TAKT_FLAGS_CLEAR), TAKT_ERROR_MASK);
    TAKT_REQUIRE_OPEN();
    condition_t condition;
    condition.mask = mask;
    condition.how = how;
    condition.bits = 0;
    condition.wait.is_node = true;
    condition.wait.is_endless = false;
    takt_port_close();
    const takt_status_t status = wait_until(flags, &condition, duration);
    *bits = condition.bits;
    return status;
}

takt_status_t takt_flags_wait(takt_flags_t *flags, uint32_t mask, uint32_t how, uint32_t *bits) {
    return takt_flags_wait_for(flags, mask, how, bits, TAKT_NEVER);
}
