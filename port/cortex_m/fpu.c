/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Switches of threads that use the floating-point unit; see fpu.h. */
#include "port/cortex_m/fpu.h"
#include "port/cortex_m/guard.h"

#if TAKT_PORT_FPU

__attribute__((naked)) void takt_port_fpu_leave(void) {
    __asm volatile(
        "vmrs r3, fpscr              \n"
        "push {r3, lr}               \n"
        "vpush {s16-s31}             \n"
        "movs r3, #2                 \n" /* privileged, PSP, FPCA clear */
        "msr  control, r3            \n"
        "isb                         \n"
        "bl   takt_port_exchange_core\n"
        "vpop {s16-s31}              \n" /* sets FPCA */
        "pop  {r3, lr}               \n"
        "vmsr fpscr, r3              \n"
        "bx   lr                     \n");
}

__attribute__((naked)) void takt_port_fpu_resume_preempted(void) {
    __asm volatile(
        "movs r0, #0\n"
        "svc  0     \n");
}

/* What takt_port_preempt has put above the interrupted frame, r0, becomes that frame's again below s16 - s31; the first
 * of these to be stored lets the processor stack s0 - s15. */
__attribute__((naked)) void takt_port_pendsv_handler(void) {
    __asm volatile(
        "tst  lr, #0x10              \n" /* a frame without the unit's registers */
        "bne  takt_kernel_preempt    \n"
        "mrs  r0, psp                \n"
        "push {r0, lr}               \n"
        "bl   takt_kernel_preempt    \n"
        "pop  {r1, lr}               \n"
        "mrs  r0, psp                \n"
        "cmp  r0, r1                 \n"
        "beq  1f                     \n" /* the thread goes on */
        TAKT_PORT_LIMIT_CHECK
        "ldrd r2, r3, [r0]           \n" /* to, from */
        "vstmdb r1!, {s16-s31}       \n"
        "strd r2, r3, [r1, #-32]!    \n"
        "movs r2, %[level]           \n"
        "str  r2, [r1, #8]           \n"
        "movw r2, #:lower16:takt_port_fpu_resume_preempted\n"
        "movt r2, #:upper16:takt_port_fpu_resume_preempted\n"
        "movw r3, #:lower16:takt_port_exchange\n"
        "movt r3, #:upper16:takt_port_exchange\n"
        "bic  r3, r3, #1             \n"
        "strd r2, r3, [r1, #20]      \n" /* lr, pc */
        "mov  r2, #0x01000000        \n" /* Thumb */
        "str  r2, [r1, #28]          \n"
        "msr  psp, r1                \n"
        "orr  lr, lr, #0x10          \n" /* the frame that is popped has 32 bytes */
        "1:                          \n"
        "bx   lr                     \n"
        :
        : [level] "i"(TAKT_PORT_KERNEL_LEVEL));
}

#endif
