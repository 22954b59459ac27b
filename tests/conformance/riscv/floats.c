/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The registers of the F extension; see tests/conformance/board.h. */
#include "kernel/port.h"
#include "tests/conformance/board.h"

#if TAKT_PORT_FPU

#define SCRATCH "ft0,ft1,ft2,ft3,ft4,ft5,ft6,ft7,ft8,ft9,ft10,ft11,fa0,fa1,fa2,fa3,fa4,fa5,fa6,fa7"
#define KEPT "fs0,fs1,fs2,fs3,fs4,fs5,fs6,fs7,fs8,fs9,fs10,fs11"

/* a0 is the number of the first; the numbers of the others follow. What differs is collected in s1. */
#define FILL(registers) ".irp n," registers "\n fmv.w.x \\n, a0 \n addi a0, a0, 1 \n .endr \n"
#define COMPARE(registers)                                                              \
    ".irp n," registers                                                                 \
    "\n fmv.x.w t0, \\n \n xor t0, t0, a0 \n or s1, s1, t0 \n addi a0, a0, 1 \n .endr " \
    "\n"

#define BEGIN                                                          \
    "addi sp, sp, -80                                \n"               \
    "sw s0, 0(sp) \n sw s1, 4(sp) \n sw s2, 8(sp) \n sw ra, 12(sp) \n" \
    "frcsr t0 \n sw t0, 16(sp)                       \n"               \
    "li t1, 20 \n add t1, t1, sp                     \n"               \
    ".irp n," KEPT                                                     \
    "\n fsw \\n, 0(t1) \n addi t1, t1, 4 \n .endr \n"                  \
    "mv s0, a0 \n li s1, 0 \n andi s2, a0, 3 \n slli s2, s2, 5 \n fscsr s2 \n" /* frm: 0 .. 3 */

/* Returns whether nothing differs. */
#define END                                                               \
    "frcsr t0 \n xor t0, t0, s2 \n andi t0, t0, 0xE0 \n or s1, s1, t0 \n" \
    "lw t0, 16(sp) \n fscsr t0                       \n"                  \
    "li t1, 20 \n add t1, t1, sp                     \n"                  \
    ".irp n," KEPT                                                        \
    "\n flw \\n, 0(t1) \n addi t1, t1, 4 \n .endr \n"                     \
    "seqz a0, s1                                     \n"                  \
    "lw s0, 0(sp) \n lw s1, 4(sp) \n lw s2, 8(sp) \n lw ra, 12(sp) \n"    \
    "addi sp, sp, 80 \n ret                          \n"

__attribute__((naked)) bool board_floats_hold(uint32_t pattern) {
    (void)pattern;
    __asm volatile(BEGIN FILL(
        SCRATCH
        "," KEPT) "li t1, 60 \n"
                  "2: addi t1, t1, -1 \n"
                  "bnez t1, 2b \n"
                  "mv a0, s0 \n" COMPARE(SCRATCH "," KEPT) END);
}

__attribute__((naked)) bool board_floats_survive(uint32_t pattern, void (*call)(void *argument),
                                                 void *argument) {
    (void)pattern;
    (void)call;
    (void)argument;
    __asm volatile(BEGIN FILL(
        KEPT) "mv a0, a2 \n"
              "jalr a1 \n"
              "mv a0, s0 \n" COMPARE(KEPT) END);
}

__attribute__((naked)) void board_floats_clobber(void) {
    __asm volatile("li a0, -1 \n fscsr a0 \n" FILL(SCRATCH "," KEPT) "ret \n");
}

__attribute__((naked)) void board_floats_scratch(void) {
    __asm volatile("li a0, -1 \n fscsr a0 \n" FILL(SCRATCH) "ret \n");
}

bool board_floats_are_used(void) {
    uint32_t status;
    __asm volatile("csrr %0, mstatus" : "=r"(status));
    return (status & 0x4000u) != 0;
}

#endif
