/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The load of emulated boards: a loop of instructions. takt_board.h has the tick.
 *
 * When not to use it: on a processor whose loops vary. An instruction takes 2^6 ns of QEMU's clock. A board whose
 * processor takes another time for a round has TAKT_BOARD_ROUND_TICKS, a power of two if it cannot divide, the
 * instructions that make a round so long, TAKT_BOARD_ROUND_PADDING, and the rounds that a call takes besides,
 * TAKT_BOARD_ROUNDS_AROUND. */
#include "firmware/load.h"

#include <takt_board.h>

#if defined(__ARM_ARCH_6M__)
enum { ROUND_INSTRUCTIONS = 3 }; /* the compiler compares, too */
#else
enum { ROUND_INSTRUCTIONS = 2 };
#endif

#if defined(TAKT_BOARD_ROUND_TICKS)
enum { ROUNDS_AROUND = TAKT_BOARD_ROUNDS_AROUND };

static uint64_t whole_rounds(takt_duration_t ticks) { return ticks / TAKT_BOARD_ROUND_TICKS; }
#else
#define TAKT_BOARD_ROUND_PADDING ""
enum { ROUND_NS = ROUND_INSTRUCTIONS * 64, ROUNDS_AROUND = 24 /* of a call */ };

static uint64_t whole_rounds(takt_duration_t ticks) {
    return ticks / ROUND_NS * TAKT_BOARD_TICK_NS + ticks % ROUND_NS * TAKT_BOARD_TICK_NS / ROUND_NS;
}
#endif

static uint64_t rounds_of(takt_duration_t ticks) {
    const uint64_t rounds = whole_rounds(ticks);
    return rounds > ROUNDS_AROUND ? rounds - ROUNDS_AROUND : 1u;
}

/* Subtract and branch: what the compiler makes of it, if it optimises. */
static void execute(uint32_t rounds) {
    do {
        __asm volatile(TAKT_BOARD_ROUND_PADDING : "+r"(rounds));
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
