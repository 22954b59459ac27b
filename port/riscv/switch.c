/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Context switch and trap entry of RV32 and RV64, machine mode.
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
#include "port/riscv/scratch.h"
#include "port/riscv/trap.h"

/* Words of the machine on a stack; both numbers keep it aligned to 16 bytes. */
enum { OPEN = 8, CONTEXT_BYTES = 16 * sizeof(uintptr_t), FRAME_BYTES = sizeof(uintptr_t) == 4 ? 80 : 144 };

typedef struct context {
    uintptr_t level;
    uintptr_t s0_entry;
    uintptr_t s1_argument;
    uintptr_t s2_to_s11[10];
    uintptr_t ra;
    uintptr_t unused[2];
} context_t;

_Static_assert(sizeof(context_t) == CONTEXT_BYTES, "a context has the bytes that a switch reserves");
_Static_assert(TAKT_OK == 0, "a switch answers 0");

/* A word of the machine: its store, its load, and the place of number `n` from the stack pointer or another register. */
#if __riscv_xlen == 64
#define STORE "    sd  "
#define LOAD "    ld  "
#define WORD "8"
#else
#define STORE "    sw  "
#define LOAD "    lw  "
#define WORD "4"
#endif
#define AT_OF(n, base) #n " * " WORD "(" #base ")\n"
#define AT(n) AT_OF(n, sp)

/* The registers of a context that a call keeps, and those of a frame that it may change: each stored or loaded. */
/* clang-format off */
#define SAVED(operation) \
    operation " s0, " AT(1)    operation " s1, " AT(2)    operation " s2, " AT(3)   operation " s3, " AT(4) \
    operation " s4, " AT(5)   operation " s5, " AT(6)   operation " s6, " AT(7)   operation " s7, " AT(8) \
    operation " s8, " AT(9)   operation " s9, " AT(10)   operation " s10, " AT(11)  operation " s11, " AT(12) \
    operation " ra, " AT(13)
#define SCRATCH(operation) \
    operation " ra, " AT(1)    operation " t0, " AT(2)    operation " t1, " AT(3)   operation " t2, " AT(4) \
    operation " t3, " AT(5)   operation " t4, " AT(6)   operation " t5, " AT(7)   operation " t6, " AT(8) \
    operation " a0, " AT(9)   operation " a1, " AT(10)   operation " a2, " AT(11)   operation " a3, " AT(12) \
    operation " a4, " AT(13)   operation " a5, " AT(14)   operation " a6, " AT(15)   operation " a7, " AT(16)
/* clang-format on */

#if TAKT_PORT_HAS_ATOMICS
#define BREAK_RESERVATION "    sc.w zero, t0, (sp)                      \n"
#else
#define BREAK_RESERVATION
#endif

#if !TAKT_PORT_HAS_MSCRATCH
__attribute__((section(".data"))) volatile uintptr_t takt_port_scratch_word;
#endif

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
        STORE " t0, 0(sp)\n"
        SAVED(STORE)
        STORE " sp, %[offset](a0)\n"
        "    .global takt_port_resume        \n"
        "takt_port_resume:                   \n"
        LOAD " sp, %[offset](a1)\n"
        LOAD " t0, 0(sp)\n"
        SAVED(LOAD)
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
        SCRATCH(STORE)
        "    csrr t0, mepc                            \n"
        STORE " t0, 0(sp)\n"
        TAKT_PORT_FPU_TRAP
        TAKT_PORT_SCRATCH_TAKE(t1)
        "    bnez t1, 1f                              \n"
        "    li   a0, 1                               \n"
        "    call takt_port_trap                      \n"
        "    j    2f                                  \n"
        "1:                                           \n"
        STORE " sp, -16(t1)\n" /* of a thread */
        "    addi sp, t1, -16                         \n"
        "    li   a0, 0                               \n"
        "    call takt_port_trap                      \n"
        "    addi t1, sp, 16                          \n"
        LOAD " sp, 0(sp)\n"
        TAKT_PORT_SCRATCH_WRITE(t1)
        "    la   t1, takt_port_exchange              \n"
        LOAD " a1, " AT_OF(1, t1)
        "    beqz a1, 2f                              \n"
        LOAD " a0, 0(t1)\n"
        STORE " zero, " AT_OF(1, t1)
        "    li   t0, 0                               \n"
        "    call takt_port_switch_closed             \n"
        "2:  li   t1, 0x1880                          \n" /* return to machine mode with MIE set */
        "    csrs mstatus, t1                         \n"
        LOAD " t0, 0(sp)\n"
        TAKT_PORT_FPU_RETURN
        "    csrw mepc, t0                            \n"
        BREAK_RESERVATION
        SCRATCH(LOAD)
        "    addi sp, sp, %[bytes]                    \n"
        "    mret                                     \n"
        :
        : [bytes] "i"(FRAME_BYTES), [unit] "i"(TAKT_PORT_UNIT_FRAME_BYTES));
}

_Static_assert(offsetof(takt_port_exchange_t, to) == sizeof(uintptr_t), "the end of the trap reads `to`");

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
    context->s0_entry = (uintptr_t)entry;
    context->s1_argument = (uintptr_t)argument;
    context->ra = (uintptr_t)&thread_start;
    return context;
}

/* What main has used of the stack stays in use; interrupts have the rest. */
__attribute__((naked)) void takt_port_start(struct takt_thread *first) {
    (void)first;
    __asm volatile(TAKT_PORT_FPU_START "andi sp, sp, -16     \n" TAKT_PORT_SCRATCH_WRITE(
        sp) "mv   a1, a0          \n"
            "j    takt_port_resume\n");
}
