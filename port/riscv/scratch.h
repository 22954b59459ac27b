/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The register mscratch, or a word in memory for cores without one, in assembly; each may change t0. Private to
 * port/riscv/ and to start-up in boards/. The word takt_port_scratch_word lies in .data, which start-up does not clear.
 * It needs no atomic exchange, because a trap uses it with interrupts masked. */
#ifndef TAKT_PORT_RISCV_SCRATCH_H
#define TAKT_PORT_RISCV_SCRATCH_H

#include "kernel/port.h"

#if TAKT_PORT_HAS_MSCRATCH

#define TAKT_PORT_SCRATCH_WRITE(from) "    csrw mscratch, " #from "\n"
#define TAKT_PORT_SCRATCH_TAKE(to) "    csrrw " #to ", mscratch, zero\n" /* and leaves 0 */

#elif __riscv_xlen == 32

#define TAKT_PORT_SCRATCH_WRITE(from)         \
    "    la   t0, takt_port_scratch_word  \n" \
    "    sw   " #from ", 0(t0)\n"
#define TAKT_PORT_SCRATCH_TAKE(to)            \
    "    la   t0, takt_port_scratch_word  \n" \
    "    lw   " #to                           \
    ", 0(t0)\n"                               \
    "    sw   zero, 0(t0)                 \n"

#else
#error "a word in memory stands for mscratch on RV32 only"
#endif

#endif
