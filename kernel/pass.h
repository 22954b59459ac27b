/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What only some programs need, behind pointers of the kernel object. Private to kernel/.
 *
 *   pass      for entities with attributes: the near layer and the full pass; or the plain pass, if mutexes of plain
 *             threads are all that there is (kernel/plain_pass.c)
 *   time      timeouts, and the end of a decision
 *   mutexes   those of a thread that ends, or is suspended or aborted
 *
 * Each is set by the very call that introduces such a thing: a policy with keys, a trace, a server, a job, a slice, a
 * resource of jobs; a timeout; a mutex. Nothing else names those functions, so the linker drops them from programs of
 * plain threads under fixed priorities. Whatever gives an entity an attribute calls takt_kernel_expect_pass first, or the
 * other of its kind: without it the inline layer hands over to takt_port_fault. The full pass replaces the plain one at
 * any time, never the other way round: both keep their state in the same records.
 *
 * Invariant: while takt_kernel_has_pass is false, or there is the plain pass, every thread is under the root, which has levels, and has no
 * attribute but those of takt_kernel_expect_suspension and, with the plain pass, of mutexes; no decision of core is in
 * force. */
#ifndef TAKT_KERNEL_PASS_H
#define TAKT_KERNEL_PASS_H

#include "kernel/thread.h"
#include "kernel/timeouts.h"
#include "kernel/waiters.h"

/* What mutexes ask of a pass. Closed. */
typedef struct takt_pass_locking {
    void (*expect)(void); /* There is a resource. */
    /* A change without a decision. A lock may be refused: `entity` then requests `resource`. */
    void (*lock)(takt_entity_t *entity, takt_resource_t *resource);
    void (*unlock)(takt_entity_t *entity, takt_resource_t *resource);
    void (*withdraw)(takt_entity_t *entity);
    takt_status_t (*dispatch)(void);         /* The decision; opens. */
    takt_status_t (*dispatch_charged)(void); /* Likewise right after a change. */
} takt_pass_locking_t;

/* To what the inline layer hands over. All closed; those that return a status open. */
typedef struct takt_pass {
    takt_thread_t *(*begin)(void); /* Wakes the created threads. Returns the first; NULL: there is no pass. */
    takt_status_t (*decide)(void); /* The next entity is of another ready set than the running one. */
    void (*pend)(void);            /* Likewise, after all interrupts. */
    takt_status_t (*yield)(takt_entity_t *running);
    void (*end_turn)(takt_entity_t *running); /* Likewise for an interrupt, if it has ready equals. */
    takt_status_t (*wait)(takt_waiters_t *waiters, takt_entity_t *running);
    takt_status_t (*wait_behind)(takt_waiters_t *waiters, takt_entity_t *running);
    takt_status_t (*wake)(takt_entity_t *waiter, takt_entity_t *running);
    void (*wake_from_isr)(takt_entity_t *waiter);
    void (*preempt)(takt_entity_t *running); /* Opens. Something is outdated, or `running` has attributes. */
    void (*preempt_by_pass)(void);           /* Opens. The next entity has attributes. */
    takt_status_t (*stop)(takt_entity_t *entity);
    takt_status_t (*set_level)(takt_entity_t *entity, takt_key_t level); /* NULL: not the full pass */
    /* Of the plain pass: the level of `entity` has changed. If it waits in an order, the caller renews that. */
    void (*renew)(takt_entity_t *entity);
    void (*create)(takt_entity_t *entity, takt_key_t level); /* NULL: not the full pass */
    const takt_pass_locking_t *locking;                      /* NULL: nothing can be locked */
} takt_pass_t;

/* What an expired alarm does, and the withdrawal of a timeout that is armed. Closed; come_to opens. */
typedef struct takt_time {
    void (*come_to)(takt_instant_t now);
    void (*disarm)(takt_timeout_t *timeout);
} takt_time_t;

/* Where there is no pass: everything ends in takt_port_fault. */
extern const takt_pass_t takt_pass_missing;

/* Sets the pass, and what handles the ends of its decisions. More than once is once. */
void takt_kernel_expect_pass(void);

/* Likewise, and gives the root a heap, if keys order it. */
void takt_kernel_expect_keys(void);

/* Lets keys order `ready`, over `heap` of TAKT_KERNEL_HEAP_SLOTS entries, if its order says so. */
void takt_kernel_add_heap(takt_ready_t *ready, takt_entity_t **heap);

/* Sets the plain pass, unless there is one. Likewise. */
void takt_kernel_expect_plain_pass(void);

/* Sets the time, over an empty wheel. Likewise. */
void takt_kernel_expect_time(void);

/* Sets the time, so that releases of jobs need no full pass. There is that pass. */
void takt_kernel_expect_releases(void);

/* Lets waiting threads be suspended, or have nodes (kernel/order.h). Likewise. */
void takt_kernel_expect_suspension(void);

/* ---- the functions behind the pointers, for those tables ------------------------------------------ */

takt_thread_t *takt_kernel_first_decision(void);
takt_thread_t *takt_kernel_first_thread(void);
void takt_kernel_preempt_slowly(takt_entity_t *running);
void takt_kernel_preempt_across(
    takt_entity_t *running); /* perhaps of a tail, and what the heap has got is next */
void takt_kernel_preempt_by_pass(void);
takt_status_t takt_kernel_decide_far(void);
void takt_kernel_pend_far(void);
void takt_kernel_come_to(takt_instant_t now);
void takt_kernel_disarm(takt_timeout_t *timeout);
takt_status_t takt_yield_slowly(takt_entity_t *running);

/* Makes ready whose timeouts have expired, and requests preemption if one of them is next. Closed; opens in between. */
void takt_kernel_expire_timeouts(takt_instant_t now);

/* Sets the level of a plain thread that waits, or is suspended: no ready set has it. Closed; opens. */
takt_status_t takt_thread_set_level_of_waiting(takt_entity_t *entity, takt_key_t level);

#endif
