/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Announces stacks to the address sanitizer; nothing in other builds. Private to port/posix/.
 *
 * Source: LLVM compiler-rt, sanitizer/common_interface_defs.h, the functions of fibers. */
#ifndef TAKT_PORT_POSIX_SANITIZER_H
#define TAKT_PORT_POSIX_SANITIZER_H

#include "kernel/port.h"

/* A stack on which code executes. */
typedef struct takt_posix_stack {
    const void *bottom;
    size_t bytes;
} takt_posix_stack_t;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAKT_POSIX_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TAKT_POSIX_SANITIZED 1
#endif

#if defined(TAKT_POSIX_SANITIZED)

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/* Call just before a jump to `stack`. `*own` is for the return; NULL if there is none. */
TAKT_INLINE void takt_posix_leave(void **own, const takt_posix_stack_t *stack) {
    __sanitizer_start_switch_fiber(own, stack->bottom, stack->bytes);
}

/* Just after one, which came from `*from`: no variable of a caller that is not instrumented, but what outlives it. */
TAKT_INLINE void takt_posix_arrive(void *own, takt_posix_stack_t *from) {
    __sanitizer_finish_switch_fiber(own, &from->bottom, &from->bytes);
}

/* Announces that nothing on `stack` is in use any more. */
TAKT_INLINE void takt_posix_forget(const takt_posix_stack_t *stack) {
    __asan_unpoison_memory_region(stack->bottom, stack->bytes);
}

#else

TAKT_INLINE void takt_posix_leave(void **own, const takt_posix_stack_t *stack) {
    (void)own;
    (void)stack;
}

TAKT_INLINE void takt_posix_arrive(void *own, takt_posix_stack_t *from) {
    (void)own;
    (void)from;
}

TAKT_INLINE void takt_posix_forget(const takt_posix_stack_t *stack) { (void)stack; }

#endif

#endif
