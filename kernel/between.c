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

static bool begins(takt_instant_t now) {
    takt_entity_t *running = takt_kernel.cpu.running;
    return takt_kernel_begins_between(running, now) || takt_kernel_begins_beside_locks(running, now);
}

takt_status_t takt_kernel_decide_far(void) {
    const takt_instant_t now = takt_port_now();
    return begins(now) ? takt_kernel_decide_between(now) : takt_kernel_dispatch();
}

void takt_kernel_pend_far(void) {
    if (takt_kernel_is_ahead_of_tail(takt_kernel.cpu.running)) {
        return;
    }
    if (begins(takt_port_now())) {
        takt_kernel.busy |= TAKT_BUSY_CHARGED;
        takt_port_pend();
    } else {
        takt_kernel_ask_for_pass();
    }
}
