/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the blinky asks of a machine beside its port: an LED, a button, time in milliseconds, something to do. One
 * board_<port>.c each. */
#ifndef BLINKY_BOARD_H
#define BLINKY_BOARD_H

#include "core/types.h"

/* Before anything else. */
void board_begin(void);

/* Ticks of the scheduler in so many milliseconds, and back, in microseconds. */
takt_duration_t board_ticks(uint32_t milliseconds);
uint32_t board_microseconds(takt_duration_t ticks);

void board_led_set(bool is_on);

/* From now on the button is pressed every `period` ticks, and `handler` is called in its interrupt. After
 * takt_kernel_start. */
void board_button_start(takt_duration_t period, void (*handler)(void));

/* Keeps the processor busy for a moment. */
void board_work(void);

#endif
