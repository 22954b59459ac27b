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

/* The same where resources are registered as locked. */
TAKT_INLINE bool takt_kernel_begins_beside_locks(takt_entity_t *running, takt_instant_t now) {
    const bool begins = (takt_kernel.busy & ~(uint32_t)TAKT_BUSY_CHARGED) == 0 &&
                        takt_between_begins_beside_locks(running, now, takt_kernel.until);
    if (begins) {
        takt_between_charge(&takt_kernel.cpu, running, now);
    }
    return begins;
}

/* Decides after the ready set of the running thread has changed; the next entity may be of another one. Opens. */
takt_status_t takt_kernel_decide_far(void);

/* Decides after such an event of a call. Opens. */
takt_status_t takt_kernel_decide_between(takt_instant_t now);

/* Returns the entity that runs from `now` on after such an event of an interrupt; NULL if a full pass decides. */
takt_entity_t *takt_kernel_select_between(takt_instant_t now);

#endif
