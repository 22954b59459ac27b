/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The inline part of the port to ARMv7-M and ARMv8-M with the Main extension: Cortex-M3, and Cortex-M4, Cortex-M7 and
 * Cortex-M33 built with or without their floating-point unit. Included by kernel/port.h, which has the contract.
 *
 * Lock: BASEPRI. Interrupts of priority TAKT_PORT_KERNEL_LEVEL and numerically above may call the
 * kernel and are masked by the lock; the more urgent ones are never delayed and may not call it.
 * Cortex-M7 r0p1 has an erratum (837070) of MSR BASEPRI: that revision is not supported. */
#ifndef TAKT_PORT_CORTEX_M_H
#define TAKT_PORT_CORTEX_M_H

#if !defined(__ARM_ARCH_7M__) && !defined(__ARM_ARCH_7EM__) && !defined(__ARM_ARCH_8M_MAIN__)
#error "this port is for ARMv7-M and ARMv8-M Main: port/cortex_m0 is for ARMv6-M"
#endif
#if defined(__ARM_FEATURE_MVE)
#error "this port does not save the vector predicate of MVE: build without it"
#endif

/* 1: threads may use the floating-point unit; see fpu.h. Kernel and port themselves are compiled with
 * -mgeneral-regs-only, else every thread that calls them uses it. */
#if defined(__ARM_FP)
#define TAKT_PORT_FPU 1
#else
#define TAKT_PORT_FPU 0
#endif

typedef uint32_t takt_port_level_t;

/* 1: the processor has stack limits, which are the guards then; they need no memory. */
#if defined(__ARM_ARCH_8M_MAIN__)
#define TAKT_PORT_LIMITS 1
#else
#define TAKT_PORT_LIMITS 0
#endif

/* Guards: see guard.h. The frame of a thread that computes has 104 bytes, and its lowest part must not lie
 * below the guard. */
#define TAKT_PORT_GUARDS TAKT_GUARD
#ifndef TAKT_PORT_GUARD_BYTES
#define TAKT_PORT_GUARD_BYTES (TAKT_PORT_FPU ? 128 : 32)
#endif

enum {
    TAKT_PORT_KERNEL_LEVEL = 0x40, /* with two priority bits or more: at least one level is above it */
    TAKT_PORT_LOCKED = TAKT_PORT_KERNEL_LEVEL, /* the level of a closed lock */
    TAKT_PORT_SP_OFFSET = 40,
    /* The guard and what aligns it; above that the hardware's frame, the entry frame, the context, and a call or
     * two. */
    TAKT_PORT_GUARD_LOSS = (TAKT_PORT_GUARDS) == 0 ? 0
                           : TAKT_PORT_LIMITS      ? 8
                                                   : 2 * (TAKT_PORT_GUARD_BYTES)-8,
    TAKT_PORT_STACK_BYTES_MIN = 192 + TAKT_PORT_GUARD_LOSS,
    /* What a thread that uses the floating-point unit has besides: s0 to s15 and fpscr in its frame, s16 to s31. */
    TAKT_PORT_STACK_BYTES_FPU = TAKT_PORT_FPU ? 72 + 72 : 0,
};

TAKT_INLINE takt_port_level_t takt_port_lock(void) {
    takt_port_level_t level;
    __asm volatile("mrs %0, basepri" : "=r"(level));
    /* basepri_max only raises: an outer, stricter lock stays in force. */
    __asm volatile("msr basepri_max, %0" : : "r"(TAKT_PORT_KERNEL_LEVEL) : "memory");
    return level;
}

TAKT_INLINE void takt_port_unlock(takt_port_level_t level) {
    __asm volatile("msr basepri, %0" : : "r"(level) : "memory");
}

TAKT_INLINE void takt_port_close(void) {
    __asm volatile("msr basepri, %0" : : "r"(TAKT_PORT_KERNEL_LEVEL) : "memory");
}

TAKT_INLINE takt_status_t takt_port_open(void) {
    takt_status_t level; /* that of an open lock is TAKT_OK */
    __asm volatile("movs %0, #0\n\tmsr basepri, %0" : "=l"(level) : : "cc", "memory");
    return level;
}

TAKT_INLINE void takt_port_breathe(void) {
    (void)takt_port_open();
    /* Only a context synchronisation guarantees that a pending interrupt is taken before the lock. */
    __asm volatile("isb" : : : "memory");
    takt_port_close();
}

/* By the priority of the active exception, which is read where the processor keeps it. A fault, NMI, and an interrupt
 * that has kept NVIC's reset value, 0, are above the lock. */
bool takt_port_is_kernel_isr(void);

TAKT_INLINE bool takt_port_is_open(void) {
    uint32_t exception;
    uint32_t level;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    __asm volatile("mrs %0, basepri" : "=r"(level));
    return (exception | level) == 0;
}

/* The frame that the processor pops on exception return. */
typedef struct takt_port_frame {
    uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
} takt_port_frame_t;

/* Calls takt_port_limit_hit if the running thread's stack ends above `frame`: stores of handlers ask no limit. */
#if TAKT_PORT_GUARDS && TAKT_PORT_LIMITS
void takt_port_limit_hit(void);
TAKT_INLINE void takt_port_limit_check(const takt_port_frame_t *frame) {
    uint32_t limit;
    __asm volatile("mrs %0, psplim" : "=r"(limit));
    if ((uint32_t)frame < limit) {
        takt_port_limit_hit();
    }
}
#else
TAKT_INLINE void takt_port_limit_check(const takt_port_frame_t *frame) { (void)frame; }
#endif

/* The handler of PendSV. */
#if TAKT_PORT_FPU
void takt_port_pendsv_handler(void);
#else
#define takt_port_pendsv_handler takt_kernel_preempt
#endif

#define TAKT_PORT_CPACR (*(volatile uint32_t *)UINT32_C(0xE000ED88))
#define TAKT_PORT_FPCCR (*(volatile uint32_t *)UINT32_C(0xE000EF34))

/* Switches the floating-point unit on, with lazy stacking, if there is one. A board calls it before all else. */
TAKT_INLINE void takt_port_fpu_begin(void) {
    if (TAKT_PORT_FPU) {
        TAKT_PORT_CPACR |= UINT32_C(0xF) << 20;
        TAKT_PORT_FPCCR |= UINT32_C(3) << 30; /* ASPEN, LSPEN */
        __asm volatile("dsb\n\tisb" : : : "memory");
    }
}

#include "port/cortex_m/exception.h"

/* The board's clock and timer, inline as all of this. */
#include <takt_board_clock.h>

#endif
