/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The boards MPS2: the kernel's clock and timer stop. Another timer, here the board's alarm, wakes the processor, as a
 * low-power timer does on silicon, and says how long they stood still. */
#include "kernel/port.h"
#include "sleep.h"

#include <takt_board.h>

void TAKT_BOARD_ALARM_HANDLER(void) { takt_board_alarm_served(); }

takt_duration_t sleep_deep(takt_duration_t ticks) {
    const uint32_t most = TAKT_BOARD_LONG_SHOT;
    const uint32_t set = ticks < most ? (uint32_t)ticks : most;
    const uint32_t timer = TAKT_BOARD_TIMER1->control;
    TAKT_BOARD_TIMER0->control = 0;
    TAKT_BOARD_TIMER1->control = 0;
    takt_board_alarm_once(set);
    takt_port_sleep_wait();
    const uint32_t left = TAKT_BOARD_DUAL_TIMER->value; /* 0 at its end; more if another interrupt came */
    takt_board_alarm_stop();
    TAKT_BOARD_TIMER1->control = timer;
    TAKT_BOARD_TIMER0->control = 1;
    return set - left;
}
