/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A Linux process as a board; see board.h.
 *
 * In virtual time a load takes exactly its ticks, and an interrupt comes exactly at its instant. So a run equals the
 * simulation, and repeats. In real time a load is processor time, and an interrupt comes when Linux lets it.
 *
 * When not to use it: in real time for bounds on responses. */
#include "port/posix/posix.h"

#include "firmware/board.h"

enum { INPUT_INTERRUPT = 0, MEMORY_BYTES = 1 << 29 };

/* Untouched pages take no memory. */
static _Alignas(16) uint8_t memory[MEMORY_BYTES];

const bool takt_firmware_time_passes = false;

void takt_firmware_prepare(uint64_t tick_ns) {
    if (tick_ns != 0) {
        (void)takt_posix_use_real_time(tick_ns);
    }
    takt_posix_interrupt_enable(INPUT_INTERRUPT, takt_firmware_input);
}

void takt_firmware_announce(takt_instant_t now, takt_instant_t instant) {
    (void)now;
    takt_posix_interrupt_announce(INPUT_INTERRUPT, instant);
}

void takt_firmware_burn(takt_duration_t ticks) { takt_port_work(ticks); }

uint8_t *takt_firmware_memory(uint8_t **end) {
    *end = memory + sizeof memory;
    return memory;
}
