/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Board mps2-an385: vectors, start-up, the program's alarm, and the start of clock and timer, whose readings are in
 * mps2_an385_clock.h. */
#include "port/cortex_m/mps2_an385.h"

#include "kernel/port.h"

enum {
    TIMER_RUN = 1,
    TIMER_INTERRUPT = 8,
    TIMER1_INTERRUPT = 9,
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
    takt_board_interrupt_enable(TIMER1_INTERRUPT, TIMER1_PRIORITY);
    TAKT_BOARD_TIMER0->control = TIMER_RUN;
}

static void timer1_handler(void) {
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
    ALARM_INTERRUPT = 10,
    ALARM_ONCE = 0xE3, /* counts, from the load that was written on, interrupts, 32 bits, once */
    ALARM_EVERY = 0xE2,
};

void takt_board_alarm_once(uint64_t ahead) {
    TAKT_BOARD_DUAL_TIMER->control = ALARM_ONCE;
    TAKT_BOARD_DUAL_TIMER->load =
        ahead < TAKT_BOARD_LONG_SHOT ? (uint32_t)ahead : (uint32_t)TAKT_BOARD_LONG_SHOT;
    takt_board_interrupt_enable(ALARM_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
}

void takt_board_alarm_every(uint32_t period) {
    TAKT_BOARD_DUAL_TIMER->load = period;
    TAKT_BOARD_DUAL_TIMER->control = ALARM_EVERY;
    takt_board_interrupt_enable(ALARM_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
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

#define UART0 ((uart_t *)UINT32_C(0x40004000))

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

/* ---- start-up and vectors ------------------------------------------------------------------ */

extern uint32_t takt_board_data_source[], takt_board_data_start[], takt_board_data_end[];
extern uint32_t takt_board_bss_start[], takt_board_bss_end[];
extern uint32_t takt_board_stack_end[];

int main(void);
void takt_port_svc_handler(void);

void takt_board_reset(void) {
    const uint32_t *source = takt_board_data_source;
    for (uint32_t *word = takt_board_data_start; word < takt_board_data_end; word++) {
        *word = *source++;
    }
    for (uint32_t *word = takt_board_bss_start; word < takt_board_bss_end; word++) {
        *word = 0;
    }
    (void)main();
    takt_port_fault();
}

/* clang-format off */
#define EACH_INTERRUPT(X)                                                              \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(10) X(11) X(12) X(13) X(14) X(15)   \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) \
    X(30) X(31)
/* clang-format on */

#define DECLARE(number) __attribute__((weak, alias("unexpected"))) void takt_board_interrupt_##number(void);
#define ENTRY(number) [16 + number] = takt_board_interrupt_##number,

/* The weak names need a body in this file. */
__attribute__((used)) static void unexpected(void) { takt_port_fault(); }
EACH_INTERRUPT(DECLARE)

/* guard.c has it in builds with guards. */
__attribute__((weak, alias("unexpected"))) void takt_port_memory_fault(void);

typedef void (*vector_t)(void);

__attribute__((used, section(".vectors"))) static const vector_t vectors[16 + TAKT_BOARD_INTERRUPTS] = {
    [0] = (vector_t)(uintptr_t)takt_board_stack_end,
    [1] = takt_board_reset,
    [2] = unexpected,
    [3] = takt_port_memory_fault,
    [4] = takt_port_memory_fault,
    [5] = unexpected,
    [6] = unexpected,
    [11] = takt_port_svc_handler,
    [12] = unexpected,
    [14] = takt_kernel_preempt,
    [15] = unexpected,
    [16 + TIMER1_INTERRUPT] = timer1_handler,
    EACH_INTERRUPT(ENTRY)};
