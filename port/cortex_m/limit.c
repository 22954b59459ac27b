/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Stack limits of ARMv8-M as guards, and their fault; see guard.h. */
#include "port/cortex_m/guard.h"

#if TAKT_PORT_GUARDS && TAKT_PORT_LIMITS

#define SHCSR (*(volatile uint32_t *)UINT32_C(0xE000ED24))
#define CFSR (*(const volatile uint32_t *)UINT32_C(0xE000ED28))

enum { SHCSR_USGFAULTENA = 1 << 18, CFSR_STKOF = 1 << 20 };

/* Threads have the process stack pointer, which main does not use: the limit may stand before it is loaded. */
void takt_port_guard_begin(struct takt_thread *first) {
    const uint32_t stack = *(const uint32_t *)(const void *)((const char *)first + TAKT_PORT_STACK_OFFSET);
    __asm volatile("msr psplim, %0" : : "r"(stack + 7u));
    SHCSR |= (uint32_t)SHCSR_USGFAULTENA;
    __asm volatile("dsb\n\tisb" : : : "memory");
}

void takt_port_limit_hit(void) {
    uint32_t limit;
    __asm volatile("mrs %0, psplim" : "=r"(limit));
    takt_kernel_guard_hit((const void *)limit);
    takt_port_fault();
}

void takt_port_guard_fault(void) {
    if ((CFSR & CFSR_STKOF) != 0) {
        takt_port_limit_hit();
    }
}

#endif
