/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The floating-point registers of the F extension in a context. Private to port/riscv/.
 *
 * mstatus.FS says whether the running code has changed them since FS was 1 (initial): 3 (dirty). A thread that has not
 * pays three instructions in a switch and eight in an interrupt. One that has:
 *
 *     voluntary:  context, fs0 - fs11, fcsr, ra           the context's ra leads behind the call in takt_port_fpu_leave
 *     trap:       1, ft0 - ft11, fa0 - fa7, fcsr, frame   1 is no mepc, and so says that they lie there
 *
 * Invariant: what is resumed begins with FS initial and fcsr 0, and code at the place where it continues makes it dirty
 * for those that had it so. A trap leaves FS dirty, so a switch at its end saves fs0 to fs11.
 *
 * Source: RISC-V Instruction Set Manual, volume II, Machine-Level ISA 1.12, 3.1.6.6. */
#ifndef TAKT_PORT_RISCV_FPU_H
#define TAKT_PORT_RISCV_FPU_H

#include "kernel/port.h"

#if TAKT_PORT_FPU

/* Bit 14 of mstatus is set when FS is dirty; only these two states of FS are used. */

/* At the begin of a switch; changes t1. */
#define TAKT_PORT_FPU_LEAVE                       \
    "    csrr t1, mstatus                     \n" \
    "    slli t1, t1, 17                      \n" \
    "    bltz t1, takt_port_fpu_leave         \n"

/* When a trap has saved its frame: saves what handlers may change. */
#define TAKT_PORT_FPU_TRAP \
    "    csrr t0, mstatus                     \n" \
    "    slli t0, t0, 17                      \n" \
    "    bgez t0, 3f                          \n" \
    "    addi sp, sp, -%[unit]                \n" \
    "    li   t0, 1                           \n" \
    "    sw   t0, 0(sp)                       \n" \
    "    frcsr t0                             \n" \
    "    sw   t0, 4(sp)                       \n" \
    TAKT_PORT_FPU_SCRATCH("fsw")                 \
    "    fscsr zero                           \n" \
    "3:                                       \n"

/* Before a trap loads its frame; t0 is the word at sp. Handlers that compute leave no trace. */
#define TAKT_PORT_FPU_RETURN \
    "    andi t1, t0, 1                       \n" \
    "    bnez t1, 4f                          \n" \
    "    fscsr zero                           \n" \
    "    li   t1, 0x4000                      \n" \
    "    csrc mstatus, t1                     \n" \
    "    j    5f                              \n" \
    "4:  lw   t0, 4(sp)                       \n" \
    TAKT_PORT_FPU_SCRATCH("flw")                 \
    "    fscsr t0                             \n" \
    "    addi sp, sp, %[unit]                 \n" \
    "    lw   t0, 0(sp)                       \n" \
    "5:                                       \n"

/* Before the first thread. */
#define TAKT_PORT_FPU_START                       \
    "    fscsr zero                           \n" \
    "    li   t0, 0x4000                      \n" \
    "    csrc mstatus, t0                     \n"

/* clang-format off */
#define TAKT_PORT_FPU_SCRATCH(operation) \
    operation " ft0, 8(sp)\n"    operation " ft1, 12(sp)\n"   operation " ft2, 16(sp)\n"  operation " ft3, 20(sp)\n" \
    operation " ft4, 24(sp)\n"   operation " ft5, 28(sp)\n"   operation " ft6, 32(sp)\n"  operation " ft7, 36(sp)\n" \
    operation " ft8, 40(sp)\n"   operation " ft9, 44(sp)\n"   operation " ft10, 48(sp)\n" operation " ft11, 52(sp)\n" \
    operation " fa0, 56(sp)\n"   operation " fa1, 60(sp)\n"   operation " fa2, 64(sp)\n"  operation " fa3, 68(sp)\n" \
    operation " fa4, 72(sp)\n"   operation " fa5, 76(sp)\n"   operation " fa6, 80(sp)\n"  operation " fa7, 84(sp)\n"
/* clang-format on */

#else

#define TAKT_PORT_FPU_LEAVE
#define TAKT_PORT_FPU_TRAP
#define TAKT_PORT_FPU_RETURN
#define TAKT_PORT_FPU_START

#endif

#endif
