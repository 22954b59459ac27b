/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The semihosting call of ARMv7-M: operation in r0, parameter block in r1, BKPT 0xAB.
 *
 * Source: Arm, "Semihosting for AArch32 and AArch64". */
#ifndef TAKT_PORT_CORTEX_M_SEMIHOST_H
#define TAKT_PORT_CORTEX_M_SEMIHOST_H

#include <stdint.h>

/* Asks the host for `operation`. Returns what the operation answers. */
static inline uintptr_t takt_port_semihost(uintptr_t operation, const void *parameters) {
    register uintptr_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = parameters;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

#endif
