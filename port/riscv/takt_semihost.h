/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The semihosting call of RISC-V: operation in a0, parameter block in a1, an ebreak between two shifts into nothing.
 *
 * The three instructions have 32 bits each and lie in one page, so that a host can read them.
 * Source: RISC-V Semihosting, version 0.3, section 2. */
#ifndef TAKT_PORT_RISCV_SEMIHOST_H
#define TAKT_PORT_RISCV_SEMIHOST_H

#include <stdint.h>

/* Asks the host for `operation`. Returns what the operation answers. */
static inline uintptr_t takt_port_semihost(uintptr_t operation, const void *parameters) {
    register uintptr_t a0 __asm("a0") = operation;
    register const void *a1 __asm("a1") = parameters;
    __asm volatile(
        "    .option push         \n"
        "    .option norvc        \n"
        "    .balign 16           \n"
        "    slli zero, zero, 0x1f\n"
        "    ebreak               \n"
        "    srai zero, zero, 7   \n"
        "    .option pop          \n"
        : "+r"(a0)
        : "r"(a1)
        : "memory");
    return a0;
}

#endif
