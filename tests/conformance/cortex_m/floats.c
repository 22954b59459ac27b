/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The registers of the floating-point unit of ARMv7-M; see tests/conformance/board.h. */
#include "kernel/port.h"
#include "tests/conformance/board.h"

#if TAKT_PORT_FPU

#define KEPT "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define ALL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15," KEPT

/* r0 is the number of the first; the numbers of the others follow. What differs is collected in r6. */
#define FILL(registers) ".irp n," registers "\n vmov s\\n, r0 \n adds r0, r0, #1 \n .endr \n"
#define COMPARE(registers) \
    ".irp n," registers    \
    "\n vmov r2, s\\n \n eors r2, r2, r0 \n orrs r6, r6, r2 \n adds r0, r0, #1 \n .endr \n"

#define BEGIN                                       \
    "push {r4-r8, lr}               \n"             \
    "vpush {s16-s31}                \n"             \
    "vmrs r8, fpscr                 \n"             \
    "mov  r5, r0                    \n"             \
    "movs r6, #0                    \n"             \
    "and  r7, r0, #3                \n"             \
    "lsl  r7, r7, #22               \n" /* RMode */ \
    "vmsr fpscr, r7                 \n"

/* Returns whether nothing differs. */
#define END                             \
    "vmrs r2, fpscr                 \n" \
    "eors r2, r2, r7                \n" \
    "and  r2, r2, #0x00C00000       \n" \
    "orrs r6, r6, r2                \n" \
    "vmsr fpscr, r8                 \n" \
    "vpop {s16-s31}                 \n" \
    "clz  r0, r6                    \n" \
    "lsrs r0, r0, #5                \n" \
    "pop  {r4-r8, pc}               \n"

__attribute__((naked)) bool board_floats_hold(uint32_t pattern) {
    (void)pattern;
    __asm volatile(BEGIN FILL(
        ALL) "movs r3, #60   \n"
             "2: subs r3, #1 \n"
             "bne 2b         \n"
             "mov  r0, r5    \n" COMPARE(ALL) END);
}

__attribute__((naked)) bool board_floats_survive(uint32_t pattern, void (*call)(void *argument),
                                                 void *argument) {
    (void)pattern;
    (void)call;
    (void)argument;
    __asm volatile(BEGIN "mov  r4, r1   \n" FILL(
        KEPT) "mov  r0, r2   \n"
              "blx  r4       \n"
              "mov  r0, r5   \n" COMPARE(KEPT) END);
}

__attribute__((naked)) void board_floats_clobber(void) {
    __asm volatile("mvn r0, #0 \n vmsr fpscr, r0 \n" FILL(ALL) "bx lr \n");
}

__attribute__((naked)) void board_floats_scratch(void) {
    __asm volatile(
        "mvn r0, #0 \n vmsr fpscr, r0 \n" FILL("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15") "bx lr \n");
}

bool board_floats_are_used(void) {
    uint32_t control;
    __asm volatile("mrs %0, control" : "=r"(control));
    return (control & 4u) != 0;
}

#endif
