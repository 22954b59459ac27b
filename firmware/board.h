/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Board: the functions that main.c needs: clock, synthetic load, an interrupt at a given instant, memory. One file per
 * board in boards/. Files, text and exit are those of semihost.h.
 *
 * The constants of a board are definitions in its build recipe (build_<board>.json), which a host reads too. */
#ifndef TAKT_FIRMWARE_BOARD_H
#define TAKT_FIRMWARE_BOARD_H

#include "core/types.h"

/* Initialises clock and interrupt. Call once, before the kernel starts and before loads and interrupts. `tick_ns` is
 * from the image; a board with one clock ignores it. */
void takt_firmware_prepare(uint64_t tick_ns);

/* True if time passes whatever executes: a timer that is due has interrupted. */
extern const bool takt_firmware_time_passes;

/* Executes for `ticks`, accurate to a few instructions; may be interrupted. */
void takt_firmware_burn(takt_duration_t ticks);

/* Requests a call of takt_firmware_input in an interrupt at `instant` or before it, or as soon as possible if that is
 * past. `now` is the clock. Replaces the previous request. Call under the lock. */
void takt_firmware_announce(takt_instant_t now, takt_instant_t instant);

/* Handles inputs from outside that are due. Defined in main.c. */
void takt_firmware_input(void);

/* Returns the memory for a description, its threads and its trace, aligned to 16 bytes; writes its end to `end`. */
uint8_t *takt_firmware_memory(uint8_t **end);

#endif
