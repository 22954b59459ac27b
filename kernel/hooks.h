/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hooks: what a thread has done wrong, told to the program.
 *
 * A program may define functions of these names; the kernel's own print one line with the thread's name by takt_port_print. */
#ifndef TAKT_KERNEL_HOOKS_H
#define TAKT_KERNEL_HOOKS_H

#include "kernel/thread.h"

/* The stack of `thread` has overflowed. Called with interrupts masked or in an interrupt, while TAKT_CHECKS or TAKT_GUARD is 1;
 * takt_port_fault follows. Memory below the stack may be damaged. A hit of a guard is told in the handler of the fault. */
void takt_hook_stack_overflow(takt_thread_t *thread);

/* The entry function of `thread` has returned while the thread held a mutex, or its job a resource. Called by that thread, with
 * the lock open; then the kernel unlocks all that it holds. */
void takt_hook_abandoned(takt_thread_t *thread);

#endif
