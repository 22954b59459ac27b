/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The near layer between ready sets; see between.h. */
#include "kernel/between.h"

TAKT_INLINE takt_entity_t *select_at(takt_instant_t now) {
    takt_entity_t *next = takt_between_select(&takt_kernel.dispatcher, now);
    if (next != NULL) {
        takt_kernel.until = takt_between_take(&takt_kernel.dispatcher, next, now);
        takt_kernel_set_alarm(now);
    }
    return next;
}

takt_entity_t *takt_kernel_select_between(takt_instant_t now) { return select_at(now); }

takt_status_t takt_kernel_decide_between(takt_instant_t now) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_entity_t *next = select_at(now);
    if (TAKT_UNLIKELY(next == NULL)) {
        return takt_kernel_dispatch_charged();
    }
    return next != running ? takt_kernel_switch(running, next) : takt_port_open();
}

/* Resources of the root are locked. */
static __attribute__((noinline)) takt_status_t decide_beside_locks(void) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_entity_t *next = NULL;
    if (takt_kernel_is_beside_locks()) {
        takt_entity_t *best = takt_levels_best(takt_kernel_levels(), 1);
        next = best->attributes == 0 ? best : takt_between_stand_in(best);
    }
    if (next == NULL) {
        return takt_kernel_dispatch();
    }
    return next != running ? takt_kernel_switch(running, next) : takt_port_open();
}

takt_status_t takt_kernel_decide_far(void) {
    if (TAKT_UNLIKELY(takt_kernel.dispatcher.root.locked != NULL)) {
        return decide_beside_locks();
    }
    const takt_instant_t now = takt_port_now();
    return takt_kernel_begins_between(takt_kernel.cpu.running, now) ? takt_kernel_decide_between(now)
                                                                    : takt_kernel_dispatch();
}

void takt_kernel_pend_far(void) {
    if (takt_kernel_is_ahead_of_tail(takt_kernel.cpu.running)) {
        return;
    }
    if ((takt_kernel.dispatcher.root.locked != NULL && takt_kernel_is_beside_locks()) ||
        takt_kernel_begins_between(takt_kernel.cpu.running, takt_port_now())) {
        takt_kernel.busy |= TAKT_BUSY_CHARGED;
        takt_port_pend();
    } else {
        takt_kernel_ask_for_pass();
    }
}
