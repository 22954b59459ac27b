/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The near layer between ready sets, core/between.h, in the kernel. Private to kernel/.
 *
 * An interrupt charges and changes ready sets, and leaves the decision to takt_kernel_preempt: meanwhile `busy` is
 * TAKT_BUSY_CHARGED alone. What needs a pass besides adds its bit; that pass need not charge again.
 *
 * Call all functions with the lock closed. */
#ifndef TAKT_KERNEL_BETWEEN_H
#define TAKT_KERNEL_BETWEEN_H

#include "core/between.h"
#include "kernel/state.h"

/* Begins an event at `now` of the running thread, or of one that it or an interrupt wakes: charges up to it. Returns false
 * if a full pass must handle the event. */
TAKT_INLINE bool takt_kernel_begins_between(takt_entity_t *running, takt_instant_t now) {
    const bool begins = (takt_kernel.busy & ~(uint32_t)TAKT_BUSY_CHARGED) == 0 &&
                        takt_between_begins(&takt_kernel.dispatcher, running, now, takt_kernel.until);
    if (begins) {
        takt_between_charge(&takt_kernel.cpu, running, now);
    }
    return begins;
}

/* True if the running thread is one of the root, which levels order, and at most pip has selected it (core/plain_locks.h). Then a switch to
 * another thread of the root needs no time: nothing is charged, and the end of the decision stays. */
TAKT_INLINE bool takt_kernel_is_beside_locks(void) {
    const takt_entity_t *running = takt_kernel.cpu.running;
    return (takt_kernel.busy & ~(uint32_t)TAKT_BUSY_CHARGED) == 0 &&
           (running->attributes & ~(uint32_t)TAKT_ATTRIBUTE_LOCKING) == 0 && running->task == NULL &&
           takt_kernel.dispatcher.root.ready.order == TAKT_ORDER_LEVELS;
}

/* Decides after the ready set of the running thread has changed; the next entity may be of another one. Opens. */
takt_status_t takt_kernel_decide_far(void);

/* Decides after such an event of a call. Opens. */
takt_status_t takt_kernel_decide_between(takt_instant_t now);

/* Returns the entity that runs from `now` on after such an event of an interrupt; NULL if a full pass decides. */
takt_entity_t *takt_kernel_select_between(takt_instant_t now);

#endif
