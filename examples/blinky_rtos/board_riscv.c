/* QEMU's board virt: it has no LED, so that the text is all; the clock of the day in place of a finger on the button. */
#include "board.h"

#include "kernel/port.h"
#include "port/riscv/virt.h"

enum { TICKS_IN_A_MILLISECOND = 1000000 / TAKT_BOARD_TICK_NS, ROUNDS = 1000 };

void board_begin(void) {}

takt_duration_t board_ticks(uint32_t milliseconds) {
    return (takt_duration_t)milliseconds * TICKS_IN_A_MILLISECOND;
}

uint32_t board_microseconds(takt_duration_t ticks) { return (uint32_t)(ticks * TAKT_BOARD_TICK_NS / 1000u); }

void board_led_set(bool is_on) { (void)is_on; }

/* A one-shot that the handler sets again, from its last instant, so that the period does not drift. */
static uint64_t alarm; /* nanoseconds */
static uint64_t alarm_period;
static void (*on_button)(void);

static void set_alarm(void) {
    alarm += alarm_period;
    TAKT_BOARD_ALARM_CLOCK->alarm_high = (uint32_t)(alarm >> 32);
    TAKT_BOARD_ALARM_CLOCK->alarm_low = (uint32_t)alarm;
}

void takt_board_interrupt_11(void);
void takt_board_interrupt_11(void) {
    TAKT_BOARD_ALARM_CLOCK->interrupt_clear = 1;
    set_alarm();
    on_button();
}

void board_button_start(takt_duration_t period, void (*handler)(void)) {
    on_button = handler;
    alarm_period = period * TAKT_BOARD_TICK_NS;
    const uint32_t low = TAKT_BOARD_ALARM_CLOCK->time_low;
    alarm = (uint64_t)TAKT_BOARD_ALARM_CLOCK->time_high << 32 | low;
    TAKT_BOARD_ALARM_CLOCK->interrupt_enabled = 1;
    takt_board_interrupt_enable(TAKT_BOARD_ALARM_INTERRUPT);
    const takt_port_level_t level = takt_port_lock();
    set_alarm();
    takt_port_unlock(level);
}

void board_work(void) {
    for (volatile uint32_t round = 0; round < ROUNDS; round++) {
    }
}
