/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls the clock that the program has selected; implements the contract of kernel/port.h. */
#include "port/posix/machine.h"

const takt_posix_clock_t *takt_posix_clock = &takt_posix_virtual_clock;

void takt_port_clock_start(void) { takt_posix_clock->start(); }

takt_instant_t takt_port_now(void) { return takt_posix_clock->now(); }

void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    (void)now;
    takt_posix_clock->timer_set(until);
}

void takt_port_idle(void) { takt_posix_clock->idle(); }

void takt_port_sleep_wait(void) {
    if (!takt_posix_is_pending()) {
        takt_posix_clock->wait();
    }
}

/* What is due because the clock was corrected has not been marked. */
void takt_port_sleep_end(void) {
    (void)takt_port_open();
    takt_port_sync();
}

void takt_port_clock_skip(takt_duration_t ticks) { takt_posix_clock->skip(ticks); }

void takt_port_work(takt_duration_t ticks) { takt_posix_clock->work(ticks); }
