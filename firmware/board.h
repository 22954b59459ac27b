/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a board supplies to the program of task sets, main.c: a clock, synthetic load, an interrupt at a given instant, memory. One
 * file per board in boards/. Files, text and the end of the program are those of semihost.h.
 *
 * The constants of a board are definitions that a host reads too: its build recipe has them (build_<board>.json). */
#ifndef TAKT_FIRMWARE_BOARD_H
#define TAKT_FIRMWARE_BOARD_H

#include "core/types.h"

/* Makes clock and interrupt ready. Once, before the kernel starts and before loads and interrupts. `tick_ns` is that of the image: a board
 * with one clock does not look at it. */
void takt_firmware_prepare(uint64_t tick_ns);

/* Executes for `ticks`, to within a few instructions; may be interrupted. */
void takt_firmware_burn(takt_duration_t ticks);

/* Calls takt_firmware_input in an interrupt at `instant`, or before it, or as soon as possible if it has passed; `now` is the
 * clock. Replaces the earlier instant. Under the lock. */
void takt_firmware_announce(takt_instant_t now, takt_instant_t instant);

/* What comes from outside is due: main.c's. */
void takt_firmware_input(void);

/* The memory for a description, its threads and its trace, aligned to 16 bytes; up to `end`. */
uint8_t *takt_firmware_memory(uint8_t **end);

#endif
