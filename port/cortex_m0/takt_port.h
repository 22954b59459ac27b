/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The inline part of the port to ARMv6-M: Cortex-M0, Cortex-M0+ and Cortex-M1. Included by kernel/port.h, which has the
 * contract.
 *
 * Lock: PRIMASK. Every interrupt is masked by it, and every interrupt may call the kernel; NMI and HardFault may not. */
#ifndef TAKT_PORT_CORTEX_M0_H
#define TAKT_PORT_CORTEX_M0_H

#if !defined(__ARM_ARCH_6M__)
#error "this port is for ARMv6-M: port/cortex_m is for ARMv7-M and ARMv8-M Main"
#endif

typedef uint32_t takt_port_level_t;

enum {
    TAKT_PORT_KERNEL_LEVEL = 0x40, /* of interrupts that call the kernel: any would do */
    TAKT_PORT_LOCKED = 1,
    TAKT_PORT_SP_OFFSET = 40,
    /* The hardware's frame, that of PendSV, the context, and a call or two. */
    TAKT_PORT_STACK_BYTES_MIN = 192,
    TAKT_PORT_STACK_BYTES_FPU = 0,
};

TAKT_INLINE takt_port_level_t takt_port_lock(void) {
    takt_port_level_t level;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(level) : : "memory");
    return level;
}

TAKT_INLINE void takt_port_unlock(takt_port_level_t level) {
    __asm volatile("msr primask, %0" : : "r"(level) : "memory");
}

TAKT_INLINE void takt_port_close(void) { __asm volatile("cpsid i" : : : "memory"); }

TAKT_INLINE takt_status_t takt_port_open(void) {
    __asm volatile("cpsie i" : : : "memory");
    return TAKT_OK;
}

TAKT_INLINE void takt_port_breathe(void) {
    /* Only a context synchronisation guarantees that a pending interrupt is taken before the lock. */
    __asm volatile("cpsie i\n\tisb\n\tcpsid i" : : : "memory");
}

/* By the number of the exception: those before SVC, 11, are NMI and HardFault, which PRIMASK does not mask. */
TAKT_INLINE bool takt_port_is_kernel_isr(void) {
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception >= 11u;
}

TAKT_INLINE bool takt_port_is_open(void) {
    uint32_t exception;
    uint32_t level;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    __asm volatile("mrs %0, primask" : "=r"(level));
    return (exception | level) == 0;
}

/* The frame that the processor pops on exception return. */
typedef struct takt_port_frame {
    uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
} takt_port_frame_t;

/* These processors have no limits of stacks. */
TAKT_INLINE void takt_port_limit_check(const takt_port_frame_t *frame) { (void)frame; }

/* The handler of PendSV. */
void takt_port_pendsv_handler(void);

/* These processors have no floating-point unit. */
TAKT_INLINE void takt_port_fpu_begin(void) {}

#include "port/cortex_m/exception.h"

/* The board's clock and timer, inline as all of this. */
#include <takt_board_clock.h>

#endif
