/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The fault handler: a hit of the guard, else a fault that is reported with its thread.
 *
 * Source: ARMv7-M Architecture Reference Manual (DDI 0403E), B1.5.6, B1.5.8 and B3.2.15. */
#include "port/cortex_m/guard.h"

#if TAKT_FAULTS

#define CFSR (*(const volatile uint32_t *)UINT32_C(0xE000ED28))
#define MMFAR (*(const volatile uint32_t *)UINT32_C(0xE000ED34))
#define BFAR (*(const volatile uint32_t *)UINT32_C(0xE000ED38))

enum {
    CFSR_MMARVALID = 1 << 7,
    CFSR_BFARVALID = 1 << 15,
    CFSR_STACKING = 1 << 4 | 1 << 12 | 1 << 20, /* MSTKERR, STKERR, STKOF: the frame is not there */
    EXC_RETURN_THREAD = 1 << 3,
};

static uint32_t address_of(uint32_t status) {
    if ((status & CFSR_MMARVALID) != 0) {
        return MMFAR;
    }
    return (status & CFSR_BFARVALID) != 0 ? BFAR : 0u;
}

__attribute__((used)) static void report(const takt_port_frame_t *frame, uint32_t exc_return) {
    takt_port_guard_fault();
    const uint32_t status = CFSR;
    takt_fault_t fault = {
        .cause = status,
        .pc = (status & CFSR_STACKING) == 0 ? frame->pc : 0u,
        .address = address_of(status),
        .is_in_isr = (exc_return & EXC_RETURN_THREAD) == 0,
    };
    takt_kernel_faulted(&fault, frame);
}

/* The frame is on the stack that was in use. */
__attribute__((naked)) void takt_port_memory_fault(void) {
    __asm volatile(
        "tst   lr, #4   \n"
        "ite   eq       \n"
        "mrseq r0, msp  \n"
        "mrsne r0, psp  \n"
        "mov   r1, lr   \n"
        "b     %c[next] \n"
        :
        : [next] "i"(report));
}

#elif TAKT_PORT_GUARDS

void takt_port_memory_fault(void) {
    takt_port_guard_fault();
    takt_port_fault();
}

#endif
