/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Interface between the processor's half of the port and the board's half. Private to port/riscv/. */
#ifndef TAKT_PORT_RISCV_TRAP_H
#define TAKT_PORT_RISCV_TRAP_H

#include "kernel/port.h"

/* Target of mtvec: saves what a call may change, runs takt_port_trap on the interrupt stack, and resumes the thread
 * that takt_port_exchange names. Only interrupts return through it. */
void takt_port_trap_entry(void);

/* Handles the trap, by the board. `is_nested`: it came when the kernel had opened the lock in an interrupt. */
void takt_port_trap(bool is_nested);

/* Handles exception number `cause`, which is no interrupt. Called by the board's takt_port_trap. */
void takt_port_exception(uint32_t cause, bool is_nested);

#endif
