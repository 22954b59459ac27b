/* The board mps2-an385 as programs on it see it: interrupts and the one clock.
 *
 * Source: Arm Application Note AN385; CMSDK technical reference manual DDI 0479, APB timer. */
#ifndef TAKT_PORT_MPS2_AN385_H
#define TAKT_PORT_MPS2_AN385_H

#include <stdint.h>

/* One tick of the scheduler is one cycle of the 25 MHz clock. */
enum { TAKT_BOARD_TICK_NS = 40, TAKT_BOARD_INTERRUPTS = 32 };

/* Handlers are functions named takt_board_interrupt_0 .. _31; the ones nobody defines stop in
 * takt_port_fault. */

/* Enables interrupt `number` at `priority` (smaller = more urgent). One that calls the kernel has
 * TAKT_PORT_KERNEL_LEVEL or a larger number. */
void takt_board_interrupt_enable(uint32_t number, uint32_t priority);

/* Makes interrupt `number` pending. */
void takt_board_interrupt_pend(uint32_t number);

/* Registers of a CMSDK APB timer: it counts down, and raises its interrupt on reaching 0. */
typedef struct takt_board_timer {
    volatile uint32_t control; /* bit 0 counts, bit 3 interrupts */
    volatile uint32_t value;
    volatile uint32_t reload;    /* 0: stops at 0 */
    volatile uint32_t interrupt; /* write 1 to clear */
} takt_board_timer_t;

/* Timer 0 runs freely and is the clock; timer 1 is the scheduler's one-shot, interrupt 9. */
#define TAKT_BOARD_TIMER0 ((takt_board_timer_t *)UINT32_C(0x40000000))
#define TAKT_BOARD_TIMER1 ((takt_board_timer_t *)UINT32_C(0x40001000))

#endif
