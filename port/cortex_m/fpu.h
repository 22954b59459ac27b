/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The floating-point unit in a context. Private to port/cortex_m/.
 *
 * The processor keeps a bit for the running code, CONTROL.FPCA: it has used the unit. A thread without it pays three
 * instructions in a switch of its own, and one where it goes on after a preemption. A thread with it has, besides what
 * all have, on its stack:
 *
 *     voluntary:  context, s16 - s31, fpscr, lr           the context's lr leads behind the call in takt_port_fpu_leave
 *     preempted:  context, s16 - s31, frame of 104 bytes  the context's lr leads to takt_port_fpu_resume_preempted
 *
 * s0 to s15 of a preempted thread are stacked lazily: an interrupt that does not switch and does not compute writes
 * none of them.
 *
 * Invariant: takt_port_exchange_core executes with FPCA clear, so every thread is resumed with FPCA clear, and code at
 * the place where it goes on sets it for those that had it. Lazy stacking is never pending in a thread.
 *
 * Source: ARMv7-M Architecture Reference Manual (DDI 0403E), B1.5.7 and B1.5.8. */
#ifndef TAKT_PORT_CORTEX_M_FPU_H
#define TAKT_PORT_CORTEX_M_FPU_H

#include "kernel/port.h"

#if TAKT_PORT_FPU

/* At the begin of the exchange; changes r3 and the flags. */
#define TAKT_PORT_FPU_LEAVE         \
    "mrs  r3, control           \n" \
    "lsls r3, r3, #29           \n" \
    "bmi  takt_port_fpu_leave   \n"

/* In the handler of SVC, which has read the r0 of its frame into r1: 0 if s16 - s31 lie above it, at r0. */
#define TAKT_PORT_FPU_RESUME                                                      \
    "cbnz r1, 1f              \n"                                                 \
    "vldm r0!, {s16-s31}      \n"                                                 \
    "bic  lr, lr, #0x10       \n" /* the frame that is uncovered has 104 bytes */ \
    "1:                       \n"

/* Saves s16 - s31 and fpscr of the calling thread, goes through the exchange, and restores them. */
void takt_port_fpu_leave(void);

/* Where a preempted thread with FPCA goes on. */
void takt_port_fpu_resume_preempted(void);

#else

#define TAKT_PORT_FPU_LEAVE
#define TAKT_PORT_FPU_RESUME

#endif

#endif
