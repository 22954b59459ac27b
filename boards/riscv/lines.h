/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Interface between what boards with RISC-V and a CLINT have in common, clint.c, and a board. Private to boards/. */
#ifndef TAKT_BOARD_RISCV_LINES_H
#define TAKT_BOARD_RISCV_LINES_H

#include "kernel/port.h"

/* ---- of a board ------------------------------------------------------------------------------------- */

/* Lets through the lines of devices with these numbers, a bit each, and no others. Called under the lock. */
void takt_board_lines_enable(uint32_t numbers);

/* Handles the external interrupt: calls takt_board_interrupt_handle for the line that is active, if one is. */
void takt_board_line_serve(void);

/* ---- of clint.c --------------------------------------------------------------------------------------- */

/* Returns mtime, in counts. */
uint64_t takt_board_mtime(void);

/* Calls the program's handler of interrupt `number`. */
void takt_board_interrupt_handle(uint32_t number);

/* Start-up in C: clears memory, opens the lock and calls main; on the stack of main, with traps set up. */
void takt_board_begin(void);

#endif
