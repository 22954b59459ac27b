/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The fault handler: ARMv6-M has one fault, HardFault, and no register that says what it was.
 *
 * Source: ARMv6-M Architecture Reference Manual (DDI 0419), B1.5.6 and B1.5.8. */
#include "kernel/port.h"

#if TAKT_FAULTS

enum { HARD_FAULT = 3, EXC_RETURN_THREAD = 1 << 3 };

void takt_port_memory_fault(void);

__attribute__((used)) static void report(const takt_port_frame_t *frame, uint32_t exc_return) {
    takt_fault_t fault = {
        .cause = HARD_FAULT,
        .pc = frame->pc,
        .is_in_isr = (exc_return & EXC_RETURN_THREAD) == 0,
    };
    takt_kernel_faulted(&fault, frame);
}

/* The frame is on the stack that was in use. */
__attribute__((naked)) void takt_port_memory_fault(void) {
    __asm volatile(
        ".syntax unified\n"
        "mov   r1, lr   \n"
        "mrs   r0, msp  \n"
        "movs  r2, #4   \n"
        "tst   r1, r2   \n"
        "beq   1f       \n"
        "mrs   r0, psp  \n"
        "1:             \n"
        "ldr   r2, =%c[next]\n"
        "bx    r2       \n"
        ".ltorg         \n"
        :
        : [next] "i"(report));
}

#endif
