/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The board virt as the bench sees it: the low word of mtime is the counter; an interrupt comes through the CLINT. It
 * has no second timer for a probe, and a clock that cannot be held.
 *
 * Content: bench/kernel/mps2_an385/bench_board.h. */
#ifndef TAKT_BENCH_KERNEL_VIRT_BENCH_BOARD_H
#define TAKT_BENCH_KERNEL_VIRT_BENCH_BOARD_H

#include "bench/kernel/stamp.h"
#include "kernel/port.h"

#include <takt_board.h>

#define BENCH_COUNTER_SKIPS 0 /* as there */
#define BENCH_COUNTER ((bench_stamp_t)(TAKT_PORT_CLINT + UINT32_C(0xBFF8)))

TAKT_INLINE uint32_t bench_elapsed(uint32_t from, uint32_t to) { return to - from; }

TAKT_INLINE uint32_t bench_nothing(bench_stamp_t counter, bench_stamp_t start) {
    uint32_t now;
    __asm volatile("lw %0, 0(%1)\n sw %0, 0(%2)\n lw %0, 0(%1)"
                   : "=&r"(now)
                   : "r"(counter), "r"(start)
                   : "memory");
    return bench_elapsed(*start, now);
}

enum { BENCH_INTERRUPT = 0 };

#define BENCH_HANDLER takt_board_interrupt_0

#define BENCH_RAISING (void)0
#define BENCH_RAISE() takt_board_interrupt_pend(BENCH_INTERRUPT)
#define BENCH_BARRIER() __asm volatile("fence iorw, iorw" ::: "memory")

TAKT_INLINE void bench_interrupt_enable(void) { takt_board_interrupt_enable(BENCH_INTERRUPT); }

/* ---- the floating-point unit ----------------------------------------------------------------------- */

#if TAKT_PORT_FPU
#define BENCH_USE_FLOATS() __asm volatile("fmv.w.x ft0, zero" : : : "ft0")
#else
#define BENCH_USE_FLOATS() ((void)0)
#endif

#endif
