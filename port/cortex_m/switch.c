/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Context switch of ARMv7-M and ARMv8-M: an ordinary function call in thread mode.
 *
 * Every thread that does not run has one form of saved context on its stack (PSP):
 *
 *     sp -> level, r4 - r11, lr
 *
 * Voluntary: the thread called takt_port_switch; level is 0 (open), lr leads back to its caller.
 * Preempted: PendSV built a frame that entered takt_port_exchange; level is the lock's, lr
 * leads to takt_port_resume_preempted, and the frame of the interruption lies right above the
 * context. New: level is 0, lr leads to thread_start. What a thread that uses the floating-point unit has besides: fpu.h.
 *
 * Invariant: the code that resumes a context holds the lock, and the level popped with it decides. The level
 * 0 of a voluntary switch is also what the call returns, TAKT_OK. */
#include "port/cortex_m/fpu.h"
#include "port/cortex_m/guard.h"

typedef struct context {
    uint32_t level;
    uint32_t r4_entry;
    uint32_t r5_argument;
    uint32_t r6_to_r11[6];
    uint32_t lr;
} context_t;

_Static_assert(sizeof(context_t) == 40, "the context keeps the stack aligned to 8 bytes");
_Static_assert(TAKT_OK == 0, "the level of an open lock is the answer of a successful call");

__attribute__((naked)) takt_status_t takt_port_exchange(struct takt_thread *to, struct takt_thread *from,
                                                        takt_port_level_t level) {
    (void)to;
    (void)from;
    (void)level;
    __asm volatile(TAKT_PORT_FPU_LEAVE
                   ".global takt_port_exchange_core \n"
                   ".thumb_func                     \n"
                   "takt_port_exchange_core:        \n"
                   "push {r2, r4-r11, lr}   \n"
                   "str  sp, [r1, %[offset]]\n" TAKT_PORT_STACK_LOAD
                   "pop  {r0, r4-r11, lr}   \n"
                   "msr  basepri, r0        \n"
                   "bx   lr                 \n"
                   :
                   : [offset] "i"(TAKT_PORT_SP_OFFSET)TAKT_PORT_GUARD_OPERANDS);
}

/* A preempted thread resumes: only an exception return restores all of an interrupted state, the
 * position inside an IT block or a load-multiple included. */
__attribute__((naked)) void takt_port_resume_preempted(void) { __asm volatile("svc 0"); }

/* Above the lock's level, so that it is taken under the lock. The stack pointer was aligned to 8, so
 * the frame of this exception has 32 bytes and no padding; dropping it uncovers the frame of the
 * interruption, through which this handler returns. */
__attribute__((naked)) void takt_port_svc_handler(void) {
    __asm volatile(
        "mrs  r0, psp       \n"
        "ldr  r1, [r0], #32 \n" TAKT_PORT_FPU_RESUME
        "msr  psp, r0       \n"
        "movs r0, #0        \n"
        "msr  basepri, r0   \n"
        "bx   lr            \n");
}

__attribute__((naked)) static void thread_start(void) {
    __asm volatile(
        "mov r0, r5                     \n"
        "blx r4                         \n"
        "b   takt_kernel_thread_returned\n");
}

void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument) {
    context_t *context = (context_t *)(((uintptr_t)bottom + bytes) & ~(uintptr_t)7) - 1;
    context->level = 0;
    context->r4_entry = (uint32_t)entry;
    context->r5_argument = (uint32_t)argument;
    context->lr = (uint32_t)&thread_start;
    return context;
}

/* ---- the caller --------------------------------------------------------------------------------- */

#define SYSTEM_PRIORITY ((const volatile uint8_t *)UINT32_C(0xE000ED18)) /* from exception 4 on */

enum { FIRST_WITH_PRIORITY = 4 }; /* number of an exception */

/* Those before the first have fixed priorities above all others. Priority grouping only lets the lock mask more. */
bool takt_port_is_kernel_exception(uint32_t exception) {
    return exception >= FIRST_WITH_PRIORITY &&
           SYSTEM_PRIORITY[exception - FIRST_WITH_PRIORITY] >= TAKT_PORT_KERNEL_LEVEL;
}

/* ---- start -------------------------------------------------------------------------------------- */

#define SHPR2 (*(volatile uint32_t *)UINT32_C(0xE000ED1C)) /* SVC */
#define SHPR3 (*(volatile uint32_t *)UINT32_C(0xE000ED20)) /* PendSV, SysTick */
#define CCR (*(volatile uint32_t *)UINT32_C(0xE000ED14))

enum { SVC_PRIORITY = 0x00, PENDSV_PRIORITY = 0xFF, CCR_STKALIGN = 1 << 9 };

__attribute__((naked, noreturn)) static void enter_first(struct takt_thread *first) {
    (void)first;
    __asm volatile(
        "ldr  r1, [r0, %[offset]]   \n"
        "msr  psp, r1               \n"
        "movs r1, #2                \n"
        "msr  control, r1           \n" /* thread mode: privileged, PSP */
        "isb                        \n"
        "pop  {r0, r4-r11, lr}      \n"
        "msr  basepri, r0           \n"
        "bx   lr                    \n"
        :
        : [offset] "i"(TAKT_PORT_SP_OFFSET));
}

void takt_port_start(struct takt_thread *first) {
    SHPR2 = (SHPR2 & UINT32_C(0x00FFFFFF)) | ((uint32_t)SVC_PRIORITY << 24);
    SHPR3 = (SHPR3 & UINT32_C(0xFF00FFFF)) | ((uint32_t)PENDSV_PRIORITY << 16);
    CCR |= CCR_STKALIGN;
    takt_port_fpu_begin();
    takt_port_guard_begin(first);
    enter_first(first);
}
