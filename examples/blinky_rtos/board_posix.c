/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A Linux process, in virtual time, or in real time if the environment has BLINKY_REAL_TIME. A tick is a
 * microsecond. */
#include "board.h"

#include <stdlib.h>

#include "port/posix/posix.h"

enum { TICK_NS = 1000, TICKS_IN_A_MILLISECOND = 1000, TICKS_OF_WORK = 100, BUTTON_INTERRUPT = 0 };

void board_begin(void) {
    if (getenv("BLINKY_REAL_TIME") != NULL) {
        (void)takt_posix_use_real_time(TICK_NS);
    }
}

takt_duration_t board_ticks(uint32_t milliseconds) {
    return (takt_duration_t)milliseconds * TICKS_IN_A_MILLISECOND;
}

uint32_t board_microseconds(takt_duration_t ticks) { return (uint32_t)ticks; }

void board_led_set(bool is_on) { (void)is_on; }

static takt_duration_t button_period;
static takt_instant_t next_press;
static void (*on_button)(void);

static void announce(void) {
    next_press += button_period;
    takt_posix_interrupt_announce(BUTTON_INTERRUPT, next_press);
}

static void press(void) {
    announce();
    on_button();
}

void board_button_start(takt_duration_t period, void (*handler)(void)) {
    button_period = period;
    on_button = handler;
    takt_posix_interrupt_enable(BUTTON_INTERRUPT, press);
    const takt_port_level_t level = takt_port_lock();
    next_press = takt_port_now();
    announce();
    takt_port_unlock(level);
}

void board_work(void) { takt_port_work(TICKS_OF_WORK); }
