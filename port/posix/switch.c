/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Context switch of a process: setjmp and longjmp from one stack to another.
 *
 * A saved context is a context_t on its thread's stack, in the frame of takt_posix_switch, whether the thread called or
 * was preempted: then the frame of the signal lies above it. A new one lies in a place of its own at the top of the
 * stack and is begun by makecontext when it is first resumed, not before: so a thread's context can be rebuilt while
 * that thread still executes on the stack.
 *
 * Why not swapcontext throughout: it sets the mask of signals by a system call, about ten times the cost of the rest,
 * and the mask is the same for all threads whenever they switch. longjmp does not restore rounding modes, though the
 * calling conventions say that a call keeps them; so they are part of the context here, and so is errno.
 *
 * Invariant: the code that resumes a context holds the lock, and the resumed one opens it. */
#undef _FORTIFY_SOURCE /* its longjmp treats a jump to another stack as an attack */
#define _XOPEN_SOURCE 700
#define __STDC_WANT_IEC_60559_BFP_EXT__ 1

#include "port/posix/machine.h"

#include <errno.h>
#include <fenv.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#if defined(SANITIZED)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(__GLIBC__)
#error "this port needs makecontext and fegetmode of the GNU C library"
#endif

/* A stack on which code executes. */
typedef struct {
    const void *bottom;
    size_t bytes;
} code_stack_t;

typedef struct context {
    jmp_buf registers;
    femode_t modes;
    int error;
    code_stack_t stack;
    void *sanitizer;
    void (*entry)(void *argument); /* of a new one, else NULL */
    void *argument;
} context_t;

static code_stack_t running;      /* where the running thread executes */
static const context_t *starting; /* the new context that is being entered */
static code_stack_t left;         /* where the last switch came from */
static code_stack_t main_stack;   /* of the caller of takt_kernel_start */
static jmp_buf main_registers;
static void *main_sanitizer;
static bool is_started;
static _Thread_local bool is_processor; /* this POSIX thread */
static int exit_status;

static context_t **context_of(struct takt_thread *thread) {
    return (context_t **)(void *)((char *)thread + TAKT_PORT_SP_OFFSET);
}

/* ---- stacks, announced to the address sanitizer: the fibers of its common_interface_defs.h ------- */

#if defined(SANITIZED)

/* Call just before a jump to `stack`. `*own` is for the return; NULL if there is none. */
TAKT_INLINE void leave(void **own, const code_stack_t *stack) {
    __sanitizer_start_switch_fiber(own, stack->bottom, stack->bytes);
}

/* Just after one, which came from `left`: no variable of a caller that is not instrumented, but what outlives it. */
TAKT_INLINE void arrive(void *own) { __sanitizer_finish_switch_fiber(own, &left.bottom, &left.bytes); }

/* Announces that nothing on `stack` is in use any more. */
TAKT_INLINE void forget(const code_stack_t *stack) {
    __asan_unpoison_memory_region(stack->bottom, stack->bytes);
}

#else

TAKT_INLINE void leave(void **own, const code_stack_t *stack) {
    (void)own;
    (void)stack;
}

TAKT_INLINE void arrive(void *own) { (void)own; }

TAKT_INLINE void forget(const code_stack_t *stack) { (void)stack; }

#endif

/* ---- new contexts ------------------------------------------------------------------------------ */

void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument) {
    const uintptr_t alignment = _Alignof(context_t);
    context_t *context = (context_t *)(((uintptr_t)bottom + bytes) & ~(alignment - 1)) - 1;
    context->stack = (code_stack_t){.bottom = bottom, .bytes = (size_t)((char *)context - (char *)bottom)};
    context->entry = entry;
    context->argument = argument;
    return context;
}

/* The first arrival comes from the main stack; the test has no effect on the others. */
static void arrive_first(void) {
    arrive(NULL);
    if (!is_started) {
        main_stack = left;
        is_started = true;
    }
}

static void thread_start(void) {
    const context_t *context = starting;
    arrive_first();
    (void)fesetmode(FE_DFL_MODE);
    (void)takt_port_open();
    context->entry(context->argument);
    takt_kernel_thread_returned();
}

/* All threads have the same signal mask, so the one that getcontext copies is right. */
static void enter(context_t *context) {
    static ucontext_t fresh;
    (void)getcontext(&fresh);
    fresh.uc_stack.ss_sp = (void *)(uintptr_t)context->stack.bottom;
    fresh.uc_stack.ss_size = context->stack.bytes;
    fresh.uc_link = NULL;
    makecontext(&fresh, thread_start, 0);
    starting = context;
    forget(&context->stack);
    (void)setcontext(&fresh);
}

#if TAKT_PORT_GUARDS
const void *takt_posix_bottom(void) { return running.bottom; }
#endif

/* ---- switch ------------------------------------------------------------------------------------ */

__attribute__((noreturn)) static void resume(context_t *context) {
    running = context->stack;
    if (context->entry != NULL) {
        enter(context);
    }
    _longjmp(context->registers, 1);
}

/* What it keeps must be on the stack itself, where the kernel expects it, not on a stack of a sanitizer. It reads the
 * context of `to` first: that may be a new context of `from` itself. */
__attribute__((noinline, no_sanitize_address)) void takt_posix_switch(struct takt_thread *from,
                                                                      struct takt_thread *to) {
    context_t own = {.error = errno, .stack = running};
    context_t *next = *context_of(to);
    (void)fegetmode(&own.modes);
    *context_of(from) = &own;
    leave(&own.sanitizer, &next->stack);
    if (_setjmp(own.registers) == 0) {
        resume(next);
    }
    arrive(own.sanitizer);
    (void)fesetmode(&own.modes);
    errno = own.error;
}

takt_status_t takt_port_switch(struct takt_thread *from, struct takt_thread *to) {
    takt_posix_switch(from, to);
    return takt_port_open();
}

/* ---- start and end ----------------------------------------------------------------------------- */

void takt_port_start(struct takt_thread *first) {
    context_t *context = *context_of(first);
    is_processor = true;
    takt_posix_guard_begin();
    if (_setjmp(main_registers) == 0) {
        leave(&main_sanitizer, &context->stack);
        resume(context);
    }
    arrive(main_sanitizer);
    exit(exit_status);
}

void takt_posix_exit(int status) {
    if (!is_started || !is_processor) {
        exit(status);
    }
    takt_posix_set_state(TAKT_POSIX_CLOSED);
    takt_posix_clock->stop();
    takt_posix_guard_end();
    exit_status = status;
    leave(NULL, &main_stack);
    _longjmp(main_registers, 1);
}
