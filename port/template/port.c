/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The obligations of kernel/port.h that are functions, with empty bodies; takt_port.h says what that means.
 *
 * Where a core has many boards, what differs (vectors, start-up, clock, timer) stands in a folder of boards/. */
#include "kernel/port.h"
#include "port/template/fill_in.h"

/* ---- contexts -------------------------------------------------------------------------------------- */

/* Saves what a call keeps (callee-saved registers, return address, level) on the stack, the stack pointer at
 * TAKT_PORT_SP_OFFSET of `from`; loads that of `to`; pops the same. There is one form of context, however it was saved,
 * so that resuming needs no case distinction. */
takt_status_t takt_port_switch(struct takt_thread *from, struct takt_thread *to) {
    (void)from;
    (void)to;
    TAKT_PORT_TEMPLATE_FILL_IN(switch);
    return takt_port_open();
}

/* Writes at the top of the stack, aligned as the calling convention says, a context in that form whose return address
 * is a few instructions that call entry(argument) and then takt_kernel_thread_returned. Its level is the open one. It
 * may be called for a thread that has executed before, and from takt_kernel_preempt. */
void *takt_port_context_create(void *bottom, size_t bytes, void (*entry)(void *argument), void *argument) {
    (void)bytes;
    (void)entry;
    (void)argument;
    TAKT_PORT_TEMPLATE_FILL_IN(context_create);
    return bottom;
}

/* Sets what switching needs once (priorities of the software interrupt, stack of interrupts), loads the stack pointer
 * of `first` and pops its context. The stack of main is not used again. */
void takt_port_start(struct takt_thread *first) {
    (void)first;
    for (;;) {
        TAKT_PORT_TEMPLATE_FILL_IN(start);
    }
}

/* ---- clock ----------------------------------------------------------------------------------------- */

/* Sets the counter and its extension to 0 and enables the timer's interrupt, the least urgent of those that call the
 * kernel, whose handler withdraws the request and calls takt_kernel_timer_expired. */
void takt_port_clock_start(void) { TAKT_PORT_TEMPLATE_FILL_IN(clock_start); }

/* ---- people ---------------------------------------------------------------------------------------- */

/* Writes to a serial line, waiting for room a bounded time; without one, does nothing. Weak, as the fault. */
__attribute__((weak)) void takt_port_print(const char *text) {
    (void)text;
    TAKT_PORT_TEMPLATE_FILL_IN(print);
}

/* ---- faults ---------------------------------------------------------------------------------------- */

/* Target of every vector without a handler. Weak, so that a program may define its own. Also a label for a debugger.
 * Waits for ever. */
__attribute__((weak)) void takt_port_fault(void) { TAKT_PORT_TEMPLATE_FILL_IN(fault); }
