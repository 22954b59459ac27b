/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The pass of pass.h: the one file that names the functions behind the pointers. */
#include "core/locks.h"
#include "kernel/between.h"
#include "kernel/order.h"

takt_timers_row_t takt_kernel_rows[TAKT_KERNEL_ROWS];

/* ---- missing --------------------------------------------------------------------------------------- */

/* An entity was given an attribute without takt_kernel_expect_pass. */
static void missing(void) {
    for (;;) {
        takt_port_fault();
    }
}

/* The running thread wakes several threads, and decides after the last one. */
static void preempt_later(takt_entity_t *running) {
    (void)running;
    (void)takt_port_open();
}

#define MISSING(member) ((__typeof__(((takt_pass_t *)NULL)->member))missing)

const takt_pass_t takt_pass_missing = {
    .decide = MISSING(decide),
    .pend = MISSING(pend),
    .yield = MISSING(yield),
    .end_turn = MISSING(end_turn),
    .wait = MISSING(wait),
    .wait_behind = MISSING(wait_behind),
    .wake = MISSING(wake),
    .wake_from_isr = MISSING(wake_from_isr),
    .preempt = preempt_later,
    .preempt_by_pass = MISSING(preempt_by_pass),
    .stop = MISSING(stop),
};

/* ---- the full pass ---------------------------------------------------------------------------------- */

/* A plain thread of the root is stopped beside locks: no event, but perhaps another entity is the most urgent one. */
static takt_status_t stop_beside_locks(takt_entity_t *entity) {
    takt_levels_remove(takt_kernel_levels(), entity, 1);
    takt_entity_flip_state(entity, TAKT_STATE_READY | TAKT_STATE_WAITING);
    return takt_kernel_decide_far();
}

static takt_status_t stop(takt_entity_t *entity) {
    if (entity->attributes == 0 && takt_kernel.cpu.running->attributes == TAKT_ATTRIBUTE_LOCKING) {
        return stop_beside_locks(entity);
    }
    takt_kernel_post(TAKT_EVENT_BLOCK, entity);
    takt_entity_set_state(entity, TAKT_STATE_WAITING);
    return takt_kernel_dispatch_charged();
}

/* True if `entity` waits and needs no more than takt_thread_set_level_of_waiting, though there is a pass. */
static bool is_waiting_plain(const takt_entity_t *entity) {
    const uint32_t expected = TAKT_ATTRIBUTE_ORDERED | TAKT_ATTRIBUTE_IN_SERVER;
    return (entity->state & TAKT_STATE_WAITING) != 0 && (entity->attributes & ~expected) == 0 &&
           entity->task == NULL;
}

static takt_status_t set_level(takt_entity_t *entity, takt_key_t level) {
    TAKT_REQUIRE(takt_entity_has_level(entity), takt_kernel_refuse(TAKT_ERROR_KEY));
    if (is_waiting_plain(entity)) {
        return takt_thread_set_level_of_waiting(entity, level);
    }
    const takt_key_t before = entity->key;
    takt_kernel_post_at(TAKT_EVENT_PRIORITY, entity, takt_port_now(), level);
    if ((TAKT_BACKEND_IS_REMOTE) != 0) {
        entity->key = level; /* of a scheduler at a distance: here it only orders waiting threads */
    }
    takt_wait_reorder(entity, before);
    return takt_kernel_dispatch_charged();
}

static void create(takt_entity_t *entity, takt_key_t level) {
    const takt_instant_t now = takt_kernel.cpu.running != NULL ? takt_port_now() : 0u;
    takt_kernel_post_at(TAKT_EVENT_CREATE, entity, now, level);
}

/* The running plain thread leaves for an entity with attributes. */
static void preempt_far(void) { takt_kernel_preempt_across(takt_kernel.cpu.running); }

static void lock(takt_entity_t *entity, takt_resource_t *resource) {
    takt_kernel_post_lock(TAKT_EVENT_LOCK, entity, resource);
}

static void unlock(takt_entity_t *entity, takt_resource_t *resource) {
    takt_kernel_post_lock(TAKT_EVENT_UNLOCK, entity, resource);
}

static void withdraw(takt_entity_t *entity) { takt_kernel_post(TAKT_EVENT_WITHDRAW, entity); }

static void expect_locks(void) { takt_dispatcher_expect_locks(&takt_kernel.dispatcher); }

static const takt_pass_locking_t locking = {
    .expect = expect_locks,
    .lock = lock,
    .unlock = unlock,
    .withdraw = withdraw,
    .dispatch = takt_kernel_dispatch,
    .dispatch_charged = takt_kernel_dispatch_charged,
};

static void end_turn(takt_entity_t *running) {
    takt_ready_t *ready = &running->parent->ready;
    if (!takt_entity_is_ready(running) || takt_ready_is_keyed(ready, running) ||
        !takt_levels_begins_equals(&ready->levels, running)) {
        return;
    }
    if (takt_near_leaves(running) && takt_near_is_like(running->next, running)) {
        takt_levels_rotate(&ready->levels, running);
        takt_port_pend();
    } else {
        takt_kernel_post(TAKT_EVENT_YIELD, running);
        takt_kernel_pend_after_post();
    }
}

static const takt_pass_t full = {
    .begin = takt_kernel_first_decision,
    .decide = takt_kernel_decide_far,
    .pend = takt_kernel_pend_far,
    .yield = takt_yield_slowly,
    .end_turn = end_turn,
    .wait = takt_wait_slowly,
    .wait_behind = takt_wait_behind_slowly,
    .wake = takt_wake_slowly,
    .wake_from_isr = takt_wake_slowly_from_isr,
    .preempt = takt_kernel_preempt_slowly,
    .preempt_by_pass = preempt_far,
    .stop = stop,
    .set_level = set_level,
    .create = create,
    .locking = &locking,
};

/* What the inline and the near layer find on level 0 of a tail. */
static const takt_entity_t keyed = {.attributes = TAKT_ATTRIBUTE_FULL_PASS};

void takt_kernel_add_heap(takt_ready_t *ready, takt_entity_t **heap) {
    if (ready->order == TAKT_ORDER_KEYS) {
        ready->keys.slots = heap;
        ready->levels.heads[0] = (takt_entity_t *)(uintptr_t)&keyed;
    }
}

static takt_entity_t *heap_of_root[TAKT_KERNEL_HEAP_SLOTS];

void takt_kernel_expect_keys(void) {
    takt_kernel_expect_pass();
    takt_kernel_add_heap(&takt_kernel.dispatcher.root.ready, heap_of_root);
}

/* An adopted dispatcher has timers of its own. While the kernel runs, no interrupt finds half of it: nothing needs it
 * yet. */
void takt_kernel_expect_pass(void) {
    takt_timers_t *timers = &takt_kernel.dispatcher.root.timers;
    takt_kernel_expect_time();
    if (timers->rows == NULL) {
        timers->rows = takt_kernel_rows;
    }
    takt_kernel.pass = &full;
    if (takt_kernel.cpu.running == NULL) {
        takt_order_expect_keys();
    }
    if (takt_kernel.mutex_count != 0) {
        expect_locks();
    }
}

/* ---- time -------------------------------------------------------------------------------------------- */

void takt_kernel_disarm(takt_timeout_t *timeout) { takt_timeouts_remove(&takt_timeouts, timeout); }

static const takt_time_t time = {.come_to = takt_kernel_come_to, .disarm = takt_kernel_disarm};

void takt_kernel_expect_time(void) {
    if (takt_kernel.time == NULL) {
        takt_timeouts_init(&takt_timeouts);
        takt_kernel.time = &time;
    }
}

/* ---- waiting threads that are suspended, or have nodes ---------------------------------------------- */

/* Only waiting threads have an attribute; a running one that begins to wait decides itself, after the interrupts. */
static const takt_pass_t suspension = {
    .decide = MISSING(decide),
    .pend = takt_port_pend,
    .yield = MISSING(yield),
    .end_turn = MISSING(end_turn),
    .wait = MISSING(wait),
    .wait_behind = MISSING(wait_behind),
    .wake = takt_wake_kept,
    .wake_from_isr = takt_wake_kept_from_isr,
    .preempt = preempt_later,
    .preempt_by_pass = MISSING(preempt_by_pass),
    .stop = MISSING(stop),
};

void takt_kernel_expect_suspension(void) {
    if (!takt_kernel_has_pass()) {
        takt_kernel.pass = &suspension;
    }
}
