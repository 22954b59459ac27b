/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A port without a machine: every obligation of kernel/port.h that a port's header has, with an empty body. Copy the
 * folder, fill in, compare with kernel/port.h, which has the contract; docs/how-to/add-a-port.md says in which order.
 *
 * It compiles against the kernel and does not link: an empty body leaves a call of a function that does not exist, so
 * the linker lists what is left to do. */
#ifndef TAKT_PORT_TEMPLATE_H
#define TAKT_PORT_TEMPLATE_H

#include "port/template/fill_in.h"

/* Refuse with #error here what the port cannot do: other processors, a floating-point unit whose registers it does not
 * save, a missing instruction. A port that compiles and does the wrong thing is worse than none. */

/* What a lock remembers: as many bits as the machine's level of masking has. */
typedef uint32_t takt_port_level_t;

enum {
    /* Offset of a thread's saved stack pointer. kernel/thread.h checks it; assembly needs it as a number. */
    TAKT_PORT_SP_OFFSET = sizeof(void *) == 8 ? 64 : 40,
    /* Two contexts and the frame of an interrupt, and what the port's own functions use on a thread's stack. */
    TAKT_PORT_STACK_BYTES_MIN = 256,
};

/* ---- lock ------------------------------------------------------------------------------------------ */

/* Reads the level of masking; raises it so that no interrupt that may call the kernel is taken; returns what it read.
 * A stricter level stays in force. The compiler must not move accesses to memory over it. */
TAKT_INLINE takt_port_level_t takt_port_lock(void) {
    TAKT_PORT_TEMPLATE_FILL_IN(lock);
    return 0;
}

/* Writes `level` back; what has become pending meanwhile is taken at once, or a few instructions later. */
TAKT_INLINE void takt_port_unlock(takt_port_level_t level) {
    (void)level;
    TAKT_PORT_TEMPLATE_FILL_IN(unlock);
}

/* As takt_port_lock, if the level is known to be open: one instruction on most machines. */
TAKT_INLINE void takt_port_close(void) { TAKT_PORT_TEMPLATE_FILL_IN(close); }

/* As takt_port_unlock to the open level. A kernel call ends with it, so it returns TAKT_OK. */
TAKT_INLINE takt_status_t takt_port_open(void) {
    TAKT_PORT_TEMPLATE_FILL_IN(open);
    return TAKT_OK;
}

/* Opens, lets what is pending be taken (a barrier, where the machine needs one), closes. */
TAKT_INLINE void takt_port_breathe(void) { TAKT_PORT_TEMPLATE_FILL_IN(breathe); }

/* ---- the caller ------------------------------------------------------------------------------------ */

/* True if an interrupt executes, takt_kernel_preempt included. */
TAKT_INLINE bool takt_port_is_in_isr(void) {
    TAKT_PORT_TEMPLATE_FILL_IN(is_in_isr);
    return false;
}

/* True if an interrupt executes that the lock masks: reads the priority of the active one, its number, or what the port
 * remembers. False for handlers of faults and of unmaskable interrupts. Every checked call from an interrupt asks this.
 * A port that cannot find out must refuse with #error. */
TAKT_INLINE bool takt_port_is_kernel_isr(void) {
    TAKT_PORT_TEMPLATE_FILL_IN(is_kernel_isr);
    return false;
}

/* True if a thread executes, with the lock open. Every checked call asks this. */
TAKT_INLINE bool takt_port_is_open(void) {
    TAKT_PORT_TEMPLATE_FILL_IN(is_open);
    return false;
}

/* ---- preemption ------------------------------------------------------------------------------------ */

/* Makes the least urgent interrupt of the machine pending, whose handler is takt_kernel_preempt: a software interrupt,
 * or a mark that the end of every interrupt checks. It interrupts no other handler and not itself. */
TAKT_INLINE void takt_port_pend(void) { TAKT_PORT_TEMPLATE_FILL_IN(pend); }

/* Makes the end of this interrupt save all of the interrupted state under `from` and resume `to`, in the one form that
 * takt_port_switch reads. The lock stays closed until `to` opens it. */
TAKT_INLINE void takt_port_preempt(struct takt_thread *from, struct takt_thread *to) {
    (void)from;
    (void)to;
    TAKT_PORT_TEMPLATE_FILL_IN(preempt);
}

/* Guards of stacks are left out; kernel/port.h says what a port that has them defines. */

/* ---- time ------------------------------------------------------------------------------------------ */

/* Reads the counter and extends it to 64 bits. A counter that wraps must be read at least once per round. The alarm
 * ensures that if it is never set farther ahead than a part of a round. */
TAKT_INLINE takt_instant_t takt_port_now(void) {
    TAKT_PORT_TEMPLATE_FILL_IN(now);
    return 0;
}

/* Sets the one-shot timer (until - now if it counts from its setting). Past: interrupts at once; too far: early. */
TAKT_INLINE void takt_port_timer_set(takt_instant_t until, takt_instant_t now) {
    (void)now;
    (void)until;
    TAKT_PORT_TEMPLATE_FILL_IN(timer_set);
}

/* Stops the processor until an interrupt is pending; without such an instruction, returns. */
TAKT_INLINE void takt_port_idle(void) { TAKT_PORT_TEMPLATE_FILL_IN(idle); }

/* For programs that sleep while they are idle (kernel/sleep.h). Masks all interrupts; a pending one still ends a wait. */
TAKT_INLINE void takt_port_sleep_begin(void) { TAKT_PORT_TEMPLATE_FILL_IN(sleep_begin); }

/* Stops the processor until an interrupt is pending, at once if one is. */
TAKT_INLINE void takt_port_sleep_wait(void) { TAKT_PORT_TEMPLATE_FILL_IN(sleep_wait); }

/* Takes interrupts again, those first that are pending. */
TAKT_INLINE void takt_port_sleep_end(void) { TAKT_PORT_TEMPLATE_FILL_IN(sleep_end); }

/* With interrupts masked: adds to the clock what it has not counted. The timer is set again after it. */
TAKT_INLINE void takt_port_clock_skip(takt_duration_t ticks) {
    (void)ticks;
    TAKT_PORT_TEMPLATE_FILL_IN(clock_skip);
}

#endif
