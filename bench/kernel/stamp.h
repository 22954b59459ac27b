/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stamps: how an operation is measured with a counter of the board.
 *
 * An operation is measured from the reading of the counter right before the call to the reading right after it, in
 * whichever thread runs then. Pointers are kept in registers, so that no address is loaded inside a measurement. */
#ifndef TAKT_BENCH_KERNEL_STAMP_H
#define TAKT_BENCH_KERNEL_STAMP_H

#include "core/types.h"

typedef volatile uint32_t *bench_stamp_t;

TAKT_INLINE bench_stamp_t bench_in_register(bench_stamp_t pointer) {
    __asm volatile("" : "+r"(pointer));
    return pointer;
}

/* Least and most ticks of one operation. */
typedef struct bench_sample {
    uint32_t least;
    uint32_t most;
} bench_sample_t;

/* For a program with `bench_start_word` and `bench_samples`, one for each operation. */
#define BENCH_MEASURING                                             \
    const bench_stamp_t counter = bench_in_register(BENCH_COUNTER); \
    const bench_stamp_t start = bench_in_register(&bench_start_word)
#define BENCH_BEGIN() (*start = *counter)
#define BENCH_END(operation)                                               \
    do {                                                                   \
        const uint32_t now = *counter;                                     \
        bench_keep(&bench_samples[operation], bench_elapsed(*start, now)); \
    } while (0)

__attribute__((noinline, unused)) static void bench_keep(bench_sample_t *of, uint32_t ticks) {
    of->least = of->least == 0 || ticks < of->least ? ticks : of->least;
    of->most = ticks > of->most ? ticks : of->most;
}

#endif
