/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Switches of threads that use the F extension; see fpu.h. */
#include "port/riscv/fpu.h"

#if TAKT_PORT_FPU

/* clang-format off */
#define SAVED(operation) \
    operation " fs0, 0(sp)\n"   operation " fs1, 4(sp)\n"   operation " fs2, 8(sp)\n"   operation " fs3, 12(sp)\n" \
    operation " fs4, 16(sp)\n"  operation " fs5, 20(sp)\n"  operation " fs6, 24(sp)\n"  operation " fs7, 28(sp)\n" \
    operation " fs8, 32(sp)\n"  operation " fs9, 36(sp)\n"  operation " fs10, 40(sp)\n" operation " fs11, 44(sp)\n"
/* clang-format on */

void takt_port_fpu_leave(void);

/* Saves fs0 - fs11 and fcsr of the calling thread, switches with the level in t0, and restores them. */
__attribute__((naked)) void takt_port_fpu_leave(void) {
    __asm volatile(
        "addi sp, sp, -%[bytes]          \n"
        SAVED("fsw")
        "frcsr t1                        \n"
        "sw   t1, 48(sp)                 \n"
        "sw   ra, 52(sp)                 \n"
        "fscsr zero                      \n"
        "li   t1, 0x4000                 \n" /* dirty becomes initial */
        "csrc mstatus, t1                \n"
        "call takt_port_switch_core      \n"
        SAVED("flw")
        "lw   t1, 48(sp)                 \n"
        "lw   ra, 52(sp)                 \n"
        "fscsr t1                        \n"
        "addi sp, sp, %[bytes]           \n"
        "ret                             \n"
        :
        : [bytes] "i"(TAKT_PORT_UNIT_CONTEXT_BYTES));
}

#endif
