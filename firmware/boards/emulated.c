/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Emulated boards; see board.h: the board's alarm, and the memory that it leaves to programs. takt_board.h is
 * found in the board's folder, and load.c has the load.
 *
 * When not to use it: for cycles of silicon. */
#include "firmware/board.h"
#include "firmware/load.h"

#include <takt_board.h>

/* What main.c executes around a load: it stands for the job, so the load is shorter. 54 instructions of 64 ns under
 * QEMU; a board where it takes another time has it as TAKT_BOARD_AROUND_NS. */
#ifndef TAKT_BOARD_AROUND_NS
#define TAKT_BOARD_AROUND_NS (54 * 64)
#endif
enum { AROUND_TICKS = TAKT_BOARD_AROUND_NS / TAKT_BOARD_TICK_NS };

const bool takt_firmware_time_passes = true;

/* Its clock starts with the kernel. */
void takt_firmware_prepare(uint64_t tick_ns) { (void)tick_ns; }

void takt_firmware_announce(takt_instant_t now, takt_instant_t instant) {
    takt_board_alarm_once(instant > now ? instant - now : 1u);
}

void TAKT_BOARD_ALARM_HANDLER(void) {
    takt_board_alarm_served();
    takt_firmware_input();
}

void takt_firmware_burn(takt_duration_t ticks) {
    takt_port_work(ticks > AROUND_TICKS ? ticks - AROUND_TICKS : 0);
}

extern uint8_t takt_board_psram_start[], takt_board_psram_end[];

uint8_t *takt_firmware_memory(uint8_t **end) {
    *end = takt_board_psram_end;
    return takt_board_psram_start;
}
