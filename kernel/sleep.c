/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tickless sleep; see sleep.h. */
#include "kernel/sleep.h"

#include "kernel/state.h"

/* Ticks until the kernel's alarm; 0: it is due. */
static takt_duration_t time_to_alarm(void) {
    const takt_instant_t alarm = takt_kernel.alarm;
    if (alarm == TAKT_NEVER) {
        return TAKT_NEVER;
    }
    const takt_instant_t now = takt_port_now();
    return alarm > now ? alarm - now : 0;
}

/* All interrupts are masked from the question to the sleep, so that none comes between that would move the alarm or make a
 * thread ready. */
takt_status_t takt_kernel_sleep(takt_sleep_t sleep) {
    TAKT_REQUIRE(sleep != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(takt_kernel.cpu.running != NULL, TAKT_ERROR_NOT_STARTED);
    TAKT_REQUIRE_OPEN();
    takt_port_sleep_begin();
    const takt_duration_t ticks = time_to_alarm();
    const takt_duration_t uncounted = ticks != 0 ? sleep(ticks) : 0;
    if (uncounted != 0) {
        takt_port_clock_skip(uncounted);
        takt_port_timer_set(takt_kernel.alarm, takt_port_now());
    }
    takt_port_sleep_end();
    return TAKT_OK;
}
