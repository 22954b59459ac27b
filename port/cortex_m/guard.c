/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The MPU's part of the guard, and its fault; see guard.h. */
#include "port/cortex_m/guard.h"

#if TAKT_PORT_GUARDS && !TAKT_PORT_LIMITS

#define SHCSR (*(volatile uint32_t *)UINT32_C(0xE000ED24))
#define CFSR (*(const volatile uint32_t *)UINT32_C(0xE000ED28))
#define MMFAR (*(const volatile uint32_t *)UINT32_C(0xE000ED34))
#define MPU_CTRL (*(volatile uint32_t *)UINT32_C(0xE000ED94))
#define MPU_RNR (*(volatile uint32_t *)UINT32_C(0xE000ED98))
#define MPU_RBAR (*(volatile uint32_t *)UINT32_C(0xE000ED9C))
#define MPU_RASR (*(volatile uint32_t *)UINT32_C(0xE000EDA0))

enum {
    SHCSR_MEMFAULTENA = 1 << 16,
    CFSR_MSTKERR = 1 << 4,   /* an exception's frame */
    CFSR_MMARVALID = 1 << 7, /* MMFAR is the address */
    CTRL_ENABLE = 1 << 0,
    CTRL_PRIVDEFENA = 1 << 2,
    RASR_ENABLE = 1 << 0,
    RASR_SIZE = (TAKT_PORT_GUARD_BITS - 1) << 1,
    RASR_CACHED = 1 << 19 | 1 << 17 | 1 << 16, /* TEX 1, C, B: as memory is without a region */
    RASR_READ_ONLY = 5 << 24,                  /* for privileged code, nothing for other */
    RASR_NO_EXECUTION = 1 << 28,
};

/* ---- set-up -------------------------------------------------------------------------------------- */

static uint32_t guard_of(const struct takt_thread *thread) {
    const uint32_t stack = *(const uint32_t *)(const void *)((const char *)thread + TAKT_PORT_STACK_OFFSET);
    return (stack + TAKT_PORT_GUARD_BYTES - 1u) & ~(TAKT_PORT_GUARD_BYTES - 1u);
}

void takt_port_guard_begin(struct takt_thread *first) {
    MPU_RBAR = guard_of(first) | (uint32_t)TAKT_PORT_GUARD_SELECT;
    MPU_RASR =
        (uint32_t)(RASR_NO_EXECUTION | RASR_READ_ONLY | RASR_CACHED) | (uint32_t)(RASR_SIZE | RASR_ENABLE);
    SHCSR |= (uint32_t)SHCSR_MEMFAULTENA;
    if ((MPU_CTRL & CTRL_ENABLE) == 0) {
        MPU_CTRL = CTRL_PRIVDEFENA | CTRL_ENABLE;
    }
    __asm volatile("dsb\n\tisb" : : : "memory");
}

/* ---- fault --------------------------------------------------------------------------------------- */

/* True if the exception frame at the thread's moved stack pointer overlaps the guard. */
static bool is_frame_over(uint32_t guard) {
    uint32_t frame;
    __asm volatile("mrs %0, psp" : "=r"(frame));
    return frame < guard + TAKT_PORT_GUARD_BYTES && frame + sizeof(takt_port_frame_t) > guard;
}

/* One fault may be both: a write, and the frame of its exception. */
static bool is_hit(uint32_t guard) {
    const uint32_t status = CFSR;
    const bool is_written = (status & CFSR_MMARVALID) != 0 && MMFAR - guard < TAKT_PORT_GUARD_BYTES;
    return is_written || ((status & CFSR_MSTKERR) != 0 && is_frame_over(guard));
}

void takt_port_guard_fault(void) {
    MPU_RNR = TAKT_PORT_GUARD_REGION;
    const uint32_t guard = MPU_RBAR & ~(TAKT_PORT_GUARD_BYTES - 1u);
    if (is_hit(guard)) {
        takt_kernel_guard_hit((const void *)guard);
    }
}

#endif
