/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel object, and how the parts of the kernel change the running thread. Private to kernel/.
 *
 * Three layers decide alike (rule 2 of DESIGN.md):
 *   - inline, while the attribute words of the running and of the next thread are 0: the level functions of core/ready.h
 *     at depth 1;
 *   - near, where the inline layer gives up, among the threads of one ready set: core/near.h;
 *   - the full pass otherwise: takt_kernel_post, then takt_kernel_dispatch.
 * Only the full pass reads the time.
 *
 * Invariants, whenever a thread executes with the lock open:
 *   - `cpu.running` is that thread; without attributes it is the first of the most urgent level;
 *   - where keys order and the heap is not empty, the most urgent level is 0, with an entity that has attributes, so that
 *     the inline layer hands over;
 *   - the port's timer is set to `alarm`, which is not after the end of the last decision (the inline and the near layer
 *     change no timer of core and no budget) nor after the first timeout. */
#ifndef TAKT_KERNEL_STATE_H
#define TAKT_KERNEL_STATE_H

#include "core/near.h"
#include "kernel/backend.h"
#include "kernel/hooks.h"
#include "kernel/kernel.h"
#include "kernel/numbers.h"
#include "kernel/pass.h"
#include "kernel/queue.h"
#include "kernel/timeouts.h"

enum {
    TAKT_BUSY_PASS = 1u << 0,    /* a thread is between the steps of a full pass and will decide */
    TAKT_BUSY_DUE = 1u << 1,     /* the last decision has ended */
    TAKT_BUSY_CHARGED = 1u << 2, /* what the running entity has executed is charged */
};

typedef struct takt_kernel {
    takt_cpu_t cpu;
    uint32_t busy;           /* TAKT_BUSY_ */
    const takt_pass_t *pass; /* see kernel/pass.h, as the next two, which are NULL while nothing needs them */
    const takt_time_t *time;
    void (*select)(takt_thread_t *next,
                   takt_instant_t now); /* see kernel/slice.h; NULL: there are no slices */
    uint32_t entity_count;              /* numbers in use and free, 0 before takt_kernel_init */
    uint32_t server_count;
    uint32_t children; /* children of the root, see kernel/creation.h */
    uint32_t mutex_count;
    bool has_small_stacks; /* a thread was created whose stack is too small for the full pass */
    uint32_t full_pass;    /* TAKT_ATTRIBUTE_FULL_PASS for all threads, or 0 */
    union {
        takt_queue_t created; /* before the start: threads that it wakes */
        takt_instant_t until; /* after it: end of the last decision */
    };
    takt_instant_t alarm; /* setting of the port's timer */
#if TAKT_PORT_GUARDS
    /* The last thread that began to stop running; executes until the port has switched. */
    takt_thread_t *leaving;
#endif
    const struct takt_order_functions *order;  /* see kernel/order.h; NULL: all waiters are FIFO */
    const struct takt_lock_functions *mutexes; /* see kernel/wait.h; NULL: there are no mutexes */
    takt_numbers_t free_numbers;               /* below entity_count */
    takt_thread_t **threads;                   /* all threads by number; NULL: not listed */
    takt_dispatcher_t dispatcher;
    takt_thread_t idle;
    takt_entity_t *levels[TAKT_KERNEL_LEVELS]; /* of the root; where keys order, its tail */
} takt_kernel_t;

extern takt_kernel_t takt_kernel;

extern takt_timeouts_t takt_timeouts;        /* initialised by takt_kernel_expect_time */
extern takt_timers_row_t takt_kernel_rows[]; /* of the root's timers, TAKT_KERNEL_ROWS of them */

_Static_assert(offsetof(takt_kernel_t, cpu) == 0, "kernel/job.h finds the flag there");

TAKT_INLINE takt_thread_t *takt_thread_of(takt_entity_t *entity) {
    return TAKT_CONTAINER_OF(entity, takt_thread_t, plain.entity);
}

TAKT_INLINE void takt_thread_clear(takt_thread_t *thread, uint32_t flags) {
    thread->flags = thread->flags & ~flags & 255u;
}

/* True if entities may have attributes. */
TAKT_INLINE bool takt_kernel_has_pass(void) { return takt_kernel.pass->begin != NULL; }

/* True if that is the full pass. */
TAKT_INLINE bool takt_kernel_has_full_pass(void) {
    return takt_kernel.pass != NULL && takt_kernel.pass->create != NULL;
}

/* The root's levels; valid while the running thread has no attributes. */
TAKT_INLINE takt_levels_t *takt_kernel_levels(void) { return &takt_kernel.dispatcher.root.ready.levels; }

/* Puts `entity` at the end of its level under the root, or takes it out. */
TAKT_SHARED void takt_kernel_insert(takt_entity_t *entity) {
    takt_levels_insert(takt_kernel_levels(), entity, 1);
}

TAKT_SHARED void takt_kernel_remove(takt_entity_t *entity) {
    takt_levels_remove(takt_kernel_levels(), entity, 1);
}

/* True if the levels of `ready` have more than the one row that the inline and the near layer read. */
TAKT_INLINE bool takt_kernel_has_rows(const takt_ready_t *ready) { return ready->levels.depth > 1; }

/* The error of a call that was made while takt_port_is_open() is false. */
takt_status_t takt_kernel_misuse(void);

/* Opens and returns `status`, for a call that finds its misuse under the lock. */
takt_status_t takt_kernel_refuse(takt_status_t status);

/* A call that may switch threads must come from a thread with the lock open. */
#define TAKT_REQUIRE_OPEN() TAKT_REQUIRE(takt_port_is_open(), takt_kernel_misuse())

/* Likewise in calls that are made often, see kernel/port.h. Now: closed; a closed lock cannot be found any more. */
#define TAKT_REQUIRE_OPEN_FIRST() \
    TAKT_REQUIRE_IF(TAKT_CHECKS_FIRST, takt_port_is_open(), takt_kernel_misuse())
#define TAKT_REQUIRE_THREAD_NOW() \
    TAKT_REQUIRE_IF(TAKT_CHECKS_NOW, !takt_port_is_in_isr(), takt_kernel_refuse(TAKT_ERROR_IN_ISR))

/* Initialises the kernel object with a dispatcher, and nothing else that the kernel would know. */
void takt_kernel_begin(void);

/* Returns an empty ready set in the order of `policy`, over TAKT_KERNEL_LEVELS levels; if keys order, without a heap yet. */
TAKT_INLINE takt_ready_t takt_kernel_ready(const takt_policy_t *policy, takt_entity_t **levels) {
    return (takt_ready_t){.order = policy->order, .levels = {.heads = levels, .depth = 1}};
}

/* Fills in the part of `thread` that core does not know, and its first context. */
void takt_kernel_fill_thread(takt_thread_t *thread, const takt_thread_parameters_t *parameters);

/* Likewise for a thread that executes jobs, whose task is in the dispatcher. */
void takt_job_fill(takt_job_thread_t *thread, const takt_thread_parameters_t *parameters);

/* `next`, which executes jobs, is about to run in place of `self`, which may be the same: matches its context to its
 * job. Returns the thread whose context is left. Closed. */
takt_thread_t *takt_job_choose(takt_thread_t *self, takt_thread_t *next);

/* ---- full pass ------------------------------------------------------------------------------- */

/* Posts an event to the scheduler. Locked. */
TAKT_INLINE void takt_kernel_post_at(takt_event_kind_t kind, takt_entity_t *entity, takt_instant_t now,
                                     uint64_t nominal) {
    takt_tell(&takt_kernel.dispatcher,
              &(takt_event_t){.kind = kind, .entity = entity, .now = now, .nominal = nominal});
}

/* Likewise of an event that happens now. */
void takt_kernel_post(takt_event_kind_t kind, takt_entity_t *entity);

/* Likewise of a lock or unlock of `resource`. */
void takt_kernel_post_lock(takt_event_kind_t kind, takt_entity_t *entity, takt_resource_t *resource);

/* Lets the port's timer expire at `instant`; `now` is not before the last reading of the clock in this call. */
TAKT_SHARED void takt_kernel_set_timer(takt_instant_t instant, takt_instant_t now) {
    takt_kernel.alarm = instant;
    takt_port_timer_set(instant, now);
}

/* Sets the port's timer to the end of the decision, or to the first timeout. `now` was read for that decision, or at
 * the beginning of the interrupt. */
TAKT_INLINE void takt_kernel_set_alarm(takt_instant_t now) {
    const takt_instant_t timeout = takt_timeouts.next;
    takt_kernel_set_timer(timeout < takt_kernel.until ? timeout : takt_kernel.until, now);
}

/* Steps, decides and switches, for the running thread. Closed; opens between steps and at the end. */
takt_status_t takt_kernel_dispatch(void);

/* Likewise right after an event of a kind that has charged execution: what the kernel itself executes since is charged to
 * no budget. */
takt_status_t takt_kernel_dispatch_charged(void);

/* Requests a pass after all interrupts, for what is due or has become outdated. Before the start there is one anyway.
 * Locked. */
TAKT_INLINE void takt_kernel_ask_for_pass(void) {
    takt_kernel.busy |= TAKT_BUSY_DUE;
    if (takt_kernel.cpu.running != NULL) {
        takt_port_pend();
    }
}

/* Requests a pass after an interrupt has posted an event of a kind that charges execution. Also if the running thread is
 * more urgent: a server that gets work may have armed a timer before the end of the last decision. Locked. */
TAKT_INLINE void takt_kernel_pend_after_post(void) {
    takt_kernel.busy |= TAKT_BUSY_DUE | TAKT_BUSY_CHARGED;
    takt_port_pend();
}

/* Both. */
takt_status_t takt_kernel_pass(takt_event_kind_t kind, takt_entity_t *entity);

/* ---- stacks ------------------------------------------------------------------------------------- */

#define TAKT_STACK_PAINT UINT32_C(0x7A6B7A6B) /* fills a stack before its thread runs */

/* The stack of `thread` has overflowed: ends in takt_port_fault. */
__attribute__((noreturn)) void takt_kernel_stack_overflow(takt_thread_t *thread);

/* Where the port guards stacks, these two only find at debug level what a guard cannot: a frame that skips it. */
#define TAKT_STACK_WORDS (TAKT_CHECKS_DEBUG || ((TAKT_GUARD) != 0 && (TAKT_PORT_GUARDS) == 0))

/* Checks that the lowest word of the stack of `thread`, which stops running, is unchanged. */
TAKT_INLINE void takt_kernel_check_stack(takt_thread_t *thread) {
    if (TAKT_STACK_WORDS && *(const uint32_t *)thread->stack != TAKT_STACK_PAINT) {
        takt_kernel_stack_overflow(thread);
    }
}

/* Checks that the running thread `thread` calls from within its stack: a frame may have skipped the lowest word. */
TAKT_INLINE void takt_kernel_check_depth(takt_thread_t *thread) {
    if (TAKT_STACK_WORDS && (uintptr_t)__builtin_frame_address(0) < (uintptr_t)thread->stack) {
        takt_kernel_stack_overflow(thread);
    }
}

/* `thread` begins to stop running. Until the port has switched, it executes; `cpu.running` may be another thread. */
TAKT_INLINE void takt_kernel_leave(takt_thread_t *thread) {
#if TAKT_PORT_GUARDS
    takt_kernel.leaving = thread;
    __asm volatile("" : : : "memory"); /* before any access that may hit the guard */
#else
    (void)thread;
#endif
}

/* ---- time --------------------------------------------------------------------------------------- */

/* `to` is about to run in place of `from`, another thread. Locked. */
TAKT_INLINE void takt_kernel_announce_switch(takt_thread_t *from, takt_thread_t *to) {
    if ((TAKT_SWITCH_HOOK) != 0) {
        takt_hook_switch(from, to);
    }
}

/* ---- inline layer ------------------------------------------------------------------------------ */

/* For the bench that measures the cost of the test: 1 treats every thread as plain; create only plain threads then. */
#ifndef TAKT_PLAIN_ONLY
#define TAKT_PLAIN_ONLY 0
#endif

TAKT_INLINE bool takt_entity_is_plain(const takt_entity_t *entity) {
    return (TAKT_PLAIN_ONLY) != 0 || entity->attributes == 0;
}

/* Switches from `running` to `next`, both plain. Closed; opens. */
TAKT_INLINE takt_status_t takt_kernel_switch(takt_entity_t *running, takt_entity_t *next) {
    takt_kernel_leave(takt_thread_of(running));
    takt_kernel.cpu.running = next;
    takt_kernel_check_stack(takt_thread_of(running));
    takt_kernel_check_depth(takt_thread_of(running));
    takt_kernel_announce_switch(takt_thread_of(running), takt_thread_of(next));
    return takt_port_switch(takt_thread_of(running), takt_thread_of(next));
}

/* Lets `next` run in place of `running`, which was interrupted and may be the same. Closed; opens. */
TAKT_INLINE void takt_kernel_preempt_by(takt_entity_t *next, takt_entity_t *running) {
    if (next == running) {
        (void)takt_port_open();
        return;
    }
    takt_kernel_leave(takt_thread_of(running));
    takt_kernel.cpu.running = next;
    takt_kernel_check_stack(takt_thread_of(running));
    takt_kernel_announce_switch(takt_thread_of(running), takt_thread_of(next));
    takt_port_preempt(takt_thread_of(running), takt_thread_of(next));
}

/* ---- near layer -------------------------------------------------------------------------------- */

/* True if `running` is selected at the root by its key, so that no plain thread that becomes ready displaces it. */
TAKT_INLINE bool takt_kernel_is_ahead_of_tail(const takt_entity_t *running) {
    return running->attributes == TAKT_ATTRIBUTE_KEYED && running->parent->locked == NULL;
}

/* Decides after the ready set of `running`, for which takt_near_leaves holds, has changed. Closed; opens. */
TAKT_INLINE takt_status_t takt_kernel_decide_near(takt_entity_t *running, bool has_keys) {
    takt_entity_t *next = takt_near_best(&running->parent->ready, has_keys, 1);
    if (next == running) {
        return takt_port_open();
    }
    return takt_near_is_like(next, running) ? takt_kernel_switch(running, next) : takt_kernel.pass->decide();
}

/* Likewise between the heap and the tail: `next` is the most urgent entity of the one that does not have `running`. */
TAKT_INLINE takt_status_t takt_kernel_decide_across(takt_entity_t *running, takt_entity_t *next) {
    return takt_near_is_across(next, running) ? takt_kernel_switch(running, next)
                                              : takt_kernel.pass->decide();
}

#endif
