/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The port to the cores of the chip in hardware/: port/riscv, whose C files a build compiles with this header, without
 * what VexRiscv's small variants lack. They have no mscratch, no atomics, and a wfi that does nothing; in its place the
 * chip has a register that answers a read when an interrupt is pending.
 *
 * The chip's second core does not run unless a program starts it, so that the lock excludes all there is. */
#ifndef TAKT_PORT_SOC_H
#define TAKT_PORT_SOC_H

#if defined(__riscv_xlen) && __riscv_xlen != 32
#error "port/soc is for RV32"
#endif

#define TAKT_PORT_HAS_ATOMICS 0
#define TAKT_PORT_HAS_MSCRATCH 0

#define TAKT_PORT_SOC_IDLE (*(volatile uint32_t *)(uintptr_t)0x00102010)
#define TAKT_PORT_WAIT() ((void)TAKT_PORT_SOC_IDLE)

#include "port/riscv/takt_port.h"

#endif
