/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The boards of QEMU, at 64 ns for an instruction. A release and a completion, both with a switch, were seen to take
 * 28 us together on mps2-an385, and 70 us on virt. Interrupts are masked longest while the stack of a
 * new thread is painted. None of this is a bound for silicon. */
#include <takt_board.h>

#include "admission.h"

const takt_overheads_t admission_costs = {
    .release = 60,
    .context_switch = 20,
    .tick = 60,
    .tick_period = ADMISSION_LINE_US,
};
const takt_duration_t admission_masked = 300;
const takt_duration_t admission_ticks = 1000 / TAKT_BOARD_TICK_NS;
