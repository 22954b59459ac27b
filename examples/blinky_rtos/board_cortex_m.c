/* The board mps2-an385: an LED of its FPGA, and a timer in place of a finger on the button.
 *
 * Source: Arm Application Note AN385, FPGA system control; CMSDK technical reference manual DDI 0479, dual timer. */
#include "board.h"

#include "kernel/port.h"
#include "port/cortex_m/mps2_an385.h"

enum { TICKS_IN_A_MILLISECOND = 1000000 / TAKT_BOARD_TICK_NS, BUTTON_INTERRUPT = 10, ROUNDS = 1000 };

void board_begin(void) {}

takt_duration_t board_ticks(uint32_t milliseconds) {
    return (takt_duration_t)milliseconds * TICKS_IN_A_MILLISECOND;
}

uint32_t board_microseconds(takt_duration_t ticks) { return (uint32_t)(ticks * TAKT_BOARD_TICK_NS / 1000u); }

#define LEDS (*(volatile uint32_t *)UINT32_C(0x40028000)) /* bits 0 and 1 */

void board_led_set(bool is_on) { LEDS = is_on ? 1u : 0u; }

/* Counts down from `load` again and again. */
typedef struct dual_timer {
    volatile uint32_t load, value, control, clear;
} dual_timer_t;

#define BUTTON_TIMER ((dual_timer_t *)UINT32_C(0x40002000))
#define BUTTON_TIMER_RUNS UINT32_C(0xE2) /* enabled, periodic, interrupts, 32 bits */

static void (*on_button)(void);

void takt_board_interrupt_10(void);
void takt_board_interrupt_10(void) {
    BUTTON_TIMER->clear = 1;
    on_button();
}

void board_button_start(takt_duration_t period, void (*handler)(void)) {
    on_button = handler;
    BUTTON_TIMER->load = (uint32_t)period;
    BUTTON_TIMER->control = BUTTON_TIMER_RUNS;
    takt_board_interrupt_enable(BUTTON_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
}

void board_work(void) {
    for (volatile uint32_t round = 0; round < ROUNDS; round++) {
    }
}
