/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board mps2-an385: an LED of its FPGA, and a timer in place of a finger on the button.
 *
 * Source: Arm Application Note AN385, FPGA system control. */
#include "board.h"

#include "kernel/port.h"

#include <takt_board.h>

enum { TICKS_IN_A_MILLISECOND = 1000000 / TAKT_BOARD_TICK_NS, ROUNDS = 1000 };

void board_begin(void) {}

takt_duration_t board_ticks(uint32_t milliseconds) {
    return (takt_duration_t)milliseconds * TICKS_IN_A_MILLISECOND;
}

uint32_t board_microseconds(takt_duration_t ticks) { return (uint32_t)(ticks * TAKT_BOARD_TICK_NS / 1000u); }

#define LEDS (*(volatile uint32_t *)UINT32_C(0x40028000)) /* bits 0 and 1 */

void board_led_set(bool is_on) { LEDS = is_on ? 1u : 0u; }

static void (*on_button)(void);

void TAKT_BOARD_ALARM_HANDLER(void) {
    takt_board_alarm_served();
    on_button();
}

void board_button_start(takt_duration_t period, void (*handler)(void)) {
    on_button = handler;
    takt_board_alarm_every((uint32_t)period);
}

void board_work(void) {
    for (volatile uint32_t round = 0; round < ROUNDS; round++) {
    }
}
