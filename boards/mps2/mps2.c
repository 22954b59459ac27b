/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The boards MPS2: the start of clock and timer, whose readings are in takt_board_clock.h, interrupts, the program's
 * alarm, the serial line. */
#include "kernel/port.h"

#include <takt_board.h>

enum {
    TIMER_RUN = 1,
    TIMER_INTERRUPT = 8,
    TIMER1_PRIORITY = 0xFF, /* below the interrupts of programs, beside PendSV */
};

takt_instant_t takt_board_last_reading;

void takt_port_clock_start(void) {
    takt_board_last_reading = 0;
    TAKT_BOARD_TIMER0->reload = UINT32_MAX;
    TAKT_BOARD_TIMER0->value = UINT32_MAX;
    TAKT_BOARD_TIMER1->reload = 0;
    TAKT_BOARD_TIMER1->value = TAKT_BOARD_LONG_SHOT;
    TAKT_BOARD_TIMER1->control = TIMER_RUN | TIMER_INTERRUPT;
    takt_board_interrupt_enable(TAKT_BOARD_TIMER_INTERRUPT, TIMER1_PRIORITY);
    TAKT_BOARD_TIMER0->control = TIMER_RUN;
}

/* The counter continues from there; what it counts between reading and writing, a few ticks, is lost. */
void takt_port_clock_skip(takt_duration_t ticks) {
    takt_board_last_reading = takt_port_now() + ticks;
    TAKT_BOARD_TIMER0->value -= (uint32_t)ticks;
}

void TAKT_BOARD_TIMER_HANDLER(void);
void TAKT_BOARD_TIMER_HANDLER(void) {
    TAKT_BOARD_TIMER1->interrupt = 1;
    takt_kernel_timer_expired();
}

#define NVIC_ENABLE ((volatile uint32_t *)UINT32_C(0xE000E100))
#define NVIC_PEND ((volatile uint32_t *)UINT32_C(0xE000E200))
#define NVIC_PRIORITY ((volatile uint8_t *)UINT32_C(0xE000E400))

void takt_board_interrupt_enable(uint32_t number, uint32_t priority) {
    NVIC_PRIORITY[number] = (uint8_t)priority;
    NVIC_ENABLE[0] = UINT32_C(1) << number;
}

void takt_board_interrupt_pend(uint32_t number) { NVIC_PEND[0] = UINT32_C(1) << number; }

/* ---- the alarm ------------------------------------------------------------------------------ */

enum {
    ALARM_ONCE = 0xE3, /* counts, from the load that was written on, interrupts, 32 bits, once */
    ALARM_EVERY = 0xE2,
};

void takt_board_alarm_once(uint64_t ahead) {
    TAKT_BOARD_DUAL_TIMER->control = ALARM_ONCE;
    TAKT_BOARD_DUAL_TIMER->load =
        ahead < TAKT_BOARD_LONG_SHOT ? (uint32_t)ahead : (uint32_t)TAKT_BOARD_LONG_SHOT;
    takt_board_interrupt_enable(TAKT_BOARD_ALARM_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
}

void takt_board_alarm_every(uint32_t period) {
    TAKT_BOARD_DUAL_TIMER->load = period;
    TAKT_BOARD_DUAL_TIMER->control = ALARM_EVERY;
    takt_board_interrupt_enable(TAKT_BOARD_ALARM_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
}

void takt_board_alarm_served(void) { TAKT_BOARD_DUAL_TIMER->clear = 1; }

void takt_board_alarm_stop(void) { TAKT_BOARD_DUAL_TIMER->control = 0; }

/* ---- the serial line ------------------------------------------------------------------------ */

/* Registers of a CMSDK APB UART. */
typedef struct uart {
    volatile uint32_t data;
    volatile uint32_t state; /* bit 0: the transmitter is full */
    volatile uint32_t control;
    volatile uint32_t interrupt;
    volatile uint32_t divider;
} uart_t;

#define UART0 ((uart_t *)TAKT_BOARD_UART)

enum { UART_FULL = 1, UART_TRANSMIT = 1, UART_DIVIDER = 217 /* 115,200 baud */, UART_PATIENCE = 1 << 16 };

__attribute__((weak)) void takt_port_print(const char *text) {
    UART0->divider = UART_DIVIDER;
    UART0->control = UART_TRANSMIT;
    for (; *text != 0; text++) {
        for (uint32_t i = 0; i < UART_PATIENCE && (UART0->state & UART_FULL) != 0; i++) {
        }
        UART0->data = (uint8_t)*text;
    }
}

__attribute__((weak)) void takt_port_fault(void) {
    for (;;) {
    }
}
