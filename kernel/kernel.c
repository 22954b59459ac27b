/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernel object: start, the full pass, and preemption from interrupts. */
#include "kernel/between.h"
#include "kernel/wait.h"

takt_kernel_t takt_kernel;
takt_timeouts_t takt_timeouts;

#define TAKT_STATUS_CASE(name, value, message) \
    case TAKT_##name:                          \
        return message;

const char *takt_status_message(takt_status_t status) {
    switch (status) {
        TAKT_STATUS_LIST(TAKT_STATUS_CASE)
    default:
        return "no status of the kernel";
    }
}

takt_status_t takt_kernel_misuse(void) {
    return takt_port_is_in_isr() ? TAKT_ERROR_IN_ISR : TAKT_ERROR_LOCKED;
}

takt_status_t takt_kernel_refuse(takt_status_t status) {
    (void)takt_port_open();
    return status;
}

/* ---- full pass ------------------------------------------------------------------------------- */

void takt_kernel_post(takt_event_kind_t kind, takt_entity_t *entity) {
    const takt_instant_t now = takt_port_now();
    takt_kernel_post_at(kind, entity, now, now);
}

void takt_kernel_post_lock(takt_event_kind_t kind, takt_entity_t *entity, takt_resource_t *resource) {
    takt_tell(&takt_kernel.dispatcher,
              &(takt_event_t){.kind = kind, .entity = entity, .now = takt_port_now(), .resource = resource});
}

/* The thread that executes when `entity` is selected: the idle thread while a server idles. */
static takt_thread_t *thread_for(takt_entity_t *entity) {
    return takt_entity_is_server(entity) ? &takt_kernel.idle : takt_thread_of(entity);
}

/* The thread whose context is left when `next` is to run. */
static takt_thread_t *left_for(takt_thread_t *self, takt_thread_t *next) {
    if (next != self) {
        takt_kernel_check_stack(self);
        takt_kernel_announce_switch(self, next);
    }
    return next->plain.entity.task != NULL ? takt_job_choose(self, next) : self;
}

/* Returns the thread to run from `now` on. Its frame is not below those of steps. */
static __attribute__((noinline)) takt_thread_t *decide(takt_instant_t now) {
    const takt_decision_t decision = takt_ask(&takt_kernel.dispatcher, now);
    takt_kernel.until = decision.until;
    takt_kernel_set_alarm(now);
    takt_kernel.busy = 0;
    /* Ceilings may bar all entities. The idle thread then runs uncharged; core does not know of it. */
    if (decision.entity == NULL) {
        takt_kernel.cpu.running = &takt_kernel.idle.plain.entity;
    }
    takt_thread_t *next = thread_for(takt_kernel.cpu.running);
    if (TAKT_UNLIKELY(takt_kernel.select != NULL)) {
        takt_kernel.select(next, now);
    }
    return next;
}

/* True if a budget is charged while the running entity executes, and has not been charged up to this pass. */
TAKT_INLINE bool is_to_be_charged(void) {
    return (takt_kernel.cpu.running->attributes & TAKT_ATTRIBUTES_CHARGED) != 0 &&
           (takt_kernel.busy & TAKT_BUSY_CHARGED) == 0;
}

/* Opens after every step, so that no two of them, nor a step and the decision, mask interrupts together. The time is
 * read again after every opening: an interrupt may have posted an event in between that makes something due at once,
 * and instants never go back. */
TAKT_INLINE takt_thread_t *step_and_decide(void) {
    bool is_charge_due = is_to_be_charged();
    takt_instant_t now = takt_port_now();
    while (takt_settle(&takt_kernel.dispatcher, now, &is_charge_due)) {
        takt_port_breathe();
        now = takt_port_now();
    }
    return decide(now);
}

/* `busy` has the bits that describe this pass. */
static __attribute__((noinline)) takt_status_t dispatch(uint32_t busy) {
    takt_thread_t *self = thread_for(takt_kernel.cpu.running);
    takt_kernel_check_depth(self);
    takt_kernel_leave(self);
    takt_kernel.busy |= busy;
    takt_port_breathe();
    takt_thread_t *next = step_and_decide();
    self = left_for(self, next);
    if (next != self) {
        return takt_port_switch(self, next);
    }
    return takt_port_open();
}

takt_status_t takt_kernel_dispatch(void) { return dispatch(TAKT_BUSY_PASS); }

takt_status_t takt_kernel_dispatch_charged(void) { return dispatch(TAKT_BUSY_PASS | TAKT_BUSY_CHARGED); }

takt_status_t takt_kernel_pass(takt_event_kind_t kind, takt_entity_t *entity) {
    takt_kernel_post(kind, entity);
    return takt_kernel_dispatch_charged();
}

/* ---- preemption --------------------------------------------------------------------------------- */

/* Decides for an interrupted thread; one that is in a pass itself checks again before it decides. */
__attribute__((noinline)) void takt_kernel_preempt_by_pass(void) {
    if ((takt_kernel.busy & TAKT_BUSY_PASS) != 0 || !takt_has_news(&takt_kernel.dispatcher)) {
        (void)takt_port_open();
        return;
    }
    takt_thread_t *self = thread_for(takt_kernel.cpu.running);
    takt_kernel_leave(self);
    takt_thread_t *next = step_and_decide();
    self = left_for(self, next);
    if (next != self) {
        takt_port_preempt(self, next);
    } else {
        (void)takt_port_open();
    }
}

/* An interrupt has changed ready sets and charged. */
static __attribute__((noinline)) void preempt_between(void) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_entity_t *next = takt_kernel_select_between(takt_port_now());
    if (next == NULL) {
        takt_kernel_preempt_by_pass();
    } else {
        takt_kernel.busy = 0;
        takt_kernel_preempt_by(next, running);
    }
}

/* A function of its own, so that a preemption without a pass needs few registers. */
static __attribute__((noinline)) void preempt_busy(void) {
    if (takt_kernel.busy == TAKT_BUSY_CHARGED) {
        preempt_between();
    } else {
        takt_kernel_preempt_by_pass();
    }
}

/* Of a function of its own the usual preemption needs no registers. */
__attribute__((noinline)) void takt_kernel_preempt_across(takt_entity_t *running) {
    const takt_ready_t *ready = &running->parent->ready;
    if (takt_near_leaves(running) && takt_ready_has_keys(ready) &&
        takt_near_is_across(ready->keys.slots[0], running)) {
        takt_kernel_preempt_by(ready->keys.slots[0], running);
    } else {
        takt_kernel_preempt_by_pass();
    }
}

void takt_kernel_preempt_slowly(takt_entity_t *running) {
    if (takt_kernel.busy != 0) {
        preempt_busy();
        return;
    }
    takt_entity_t *next = NULL;
    if (takt_near_leaves(running)) {
        next = takt_near_best(&running->parent->ready, takt_near_has_keys(running), 1);
    }
    if (next == NULL || !takt_near_is_like(next, running)) {
        takt_kernel_preempt_across(running);
    } else {
        takt_kernel_preempt_by(next, running);
    }
}

void takt_kernel_preempt(void) {
    takt_port_close();
    takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(running) || takt_kernel.busy != 0) {
        takt_kernel.pass->preempt(running);
        return;
    }
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    if (takt_entity_is_plain(next)) {
        takt_kernel_preempt_by(next, running);
    } else {
        takt_kernel.pass->preempt_by_pass();
    }
}

/* ---- the timer ---------------------------------------------------------------------------------- */

/* Opens after every timeout, so that no two mask interrupts together. Returns how many plain threads became ready. */
TAKT_INLINE uint32_t expire_timeouts(takt_instant_t now) {
    uint32_t ready = 0;
    while (takt_timeouts_are_due(&takt_timeouts, now)) {
        takt_timeouts_open_first_slot(&takt_timeouts);
        do {
            takt_timeout_t *timeout = takt_timeouts_take(&takt_timeouts, now);
            if (timeout != NULL) {
                ready += timeout->expire(timeout);
            }
            takt_port_breathe();
        } while (takt_timeouts.draining != NULL);
        takt_timeouts_look_ahead(&takt_timeouts);
    }
    return ready;
}

/* The same where the running thread is not plain. One that is beginning to wait in an ordered queue decides itself. */
static __attribute__((noinline)) void ask_if_displaced(const takt_entity_t *running) {
    const bool decides = running->attributes == TAKT_ATTRIBUTE_ORDERED;
    if (!decides && !takt_kernel_is_ahead_of_tail(running)) {
        takt_kernel_ask_for_pass();
    }
}

/* Requests preemption once for all plain threads that have become ready. */
TAKT_INLINE void pend_if_displaced(void) {
    const takt_entity_t *running = takt_kernel.cpu.running;
    if (!takt_entity_is_plain(running)) {
        ask_if_displaced(running);
    } else if (takt_levels_best(takt_kernel_levels(), 1) != running) {
        takt_port_pend();
    }
}

void takt_kernel_expire_timeouts(takt_instant_t now) {
    if (expire_timeouts(now) != 0) {
        pend_if_displaced();
    }
}

/* Processes an alarm that has expired. Opens. */
void takt_kernel_come_to(takt_instant_t now) {
    takt_kernel_expire_timeouts(now);
    if (takt_kernel.until <= now) {
        takt_kernel.busy |= TAKT_BUSY_DUE;
        takt_port_pend();
    } else {
        takt_kernel_set_alarm(now);
    }
    (void)takt_port_open();
}

/* A timer that cannot count as far as the alarm expires before it: then it is only set again. */
void takt_kernel_timer_expired(void) {
    takt_port_close();
    const takt_instant_t now = takt_port_now();
    if (TAKT_LIKELY(takt_kernel.alarm <= now)) {
        takt_kernel.time->come_to(now);
        return;
    }
    takt_kernel_set_timer(takt_kernel.alarm, now);
    (void)takt_port_open();
}

void takt_kernel_signal_from_isr(void) {
    const takt_port_level_t level = takt_port_lock();
    takt_kernel_ask_for_pass();
    takt_port_unlock(level);
}

/* ---- stacks ------------------------------------------------------------------------------------- */

__attribute__((noreturn)) void takt_kernel_stack_overflow(takt_thread_t *thread) {
    takt_hook_stack_overflow(thread);
    for (;;) {
        takt_port_fault();
    }
}

#if TAKT_PORT_GUARDS
static bool is_in_stack(const takt_thread_t *thread, const void *address) {
    return thread != NULL && (uintptr_t)address - (uintptr_t)thread->stack < thread->stack_bytes;
}

/* During a switch the running thread may not execute yet. */
void takt_kernel_guard_hit(const void *address) {
    takt_thread_t *running = takt_kernel_running();
    takt_thread_t *thread = is_in_stack(running, address) ? running : takt_kernel.leaving;
    if (is_in_stack(thread, address)) {
        takt_kernel_stack_overflow(thread);
    }
}
#endif

/* ---- start -------------------------------------------------------------------------------------- */

_Static_assert((TAKT_IDLE_STACK_BYTES) >= TAKT_PORT_STACK_BYTES_MIN, "the idle thread has a context, too");
static uint64_t idle_stack[(TAKT_IDLE_STACK_BYTES) / sizeof(uint64_t)];

static void idle(void *argument) {
    (void)argument;
    for (;;) {
        takt_hook_idle();
    }
}

/* An array, because literals of one file are linked together. */
static const char idle_name[] = "idle";

static const takt_thread_parameters_t of_idle = {
    .name = idle_name, .entry = idle, .stack = idle_stack, .stack_bytes = sizeof idle_stack};

static void create_idle(void) {
    takt_thread_t *thread = &takt_kernel.idle;
    if (thread->plain.entity.parent == NULL) {
        takt_dispatcher_add_thread(&thread->plain, &takt_kernel.dispatcher.root, TAKT_KERNEL_IDLE_LEVEL,
                                   takt_kernel.entity_count++);
    }
    takt_kernel_fill_thread(thread, &of_idle);
    if (!takt_entity_is_ready(&thread->plain.entity)) {
        takt_queue_append(&takt_kernel.created, &thread->plain.entity);
    }
}

void takt_kernel_begin(void) {
    takt_queue_init(&takt_kernel.created);
    takt_kernel.pass = &takt_pass_missing;
    takt_kernel.alarm = TAKT_NEVER;
    takt_kernel.entity_count = 1; /* the root */
    if (TAKT_BACKEND_IS_REMOTE) {
        takt_kernel_expect_pass();
        takt_kernel.full_pass = TAKT_ATTRIBUTE_FULL_PASS;
    }
}

takt_status_t takt_kernel_init_expecting(const takt_policy_t *policy, void (*expect)(void)) {
    if (policy == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!takt_policy_is_compatible(policy)) {
        return TAKT_ERROR_POLICY;
    }
    if (takt_kernel.entity_count != 0) {
        return TAKT_ERROR_STARTED;
    }
    if (expect == NULL && policy->order != TAKT_ORDER_LEVELS) {
        return TAKT_ERROR_POLICY;
    }
    const takt_ready_t ready = takt_kernel_ready(policy, takt_kernel.levels);
    takt_dispatcher_init(&takt_kernel.dispatcher, policy, &ready, NULL, TAKT_KERNEL_ORDER_ROWS,
                         TAKT_KERNEL_TIME_ROWS, &takt_kernel.cpu, 1);
    takt_kernel_begin();
    if (expect != NULL) {
        expect();
    }
    return TAKT_OK;
}

takt_status_t takt_kernel_trace_to(takt_trace_t *trace) {
    if (trace == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (takt_kernel.entity_count != 1) {
        return takt_kernel.entity_count == 0 ? TAKT_ERROR_NOT_INITIALISED : TAKT_ERROR_ORDER;
    }
    takt_kernel_expect_pass();
    takt_kernel.full_pass = TAKT_ATTRIBUTE_FULL_PASS;
    takt_dispatcher_record_to(&takt_kernel.dispatcher, trace);
    return TAKT_OK;
}

/* No thread runs yet that could be preempted, so the lock stays closed between these steps. */
takt_thread_t *takt_kernel_first_decision(void) {
    while (!takt_queue_is_empty(&takt_kernel.created)) {
        takt_kernel_post(TAKT_EVENT_WAKE, takt_queue_take(&takt_kernel.created));
    }
    bool is_charge_due = true;
    takt_instant_t now = takt_port_now();
    while (takt_settle(&takt_kernel.dispatcher, now, &is_charge_due)) {
        now = takt_port_now();
    }
    return decide(now);
}

/* Likewise without a pass: nothing is to be posted, and nothing ever ends the decision. */
takt_thread_t *takt_kernel_first_thread(void) {
    while (!takt_queue_is_empty(&takt_kernel.created)) {
        takt_entity_t *entity = takt_queue_take(&takt_kernel.created);
        takt_entity_set_state(entity, TAKT_STATE_WAITING);
        takt_make_ready(entity);
    }
    takt_kernel.until = TAKT_NEVER;
    takt_kernel.cpu.running = takt_levels_best(takt_kernel_levels(), 1);
    return takt_thread_of(takt_kernel.cpu.running);
}

takt_status_t takt_kernel_start(void) {
    if (takt_kernel.entity_count == 0) {
        return TAKT_ERROR_NOT_INITIALISED;
    }
    if (takt_kernel.cpu.running != NULL) {
        return TAKT_ERROR_STARTED;
    }
    if (takt_kernel.entity_count == TAKT_KERNEL_ENTITY_LIMIT) {
        return TAKT_ERROR_FULL;
    }
    create_idle();
    (void)takt_port_lock();
    takt_port_clock_start();
    takt_thread_t *first = takt_kernel_has_pass() ? takt_kernel.pass->begin() : takt_kernel_first_thread();
    takt_kernel_announce_switch(NULL, first);
    takt_port_start(first);
}

/* ---- questions ---------------------------------------------------------------------------------- */

takt_instant_t takt_kernel_now(void) {
    const takt_port_level_t level = takt_port_lock();
    const takt_instant_t now = takt_kernel.cpu.running != NULL ? takt_port_now() : 0;
    takt_port_unlock(level);
    return now;
}

takt_thread_t *takt_kernel_running(void) {
    takt_entity_t *running = takt_kernel.cpu.running;
    return running == NULL ? NULL : thread_for(running);
}
