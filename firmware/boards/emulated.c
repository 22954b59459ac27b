/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The boards of QEMU; see board.h: a loop of instructions, the board's alarm, the memory that it leaves to programs.
 * The port's takt_board.h selects the board.
 *
 * When not to use it: for cycles of silicon. The load is instructions under the emulator's clock, 2^6 ns each. */
#include "firmware/board.h"

#include <takt_board.h>

enum {
    ROUND_NS = 2 * 64,  /* two instructions */
    ROUNDS_AROUND = 46, /* of a load, and of what main.c executes around it */
};

/* Its clock starts with the kernel. */
void takt_firmware_prepare(uint64_t tick_ns) { (void)tick_ns; }

void takt_firmware_announce(takt_instant_t now, takt_instant_t instant) {
    takt_board_alarm_once(instant > now ? instant - now : 1u);
}

void TAKT_BOARD_ALARM_HANDLER(void) {
    takt_board_alarm_served();
    takt_firmware_input();
}

static uint64_t rounds_of(takt_duration_t ticks) {
    const uint64_t rounds =
        ticks / ROUND_NS * TAKT_BOARD_TICK_NS + ticks % ROUND_NS * TAKT_BOARD_TICK_NS / ROUND_NS;
    return rounds > ROUNDS_AROUND ? rounds - ROUNDS_AROUND : 1u;
}

/* Subtract and branch: what the compiler makes of it on both machines, if it optimises. */
static void execute(uint32_t rounds) {
    do {
        __asm volatile("" : "+r"(rounds));
    } while (--rounds != 0);
}

void takt_firmware_burn(takt_duration_t ticks) {
    uint64_t rounds = rounds_of(ticks);
    while (rounds > 0) {
        const uint32_t chunk = rounds < UINT32_MAX ? (uint32_t)rounds : UINT32_MAX;
        rounds -= chunk;
        execute(chunk);
    }
}

extern uint8_t takt_board_psram_start[], takt_board_psram_end[];

uint8_t *takt_firmware_memory(uint8_t **end) {
    *end = takt_board_psram_end;
    return takt_board_psram_start;
}
