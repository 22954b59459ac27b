/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Context switch of ARMv6-M: an ordinary function call in thread mode.
 *
 * Every thread that does not run has one form of saved context on its stack (PSP), as in port/cortex_m/:
 *
 *     sp -> level, r8 - r11, r4 - r7, lr
 *
 * Only an exception return restores an interrupted state. SVC cannot be the exception, because with interrupts masked
 * it is a fault: a preempted thread that continues pends PendSV, opens, and waits for it. PendSV finds from the
 * interrupted address that this is the place, takes its own frame away, and the one above is its own from then on. An
 * interrupt in between does no harm: nothing but PendSV switches, and it is pending.
 *
 * Invariant: the code that resumes a context holds the lock, and the level popped with it decides. The level
 * 0 of a voluntary switch is also what the call returns, TAKT_OK. */
#include "kernel/port.h"

typedef struct context {
    uint32_t level;
    uint32_t r8_to_r11[4];
    uint32_t r4_entry;
    uint32_t r5_argument;
    uint32_t r6_to_r7[2];
    uint32_t lr;
} context_t;

_Static_assert(sizeof(context_t) == 40, "the context keeps the stack aligned to 8 bytes");
_Static_assert(TAKT_OK == 0, "the level of an open lock is the answer of a successful call");

/* Pops a context; its level is what takt_port_exchange returns. */
#define CONTEXT_POP               \
    "pop  {r0, r4-r7}         \n" \
    "mov  r8, r4              \n" \
    "mov  r9, r5              \n" \
    "mov  r10, r6             \n" \
    "mov  r11, r7             \n" \
    "msr  primask, r0         \n" \
    "pop  {r4-r7, pc}         \n"

__attribute__((naked)) takt_status_t takt_port_exchange(struct takt_thread *to, struct takt_thread *from,
                                                        takt_port_level_t level) {
    (void)to;
    (void)from;
    (void)level;
    __asm volatile(
        ".syntax unified\n"
        "push {r4-r7, lr}         \n"
        "mov  r4, r8              \n"
        "mov  r5, r9              \n"
        "mov  r6, r10             \n"
        "mov  r7, r11             \n"
        "push {r2, r4-r7}         \n"
        "mov  r3, sp              \n"
        "str  r3, [r1, %[offset]] \n"
        "ldr  r3, [r0, %[offset]] \n"
        "mov  sp, r3              \n" CONTEXT_POP
        :
        : [offset] "i"(TAKT_PORT_SP_OFFSET));
}

/* The loop ends with PendSV, which the processor takes at the barrier. */
__attribute__((naked)) void takt_port_resume_preempted(void) {
    __asm volatile(
        ".syntax unified\n"
        "ldr  r0, =0xE000ED04          \n" /* ICSR */
        "movs r1, #1                   \n"
        "lsls r1, r1, #28              \n" /* PENDSVSET */
        "str  r1, [r0]                 \n"
        "dsb                           \n"
        "cpsie i                       \n"
        "isb                           \n"
        "1:                            \n"
        "b    1b                       \n"
        "takt_port_resume_preempted_end:\n"
        ".ltorg                        \n");
}

__attribute__((naked)) void takt_port_pendsv_handler(void) {
    __asm volatile(
        ".syntax unified\n"
        "mrs  r0, psp                  \n"
        "ldr  r1, [r0, #24]            \n" /* the interrupted address */
        "ldr  r2, =takt_port_resume_preempted_end\n"
        "subs r2, r2, r1               \n"
        "cmp  r2, %[code]              \n"
        "bhi  1f                       \n"
        "adds r0, r0, #32              \n"
        "msr  psp, r0                  \n"
        "1:                            \n"
        "ldr  r0, =takt_kernel_preempt \n"
        "bx   r0                       \n"
        ".ltorg                        \n"
        :
        : [code] "i"(20)); /* bytes of takt_port_resume_preempted */
}

__attribute__((naked)) static void thread_start(void) {
    __asm volatile(
        ".syntax unified\n"
        "mov  r0, r5                          \n"
        "blx  r4                              \n"
        "bl   takt_kernel_thread_returned     \n");
}

void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument) {
    context_t *context = (context_t *)(((uintptr_t)bottom + bytes) & ~(uintptr_t)7) - 1;
    *context = (context_t){
        .level = 0,
        .r4_entry = (uint32_t)entry,
        .r5_argument = (uint32_t)argument,
        .lr = (uint32_t)&thread_start,
    };
    return context;
}

/* ---- start -------------------------------------------------------------------------------------- */

#define SHPR3 (*(volatile uint32_t *)UINT32_C(0xE000ED20)) /* PendSV, SysTick */

enum { PENDSV_PRIORITY = 0xFF };

__attribute__((naked, noreturn)) static void enter_first(struct takt_thread *first) {
    (void)first;
    __asm volatile(
        ".syntax unified\n"
        "ldr  r1, [r0, %[offset]]   \n"
        "msr  psp, r1               \n"
        "movs r1, #2                \n"
        "msr  control, r1           \n" /* thread mode: privileged, PSP */
        "isb                        \n" CONTEXT_POP
        :
        : [offset] "i"(TAKT_PORT_SP_OFFSET));
}

void takt_port_start(struct takt_thread *first) {
    SHPR3 = (SHPR3 & UINT32_C(0xFF00FFFF)) | ((uint32_t)PENDSV_PRIORITY << 16);
    enter_first(first);
}
