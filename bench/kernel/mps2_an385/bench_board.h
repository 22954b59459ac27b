/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board mps2-an385 as the bench sees it: a counter to read, an interrupt to raise, a probe, and the clock's halt.
 *
 * The timer that is the kernel's clock is the counter, too. Every board has a header of this name and with this
 * content; what a board cannot do it leaves out, and the programs that need it are not built for it. */
#ifndef TAKT_BENCH_KERNEL_MPS2_AN385_BENCH_BOARD_H
#define TAKT_BENCH_KERNEL_MPS2_AN385_BENCH_BOARD_H

#include "bench/kernel/stamp.h"
#include "kernel/port.h"

#include <takt_board.h>

/* ---- counter ------------------------------------------------------------------------------------ */

#define BENCH_COUNTER (&TAKT_BOARD_TIMER0->value)
#define BENCH_COUNTER_SKIPS 1 /* what takt_port_clock_skip adds is in it */

/* Ticks from one reading to a later one: it counts down. */
TAKT_INLINE uint32_t bench_elapsed(uint32_t from, uint32_t to) { return from - to; }

/* What two readings cost, and the storing of the first, with nothing of the compiler's between. */
TAKT_INLINE uint32_t bench_nothing(bench_stamp_t counter, bench_stamp_t start) {
    uint32_t now;
    __asm volatile("ldr %0, [%1]\n str %0, [%2]\n ldr %0, [%1]"
                   : "=&r"(now)
                   : "r"(counter), "r"(start)
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

TAKT_INLINE void bench_interrupt_enable(void) {
    takt_board_interrupt_enable(BENCH_INTERRUPT, TAKT_PORT_KERNEL_LEVEL);
}

/* ---- the floating-point unit ----------------------------------------------------------------------- */

/* From now on the calling thread is one that uses it. */
#if TAKT_PORT_FPU
#define BENCH_USE_FLOATS() __asm volatile("vmov.f32 s0, #1.0" : : : "s0")
#else
#define BENCH_USE_FLOATS() ((void)0)
#endif

/* ---- the kernel's timer ------------------------------------------------------------------------- */

/* Raises the interrupt of the kernel's timer, whether something expires or not. */
#define BENCH_TIMER_RAISING const bench_stamp_t pend = bench_in_register((bench_stamp_t)UINT32_C(0xE000E200))
#define BENCH_TIMER_RAISE() (*pend = UINT32_C(1) << TAKT_BOARD_TIMER_INTERRUPT)

/* While the clock stands still, delays of one length end at one instant. */
TAKT_INLINE void bench_clock_hold(void) { TAKT_BOARD_TIMER0->control = 0; }
TAKT_INLINE void bench_clock_release(void) { TAKT_BOARD_TIMER0->control = 1; }

/* ---- the probe ---------------------------------------------------------------------------------- */

#define BENCH_PROBE_HANDLER TAKT_BOARD_ALARM_HANDLER

enum { BENCH_PROBE_PERIOD = 19211 /* ticks: about 3000 instructions, and prime, so that the phases drift */ };

/* The board's alarm: it begins anew as it expires, and so measures its own interrupt's delay. */
TAKT_INLINE void bench_probe_start(void) { takt_board_alarm_every(BENCH_PROBE_PERIOD); }

/* In its interrupt, first of all: ticks since the probe expired. */
TAKT_INLINE uint32_t bench_probe_delay(void) {
    const uint32_t delay = BENCH_PROBE_PERIOD - TAKT_BOARD_DUAL_TIMER->value;
    TAKT_BOARD_DUAL_TIMER->clear = 1;
    return delay;
}

#endif
