/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Context switch and trap entry of RV32, machine mode.
 *
 * Every thread that does not run has one form of saved context on its stack:
 *
 *     sp -> level, s0 - s11, ra
 *
 * Voluntary: the thread called takt_port_switch; level is 8 (open), ra leads back to its caller.
 * Preempted: the end of a trap made the same call on the thread's stack; level is 0, ra leads into the end of the
 * trap, and the frame of the trap lies right above the context. New: level is 8, ra leads to thread_start.
 *
 * A trap saves on the interrupted stack what a call may change, and mepc. Handlers and the kernel's part of an
 * interrupt run on a stack of their own, so that a thread pays for one frame and one context, never for handlers. A
 * trap that comes when the kernel opens the lock there stays on that stack: at most a handler over
 * takt_kernel_timer_expired over takt_kernel_preempt.
 *
 * Invariants: a context is resumed with MIE clear, and the level popped with it decides. Only interrupts of
 * machine mode return, so mstatus is the same for every return and is no part of a frame. */
#include "port/riscv/fpu.h"
#include "port/riscv/trap.h"

enum { OPEN = 8, CONTEXT_BYTES = 64, FRAME_BYTES = 80 };

typedef struct context {
    uint32_t level;
    uint32_t s0_entry;
    uint32_t s1_argument;
    uint32_t s2_to_s11[10];
    uint32_t ra;
    uint32_t unused[2];
} context_t;

_Static_assert(sizeof(context_t) == CONTEXT_BYTES, "the context keeps the stack aligned to 16 bytes");
_Static_assert(TAKT_OK == 0, "a switch answers 0");

/* The registers of a context that a call keeps, and those of a frame that it may change: each stored or loaded. */
/* clang-format off */
#define SAVED(operation) \
    operation " s0, 4(sp)\n"    operation " s1, 8(sp)\n"    operation " s2, 12(sp)\n"   operation " s3, 16(sp)\n" \
    operation " s4, 20(sp)\n"   operation " s5, 24(sp)\n"   operation " s6, 28(sp)\n"   operation " s7, 32(sp)\n" \
    operation " s8, 36(sp)\n"   operation " s9, 40(sp)\n"   operation " s10, 44(sp)\n"  operation " s11, 48(sp)\n" \
    operation " ra, 52(sp)\n"
#define SCRATCH(operation) \
    operation " ra, 4(sp)\n"    operation " t0, 8(sp)\n"    operation " t1, 12(sp)\n"   operation " t2, 16(sp)\n" \
    operation " t3, 20(sp)\n"   operation " t4, 24(sp)\n"   operation " t5, 28(sp)\n"   operation " t6, 32(sp)\n" \
    operation " a0, 36(sp)\n"   operation " a1, 40(sp)\n"   operation " a2, 44(sp)\n"   operation " a3, 48(sp)\n" \
    operation " a4, 52(sp)\n"   operation " a5, 56(sp)\n"   operation " a6, 60(sp)\n"   operation " a7, 64(sp)\n"
/* clang-format on */

takt_port_exchange_t takt_port_exchange;
bool takt_port_is_preemption_wanted;

__attribute__((naked)) takt_status_t takt_port_switch(struct takt_thread *from, struct takt_thread *to) {
    (void)from;
    (void)to;
    __asm volatile(
        "    li   t0, %[open]                \n"
        "    .global takt_port_switch_closed \n"
        "takt_port_switch_closed:            \n"
        TAKT_PORT_FPU_LEAVE
        "    .global takt_port_switch_core   \n"
        "takt_port_switch_core:              \n"
        "    addi sp, sp, -%[bytes]          \n"
        "    sw   t0, 0(sp)                  \n"
        SAVED("sw")
        "    sw   sp, %[offset](a0)          \n"
        "    .global takt_port_resume        \n"
        "takt_port_resume:                   \n"
        "    lw   sp, %[offset](a1)          \n"
        "    lw   t0, 0(sp)                  \n"
        SAVED("lw")
        "    li   a0, 0                      \n"
        "    addi sp, sp, %[bytes]           \n"
        "    csrs mstatus, t0                \n"
        "    ret                             \n"
        :
        : [open] "i"(OPEN), [bytes] "i"(CONTEXT_BYTES), [offset] "i"(TAKT_PORT_SP_OFFSET));
}

/* The reservation of an interrupted load-reserved is broken by a store-conditional of what stands there anyway:
 * else the thread's own would succeed over what others have stored meanwhile. */
__attribute__((naked, aligned(4))) void takt_port_trap_entry(void) {
    __asm volatile(
        "    addi sp, sp, -%[bytes]                   \n"
        SCRATCH("sw")
        "    csrr t0, mepc                            \n"
        "    sw   t0, 0(sp)                           \n"
        TAKT_PORT_FPU_TRAP
        "    csrrw t1, mscratch, zero                 \n"
        "    bnez t1, 1f                              \n"
        "    li   a0, 1                               \n"
        "    call takt_port_trap                      \n"
        "    j    2f                                  \n"
        "1:  sw   sp, -16(t1)                         \n" /* of a thread */
        "    addi sp, t1, -16                         \n"
        "    li   a0, 0                               \n"
        "    call takt_port_trap                      \n"
        "    addi t1, sp, 16                          \n"
        "    lw   sp, 0(sp)                           \n"
        "    csrw mscratch, t1                        \n"
        "    la   t1, takt_port_exchange              \n"
        "    lw   a1, 4(t1)                           \n"
        "    beqz a1, 2f                              \n"
        "    lw   a0, 0(t1)                           \n"
        "    sw   zero, 4(t1)                         \n"
        "    li   t0, 0                               \n"
        "    call takt_port_switch_closed             \n"
        "2:  li   t1, 0x1880                          \n" /* return to machine mode with MIE set */
        "    csrs mstatus, t1                         \n"
        "    lw   t0, 0(sp)                           \n"
        TAKT_PORT_FPU_RETURN
        "    csrw mepc, t0                            \n"
        "    sc.w zero, t0, (sp)                      \n"
        SCRATCH("lw")
        "    addi sp, sp, %[bytes]                    \n"
        "    mret                                     \n"
        :
        : [bytes] "i"(FRAME_BYTES), [unit] "i"(TAKT_PORT_UNIT_FRAME_BYTES));
}

_Static_assert(offsetof(takt_port_exchange_t, to) == 4, "the end of the trap reads `to`");

__attribute__((naked)) static void thread_start(void) {
    __asm volatile(
        "mv   a0, s1                    \n"
        "jalr s0                        \n"
        "j    takt_kernel_thread_returned\n");
}

/* What a thread does not find in its other registers it has not put there. */
void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument) {
    context_t *context = (context_t *)(((uintptr_t)bottom + bytes) & ~(uintptr_t)15) - 1;
    context->level = OPEN;
    context->s0_entry = (uint32_t)entry;
    context->s1_argument = (uint32_t)argument;
    context->ra = (uint32_t)&thread_start;
    return context;
}

/* What main has used of the stack stays in use; interrupts have the rest. */
__attribute__((naked)) void takt_port_start(struct takt_thread *first) {
    (void)first;
    __asm volatile(TAKT_PORT_FPU_START
                   "andi sp, sp, -16     \n"
                   "csrw mscratch, sp    \n"
                   "mv   a1, a0          \n"
                   "j    takt_port_resume\n");
}
