/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The micro:bit as the bench sees them; see ../mps2_an385/bench_board.h. The counter is SysTick, which the emulator
 * has, and which is read by one load; the chip has none. There is no probe, and nothing holds the clock. */
#ifndef TAKT_BENCH_KERNEL_NRF5_BENCH_BOARD_H
#define TAKT_BENCH_KERNEL_NRF5_BENCH_BOARD_H

#include "bench/kernel/stamp.h"
#include "kernel/port.h"

#include <takt_board.h>

/* ---- counter ------------------------------------------------------------------------------------ */

#define BENCH_SYSTICK ((volatile uint32_t *)UINT32_C(0xE000E010)) /* control, reload, value */
#define BENCH_COUNTER_SKIPS 0                                     /* as there */
#define BENCH_COUNTER (&BENCH_SYSTICK[2])

enum { BENCH_SYSTICK_BITS = 24, BENCH_SYSTICK_RUNS = 5 /* with the processor's clock, 16 MHz */ };

/* Ticks of the board, half as many as SysTick counts, from one reading to a later one: it counts down. */
TAKT_INLINE uint32_t bench_elapsed(uint32_t from, uint32_t to) {
    return ((from - to) & ((UINT32_C(1) << BENCH_SYSTICK_BITS) - 1u)) / 2u;
}

/* What two readings cost, and the storing of the first, with nothing of the compiler's between. */
TAKT_INLINE uint32_t bench_nothing(bench_stamp_t counter, bench_stamp_t start) {
    uint32_t now;
    __asm volatile(".syntax unified\n ldr %0, [%1]\n str %0, [%2]\n ldr %0, [%1]"
                   : "=&l"(now)
                   : "l"(counter), "l"(start)
                   : "memory");
    return bench_elapsed(*start, now);
}

/* ---- an interrupt that the program raises ------------------------------------------------------- */

enum { BENCH_INTERRUPT = 31 };

#define BENCH_HANDLER takt_board_interrupt_31

#define BENCH_RAISING const bench_stamp_t pend = bench_in_register((bench_stamp_t)UINT32_C(0xE000E200))
#define BENCH_RAISE() (*pend = UINT32_C(1) << BENCH_INTERRUPT)

/* After a raise: what follows is executed after the interrupt's handler. */
#define BENCH_BARRIER() __asm volatile("dsb\n isb" ::: "memory")

/* Starts the counter, too. */
TAKT_INLINE void bench_interrupt_enable(void) {
    BENCH_SYSTICK[1] = (UINT32_C(1) << BENCH_SYSTICK_BITS) - 1u;
    BENCH_SYSTICK[2] = 0;
    BENCH_SYSTICK[0] = BENCH_SYSTICK_RUNS;
    takt_board_interrupt_enable(BENCH_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
}

#define BENCH_USE_FLOATS() ((void)0)

#endif
