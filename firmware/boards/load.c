/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The load of the boards of QEMU: a loop of instructions. takt_board.h has the tick.
 *
 * When not to use it: for cycles of silicon. An instruction takes 2^6 ns of the emulator's clock. */
#include "firmware/load.h"

#include <takt_board.h>

#if defined(__ARM_ARCH_6M__)
enum { ROUND_INSTRUCTIONS = 3 }; /* the compiler compares, too */
#else
enum { ROUND_INSTRUCTIONS = 2 };
#endif

enum {
    ROUND_NS = ROUND_INSTRUCTIONS * 64,
    ROUNDS_AROUND = 24, /* of a call */
};

static uint64_t rounds_of(takt_duration_t ticks) {
    const uint64_t rounds =
        ticks / ROUND_NS * TAKT_BOARD_TICK_NS + ticks % ROUND_NS * TAKT_BOARD_TICK_NS / ROUND_NS;
    return rounds > ROUNDS_AROUND ? rounds - ROUNDS_AROUND : 1u;
}

/* Subtract and branch: what the compiler makes of it, if it optimises. */
static void execute(uint32_t rounds) {
    do {
        __asm volatile("" : "+r"(rounds));
    } while (--rounds != 0);
}

void takt_port_work(takt_duration_t ticks) {
    uint64_t rounds = rounds_of(ticks);
    while (rounds > 0) {
        const uint32_t chunk = rounds < UINT32_MAX ? (uint32_t)rounds : UINT32_MAX;
        rounds -= chunk;
        execute(chunk);
    }
}
