/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hooks: report an error of a thread to the program.
 *
 * A program may define functions of these names. The kernel's own print the thread's name by takt_port_print. */
#ifndef TAKT_KERNEL_HOOKS_H
#define TAKT_KERNEL_HOOKS_H

#include "kernel/thread.h"

TAKT_C_BEGIN

/* The stack of `thread` has overflowed; takt_port_fault follows. Called with interrupts masked or in an interrupt,
 * unless TAKT_GUARD is 0; for a guard, in the fault's handler. Memory below the stack may be damaged. */
void takt_hook_stack_overflow(takt_thread_t *thread);

/* The entry function of `thread` has returned while the thread held a mutex, or its job a resource. Called by that
 * thread, with the lock open; then the kernel unlocks all of them. */
void takt_hook_abandoned(takt_thread_t *thread);

TAKT_C_END

#endif
