/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A call of a thread that wakes several threads, one at a time, and decides after the last one; see wait.h. */
#include "kernel/wait.h"

void takt_wake_before_decision(takt_entity_t *waiter) {
    if (takt_entity_is_plain(waiter)) {
        takt_make_ready(waiter);
    } else {
        takt_kernel.pass->wake_from_isr(waiter);
    }
}

takt_status_t takt_wake_decide(void) {
    takt_entity_t *running = takt_kernel.cpu.running;
    takt_kernel.busy &= ~(uint32_t)TAKT_BUSY_PASS;
    if ((running->attributes | takt_kernel.busy) != 0) {
        return takt_kernel.pass->dispatch();
    }
    takt_entity_t *next = takt_levels_best(takt_kernel_levels(), 1);
    if (!takt_entity_is_plain(next)) {
        return takt_kernel.pass->dispatch();
    }
    return next != running ? takt_kernel_switch(running, next) : takt_port_open();
}
