/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Releases of periodic jobs by the near layer, core/release.h, in the timer's interrupt. */
#include "core/release.h"

#include "kernel/state.h"

static __attribute__((noinline)) bool handle_wake(takt_timers_t *timers, takt_timer_t *timer,
                                                  const takt_entity_t *running) {
    return takt_release_handle_wake(timers, timer, running);
}

/* Handles one due item; false: the full pass must. */
TAKT_INLINE bool handle_one(takt_entity_t *running, takt_instant_t now) {
    takt_timers_t *timers = &takt_kernel.dispatcher.root.timers;
    if (takt_kernel.busy != 0 || !takt_near_leaves(running) ||
        !takt_release_charge(&takt_kernel.cpu, running, now)) {
        return false;
    }
    takt_timer_t *timer = takt_timers_first(timers, now);
    return timer != NULL && timer->kind == TAKT_TIMER_WAKE ? handle_wake(timers, timer, running)
                                                           : takt_release_handle(timers, timer, now, running);
}

/* All that was due is handled: `running` continues, or another entity of its ready set is selected after all interrupts. */
TAKT_INLINE void resume_or_select(takt_entity_t *running, takt_instant_t now) {
    const takt_ready_t *ready = &running->parent->ready;
    takt_kernel.until = takt_between_until(&takt_kernel.dispatcher, running, now);
    takt_kernel_set_alarm(now);
    if (takt_near_best(ready, takt_ready_has_keys(ready), 1) != running) {
        takt_port_pend();
    }
}

/* Opens after every item but the last. The running thread may be one that is in a pass, and an interrupt may post. */
static void handle_due(takt_instant_t now) {
    takt_entity_t *running = takt_kernel.cpu.running;
    while (handle_one(running, now)) {
        if (!takt_dispatcher_is_due(&takt_kernel.dispatcher, now)) {
            resume_or_select(running, now);
            return;
        }
        takt_port_breathe();
        now = takt_port_now();
    }
    takt_kernel.busy |= TAKT_BUSY_DUE;
    takt_port_pend();
}

static void come_to(takt_instant_t now) {
    takt_kernel_expire_timeouts(now);
    if (takt_kernel.until <= now) {
        handle_due(now);
    } else {
        takt_kernel_set_alarm(now);
    }
    (void)takt_port_open();
}

static const takt_time_t time_of_releases = {.come_to = come_to, .disarm = takt_kernel_disarm};

void takt_kernel_expect_releases(void) { takt_kernel.time = &time_of_releases; }
