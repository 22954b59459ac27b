/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hooks: report an error of a thread to the program, a switch, and that there is nothing to do.
 *
 * A program may define functions of these names. The kernel's own print the thread's name of an error by
 * takt_port_print. */
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

/* The machine has made a fault: an access that it refuses, an instruction that it does not know. takt_port_fault
 * follows. Called in the fault's handler while TAKT_FAULTS is 1, by ports that have one. Any memory may be damaged. */
void takt_hook_fault(const takt_fault_t *fault);

/* 1: takt_hook_switch is called; the same for the whole program. */
#ifndef TAKT_SWITCH_HOOK
#define TAKT_SWITCH_HOOK 0
#endif

/* `to` runs from now on, in place of `from`; NULL: nothing has run before. For debuggers and recorders: called before
 * every switch, with interrupts masked, while TAKT_SWITCH_HOOK is 1. It calls no function of the kernel but
 * takt_kernel_now. The kernel's own does nothing. */
void takt_hook_switch(takt_thread_t *from, takt_thread_t *to);

/* Nothing is ready, or only what ceilings bar. Called by the idle thread, over and over, with the lock open, on its stack of
 * TAKT_IDLE_STACK_BYTES. It waits for an interrupt, and calls nothing in which a thread would wait. The kernel's own stops
 * the processor (takt_port_idle); takt_kernel_sleep of kernel/sleep.h sleeps deeper. */
void takt_hook_idle(void);

TAKT_C_END

#endif
