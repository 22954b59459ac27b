/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Boards with an nRF51 or nRF52: the start of the clock, whose readings are in takt_board_clock.h, interrupts, the program's
 * alarm, the serial line. */
#include "kernel/port.h"

#include <takt_board.h>

_Static_assert(offsetof(takt_board_timer_t, comparator) == 0x540,
               "the comparators are where the manual has them");

enum { TIMER0 = 8, TIMER_PRIORITY = 0xFF /* below the interrupts of programs, beside PendSV */ };

#define INTERRUPT_OF(comparator) (UINT32_C(1) << (16 + (comparator)))

/* ---- interrupts ------------------------------------------------------------------------------ */

#define NVIC_ENABLE ((volatile uint32_t *)UINT32_C(0xE000E100))
#define NVIC_PEND ((volatile uint32_t *)UINT32_C(0xE000E200))
#define NVIC_PRIORITY ((volatile uint32_t *)UINT32_C(0xE000E400)) /* ARMv6-M has words only */

void takt_board_interrupt_enable(uint32_t number, uint32_t priority) {
    const uint32_t shift = number % 4u * 8u;
    volatile uint32_t *word = &NVIC_PRIORITY[number / 4u];
    *word = (*word & ~(UINT32_C(0xFF) << shift)) | priority << shift;
    NVIC_ENABLE[number / 32u] = UINT32_C(1) << number % 32u;
}

void takt_board_interrupt_pend(uint32_t number) { NVIC_PEND[number / 32u] = UINT32_C(1) << number % 32u; }

/* ---- the clock ------------------------------------------------------------------------------- */

#define HFCLK_START (*(volatile uint32_t *)UINT32_C(0x40000000))
#define HFCLK_STARTED (*(volatile uint32_t *)UINT32_C(0x40000100))

enum { WIDTH_32 = 3, PRESCALED_BY_2 = 1 };

takt_instant_t takt_board_last_reading;
uint32_t takt_board_skipped;

/* The crystal is what makes the clock exact. */
void takt_port_clock_start(void) {
    HFCLK_START = 1;
    while (HFCLK_STARTED == 0) {
    }
    TAKT_BOARD_TIMER0->stop = 1;
    TAKT_BOARD_TIMER0->mode = 0;
    TAKT_BOARD_TIMER0->width = WIDTH_32;
    TAKT_BOARD_TIMER0->prescaler = PRESCALED_BY_2;
    TAKT_BOARD_TIMER0->clear = 1;
    takt_board_last_reading = 0;
    takt_board_skipped = 0;
    TAKT_BOARD_TIMER0->comparator[TAKT_BOARD_EXPIRED] = TAKT_BOARD_LONG_SHOT;
    TAKT_BOARD_TIMER0->interrupt_set = INTERRUPT_OF(TAKT_BOARD_EXPIRED);
    takt_board_interrupt_enable(TIMER0, TAKT_PORT_KERNEL_LEVEL);
    takt_board_interrupt_enable(TAKT_BOARD_TIMER_INTERRUPT, TIMER_PRIORITY);
    TAKT_BOARD_TIMER0->start = 1;
}

void takt_port_clock_skip(takt_duration_t ticks) {
    takt_board_last_reading = takt_port_now() + ticks;
    takt_board_skipped += (uint32_t)ticks;
}

/* The counter is read first: a clear in the very tick of the match does nothing in an emulator. */
static void event_clear(uint32_t comparator) {
    (void)takt_board_counter();
    TAKT_BOARD_TIMER0->compared[comparator] = 0;
}

void takt_board_interrupt_20(void);
void takt_board_interrupt_20(void) { takt_kernel_timer_expired(); }

/* ---- the alarm ------------------------------------------------------------------------------- */

static uint32_t alarm_period;
static bool is_alarm_set, is_alarm_late;

/* Late: the instant, of the counter, had come before the comparator was written, so that the interrupt is made pending. */
static void alarm_at(uint32_t instant) {
    TAKT_BOARD_TIMER0->comparator[TAKT_BOARD_ALARM] = instant;
    is_alarm_late = (int32_t)(instant + takt_board_skipped - takt_board_counter()) <= 1;
    if (is_alarm_late) {
        takt_board_interrupt_pend(TIMER0);
    }
}

static void alarm_begin(uint32_t ahead, uint32_t period) {
    const takt_port_level_t level = takt_port_lock();
    alarm_period = period;
    is_alarm_set = true;
    event_clear(TAKT_BOARD_ALARM);
    TAKT_BOARD_TIMER0->interrupt_set = INTERRUPT_OF(TAKT_BOARD_ALARM);
    takt_board_interrupt_enable(TIMER0, TAKT_PORT_KERNEL_LEVEL);
    alarm_at(takt_board_counter() - takt_board_skipped + ahead);
    takt_port_unlock(level);
}

void takt_board_alarm_once(uint64_t ahead) {
    alarm_begin(ahead < TAKT_BOARD_LONG_SHOT ? (uint32_t)ahead : (uint32_t)TAKT_BOARD_LONG_SHOT, 0);
}

void takt_board_alarm_every(uint32_t period) { alarm_begin(period, period); }

void takt_board_alarm_stop(void) {
    is_alarm_set = false;
    is_alarm_late = false;
    TAKT_BOARD_TIMER0->interrupt_clear = INTERRUPT_OF(TAKT_BOARD_ALARM);
    event_clear(TAKT_BOARD_ALARM);
}

void takt_board_alarm_served(void) {
    event_clear(TAKT_BOARD_ALARM);
    if (alarm_period == 0) {
        takt_board_alarm_stop();
    } else {
        alarm_at(TAKT_BOARD_TIMER0->comparator[TAKT_BOARD_ALARM] + alarm_period);
    }
}

/* The counter meets the comparator of an alarm that is not set, too. */
static bool alarm_is_due(void) {
    return is_alarm_set && (is_alarm_late || TAKT_BOARD_TIMER0->compared[TAKT_BOARD_ALARM] != 0);
}

__attribute__((weak)) void TAKT_BOARD_ALARM_HANDLER(void) { takt_port_fault(); }

/* The scheduler's part is passed on to the least urgent interrupt. */
void takt_board_interrupt_8(void);
void takt_board_interrupt_8(void) {
    if (TAKT_BOARD_TIMER0->compared[TAKT_BOARD_EXPIRED] != 0) {
        event_clear(TAKT_BOARD_EXPIRED);
        takt_board_interrupt_pend(TAKT_BOARD_TIMER_INTERRUPT);
    }
    if (alarm_is_due()) {
        TAKT_BOARD_ALARM_HANDLER();
    }
}

/* ---- the serial line ------------------------------------------------------------------------ */

#define UART_START (*(volatile uint32_t *)UINT32_C(0x40002008))
#define UART_SENT (*(volatile uint32_t *)UINT32_C(0x4000211C))
#define UART_ENABLE (*(volatile uint32_t *)UINT32_C(0x40002500))
#define UART_PIN (*(volatile uint32_t *)UINT32_C(0x4000250C))
#define UART_DATA (*(volatile uint32_t *)UINT32_C(0x4000251C))
#define UART_RATE (*(volatile uint32_t *)UINT32_C(0x40002524))

enum {
    UART_ENABLED = 4,
    UART_115200 = 0x01D7E000,
    UART_PATIENCE = 1 << 16,
};

__attribute__((weak)) void takt_port_print(const char *text) {
    UART_PIN = TAKT_BOARD_UART_PIN;
    UART_RATE = UART_115200;
    UART_ENABLE = UART_ENABLED;
    UART_START = 1;
    for (; *text != 0; text++) {
        UART_SENT = 0;
        UART_DATA = (uint8_t)*text;
        for (uint32_t i = 0; i < UART_PATIENCE && UART_SENT == 0; i++) {
        }
    }
}

__attribute__((weak)) void takt_port_fault(void) {
    for (;;) {
    }
}
