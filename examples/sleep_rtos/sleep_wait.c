/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Machines whose clock continues: the processor alone stops. */
#include "kernel/port.h"
#include "sleep.h"

takt_duration_t sleep_deep(takt_duration_t ticks) {
    (void)ticks;
    takt_port_sleep_wait();
    return 0;
}
