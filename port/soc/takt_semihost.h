/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The semihosting call of the chip in hardware/: parameter block and operation into two registers, the answer out of
 * the second one. On silicon no host answers, and it is -1.
 *
 * Interrupts are masked, because their handlers may call too. */
#ifndef TAKT_PORT_SOC_SEMIHOST_H
#define TAKT_PORT_SOC_SEMIHOST_H

#include <stdint.h>

/* Asks the host for `operation`. Returns what the operation answers. */
static inline uintptr_t takt_port_semihost(uintptr_t operation, const void *parameters) {
    volatile uint32_t *const door = (volatile uint32_t *)(uintptr_t)0x00102000;
    uintptr_t level;
    __asm volatile("csrrci %0, mstatus, 8" : "=r"(level) : : "memory");
    door[0] = (uint32_t)(uintptr_t)parameters;
    door[1] = (uint32_t)operation;
    const uintptr_t answer = door[1];
    __asm volatile("csrs mstatus, %0" : : "r"(level & 8u) : "memory");
    return answer;
}

#endif
