/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The port header: what the kernel requires of a machine, and which functions a machine may call.
 *
 * A port is one folder with a header named takt_port.h, found through the include path: choosing a port is choosing a
 * folder. Its small functions are inline, because they are on the fast path. Their contract is here.
 *
 *   takt_port_level_t                     what a lock remembers, an unsigned integer
 *   TAKT_PORT_SP_OFFSET                   bytes from a thread's start to its saved stack pointer
 *   TAKT_PORT_STACK_BYTES_MIN             the least stack that holds the contexts the port saves
 *   takt_port_level_t takt_port_lock(void)
 *       Masks every interrupt that may call the kernel and returns the previous level. Correct from
 *       every starting level: it never lowers one.
 *   void takt_port_unlock(takt_port_level_t level)
 *       Restores `level`, which came from takt_port_lock.
 *   void takt_port_close(void), takt_status_t takt_port_open(void)
 *       The same where the lock is known to be open, in a thread's call or takt_kernel_preempt: there
 *       is no level to remember. Opening returns TAKT_OK, so that a call can end with it.
 *   void takt_port_breathe(void)
 *       Opens, lets every pending interrupt run, closes.
 *   bool takt_port_is_in_isr(void)
 *   bool takt_port_is_kernel_isr(void)
 *       True if an interrupt calls and the lock masks it: then it may call the kernel. False for a thread. Used only
 *       while TAKT_CHECKS is not 0. A port that cannot find out must refuse to compile.
 *   bool takt_port_is_open(void)
 *       True if a thread calls, not an interrupt, with the lock open.
 *   void takt_port_pend(void)
 *       Requests takt_kernel_preempt once no interrupt is active and the lock is open.
 *   void takt_port_preempt(struct takt_thread *from, struct takt_thread *to)
 *       In takt_kernel_preempt only, locked: `to` runs when takt_kernel_preempt has returned. `from`
 *       continues where it was interrupted when it is switched to again. The port unlocks.
 *   takt_instant_t takt_port_now(void)
 *       Under the lock, after takt_port_clock_start: the clock, in ticks since then. It never goes back.
 *   void takt_port_timer_set(takt_instant_t until, takt_instant_t now)
 *       Under the lock: sets the timer to call takt_kernel_timer_expired at `until`, as soon as possible if that has
 *       passed, or earlier (a timer that cannot count so far saturates). Replaces the earlier setting; TAKT_NEVER: off.
 *       `now` was read in this call or interrupt. A timer that counts from its setting reads its counter again.
 *   void takt_port_idle(void)
 *       Waits for an interrupt.
 *
 * For takt_kernel_sleep of kernel/sleep.h; a port without them does not link programs that call it:
 *
 *   void takt_port_sleep_begin(void)
 *       From a thread with the lock open: masks all interrupts, and so that a pending one still ends a wait.
 *   void takt_port_sleep_wait(void)
 *       After sleep_begin: stops the processor until an interrupt is pending, at once if one is.
 *   void takt_port_sleep_end(void)
 *       Takes interrupts again, those first that are pending.
 *   void takt_port_clock_skip(takt_duration_t ticks)
 *       With interrupts masked: adds to the clock `ticks`, any number, that it has not counted. The timer is set again
 *       after it.
 *
 *   TAKT_PORT_ISR_MAY_OPEN                a macro, 1 if takt_port_close and takt_port_open in an interrupt that the
 *                                         lock masks leave it as it was. Calls for threads then refuse interrupts only
 *                                         where they would wait or wake, at the usual level of checks. By default 0
 *
 * A port may guard stacks: the machine then refuses writes of the thread to part of its stack. A port without guards
 * has nothing of the following. A guard must be readable, because the kernel reads the lowest word of a stack.
 *
 *   TAKT_PORT_GUARDS                      a macro, 1 while TAKT_GUARD is 1. TAKT_PORT_STACK_BYTES_MIN then includes the
 *                                         guard. At most TAKT_KERNEL_ENTITY_LIMIT stacks are guarded at a time
 *   TAKT_PORT_GUARDS_MEMORY               a macro, likewise, if guards stay in the memory of stacks; with it the two
 *                                         functions below. Not if the port's switch sets the guard of the next thread
 *   void takt_port_guard(void *bottom, size_t bytes)
 *       From a thread with the lock open, or before the start: [bottom, bottom + bytes) is a stack from now on. It is
 *       painted and has its first context
 *   void takt_port_unguard(void *bottom, size_t bytes)
 *       This memory is no stack any more, and all threads may write it. With the lock open or closed, also by the
 *       thread that executes there and is about to end. */
#ifndef TAKT_KERNEL_PORT_H
#define TAKT_KERNEL_PORT_H

#include "core/types.h"
#include "kernel/errors.h"
#include "kernel/geometry.h"

TAKT_C_BEGIN

struct takt_thread;

/* 1: stacks are guarded, by the machine where the port can, else as with 2: the lowest word of a stack is compared when its
 * thread stops running, and its frame when it calls. By default 1, unless there are no checks. */
#ifndef TAKT_GUARD
#define TAKT_GUARD (TAKT_CHECKS != 0)
#endif

/* 1: ports report faults of the machine with their thread, those that have a handler for faults. */
#ifndef TAKT_FAULTS
#define TAKT_FAULTS (TAKT_CHECKS != 0)
#endif

#include <takt_port.h>

/* 1: the port guards stacks. */
#ifndef TAKT_PORT_GUARDS
#define TAKT_PORT_GUARDS 0
#endif

/* 1: guards stay in the memory of stacks. */
#ifndef TAKT_PORT_GUARDS_MEMORY
#define TAKT_PORT_GUARDS_MEMORY 0
#endif

/* 1: an interrupt that opens the lock by mistake does no harm, because its end restores the level. */
#ifndef TAKT_PORT_ISR_MAY_OPEN
#define TAKT_PORT_ISR_MAY_OPEN 0
#endif

#if !TAKT_PORT_GUARDS_MEMORY
/* There is no guard in this memory. */
TAKT_INLINE void takt_port_guard(void *bottom, size_t bytes) {
    (void)bottom;
    (void)bytes;
}

/* There is no guard in this memory. */
TAKT_INLINE void takt_port_unguard(void *bottom, size_t bytes) {
    (void)bottom;
    (void)bytes;
}
#endif

/* ---- which interrupts may call ------------------------------------------------------------- */

/* The caller is checked first of all in calls that are made rarely. In the others it is at debug level, and if an
 * interrupt may not open the lock. Otherwise it is checked in them where a thread waits or is woken, before anything has changed. */
#define TAKT_CHECKS_FIRST ((TAKT_CHECKS) >= ((TAKT_PORT_ISR_MAY_OPEN) != 0 ? 2 : 1))
/* Whether the caller is checked where a thread waits or is woken. */
#define TAKT_CHECKS_NOW ((TAKT_CHECKS) != 0 && !(TAKT_CHECKS_FIRST))

/* A call for interrupts must come from one that the lock masks; any other finds the kernel's objects half written. */
#define TAKT_REQUIRE_KERNEL_ISR() TAKT_REQUIRE(takt_port_is_kernel_isr(), TAKT_WRONG_ISR)
/* The same, first of all. */
#define TAKT_REQUIRE_KERNEL_ISR_FIRST() \
    TAKT_REQUIRE_IF(TAKT_CHECKS_FIRST, takt_port_is_kernel_isr(), TAKT_WRONG_ISR)
/* The same, where a thread is woken. */
#define TAKT_REQUIRE_KERNEL_ISR_NOW() \
    TAKT_REQUIRE_IF(TAKT_CHECKS_NOW, takt_port_is_kernel_isr(), TAKT_WRONG_ISR)
/* The error of a call for interrupts that comes from elsewhere. */
#define TAKT_WRONG_ISR (takt_port_is_in_isr() ? TAKT_ERROR_INTERRUPT : TAKT_ERROR_NOT_IN_ISR)

/* A call from anywhere must come from a thread, or from such an interrupt. */
#define TAKT_REQUIRE_MASKABLE() TAKT_REQUIRE(TAKT_IS_MASKABLE, TAKT_ERROR_INTERRUPT)
/* The same, first of all. */
#define TAKT_REQUIRE_MASKABLE_FIRST() \
    TAKT_REQUIRE_IF(TAKT_CHECKS_FIRST, TAKT_IS_MASKABLE, TAKT_ERROR_INTERRUPT)
/* True if a thread calls, or an interrupt that the lock masks. */
#define TAKT_IS_MASKABLE (!takt_port_is_in_isr() || takt_port_is_kernel_isr())

/* ---- what else a port supplies ------------------------------------------------------------- */

/* Saves the calling thread's context under `from` and resumes that of `to`. Called closed. Returns TAKT_OK, open, when
 * `from` is resumed. */
takt_status_t takt_port_switch(struct takt_thread *from, struct takt_thread *to);

/* Builds on the stack [bottom, bottom + bytes) the context of a thread. It calls entry(argument) with the lock open,
 * and takt_kernel_thread_returned if that returns. Returns the stack pointer. */
void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument);

/* Starts the clock and the timer at instant 0. Under the lock. */
void takt_port_clock_start(void);

/* Resumes `first`, the first thread of all. Called locked; never returns. */
__attribute__((noreturn)) void takt_port_start(struct takt_thread *first);

/* Prints `text` where the machine can: a serial line, the standard error output. From anywhere, also with interrupts
 * masked. The port's own may do nothing; a program may define another. */
void takt_port_print(const char *text);

/* Handles a machine fault or an unexpected interrupt. The port's own waits for ever; a program may define another. */
void takt_port_fault(void);

/* ---- what a port calls --------------------------------------------------------------------- */

/* Switches if another thread must run now. Called as takt_port_pend requests, lock open. */
void takt_kernel_preempt(void);

/* Handles the expired timer. Called by the timer's interrupt, lock open. It opens the lock in between, so this
 * interrupt must be the least urgent of those that call the kernel, and no longer pending. */
void takt_kernel_timer_expired(void);

#if TAKT_PORT_GUARDS
/* The guard at `address` was written to, or an interrupt frame did not fit above it. Called by the fault handler, which
 * preempts everything, on its own stack. Ends in takt_port_fault if a thread executes on that stack, else returns. */
void takt_kernel_guard_hit(const void *address);
#endif

/* A fault of the machine. */
typedef struct takt_fault {
    struct takt_thread *thread; /* the running one, or the interrupted one; NULL: before the start */
    uintptr_t pc;               /* the instruction; 0: not known */
    uintptr_t address;          /* what it could not access; 0: not known, or no access */
    uint32_t cause;             /* in the machine's form: CFSR on Cortex-M, mcause on RISC-V */
    bool is_in_isr;             /* an interrupt has made it, or the kernel's work in one */
} takt_fault_t;

/* Reports `fault`, whose thread the kernel fills in, to the program (takt_hook_fault); takt_port_fault follows. `sp` is
 * the stack pointer of the faulting code, NULL: not known; below the thread's stack this is an overflow, and reported as
 * one. Called by the fault handler, on a stack of its own, while TAKT_FAULTS is 1. Returns if takt_port_fault, which may be
 * the program's, does. */
void takt_kernel_faulted(takt_fault_t *fault, const void *sp);

/* Ends a thread whose entry function has returned. */
__attribute__((noreturn)) void takt_kernel_thread_returned(void);

TAKT_C_END

#endif
