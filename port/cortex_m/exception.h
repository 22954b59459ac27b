/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What exceptions are on every Cortex-M: PendSV, and the frame that it builds so that a preempted thread calls the
 * exchange. Included by a takt_port.h, which defines TAKT_PORT_LOCKED, the level of a closed lock, and
 * takt_port_limit_check before.
 *
 * Source: ARMv7-M Architecture Reference Manual (DDI 0403E), B1.5; ARMv6-M (DDI 0419E), B1.5. */
#ifndef TAKT_PORT_CORTEX_M_EXCEPTION_H
#define TAKT_PORT_CORTEX_M_EXCEPTION_H

#define TAKT_PORT_ICSR (*(volatile uint32_t *)UINT32_C(0xE000ED04))
#define TAKT_PORT_ICSR_PENDSVSET (UINT32_C(1) << 28)

TAKT_INLINE bool takt_port_is_in_isr(void) {
    uint32_t exception;
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception != 0;
}

TAKT_INLINE void takt_port_pend(void) { TAKT_PORT_ICSR = TAKT_PORT_ICSR_PENDSVSET; }

/* Saves the caller's context under `from`, to be resumed at `level`, and resumes that of `to`. Called closed. */
takt_status_t takt_port_exchange(struct takt_thread *to, struct takt_thread *from, takt_port_level_t level);

/* A switch of the calling thread. The level is open, 0, as the next thread's attributes have just been found to be. */
TAKT_INLINE takt_status_t takt_port_switch(struct takt_thread *from, struct takt_thread *to) {
    return takt_port_exchange(to, from, 0);
}

/* Where a preempted thread continues, closed: the frame of its interruption lies at its stack pointer. */
void takt_port_resume_preempted(void);

/* Puts a second frame above the interrupted thread's: the exception return enters the exchange as if the
 * thread had called it, still locked. So every saved context has one form. */
TAKT_INLINE void takt_port_preempt(struct takt_thread *from, struct takt_thread *to) {
    takt_port_frame_t *frame;
    __asm volatile("mrs %0, psp" : "=r"(frame));
    frame--;
    takt_port_limit_check(frame);
    frame->r0 = (uint32_t)to;
    frame->r1 = (uint32_t)from;
    frame->r2 = TAKT_PORT_LOCKED;
    frame->lr = (uint32_t)&takt_port_resume_preempted;
    frame->pc = (uint32_t)&takt_port_exchange & ~UINT32_C(1);
    frame->xpsr = UINT32_C(1) << 24; /* Thumb */
    __asm volatile("msr psp, %0" : : "r"(frame) : "memory");
}

TAKT_INLINE void takt_port_idle(void) { __asm volatile("wfi" : : : "memory"); }

/* PRIMASK, not BASEPRI: an interrupt that only PRIMASK masks ends WFI. */
TAKT_INLINE void takt_port_sleep_begin(void) { __asm volatile("cpsid i" : : : "memory"); }

TAKT_INLINE void takt_port_sleep_wait(void) { __asm volatile("dsb\n\twfi" : : : "memory"); }

/* What is pending is taken before the next instruction but one. */
TAKT_INLINE void takt_port_sleep_end(void) { __asm volatile("cpsie i\n\tisb" : : : "memory"); }

/* The board's, as the rest of the clock. */
void takt_port_clock_skip(takt_duration_t ticks);

#endif
