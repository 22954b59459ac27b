/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The guard of the running thread's stack. On ARMv8-M it is the processor's limit of the stack pointer, PSPLIM, in
 * limit.c; else the first TAKT_PORT_GUARD_BYTES that are aligned to their number, read-only
 * by one region of the MPU, which every switch moves. Private to port/cortex_m/ and to boards.
 *
 * A program that uses the MPU itself leaves the region with number 7 to the port and puts none of a larger number over
 * stacks. If the MPU is off at the start, the port switches it on, and all other memory is as without it. A processor
 * without an MPU ignores all of this.
 *
 * Source: ARMv7-M Architecture Reference Manual (DDI 0403E), B3.5 and B3.2.15; B1.5.7 for faults in stacking. ARMv8-M
 * Architecture Reference Manual (DDI 0553), B3.21 for limits. */
#ifndef TAKT_PORT_CORTEX_M_GUARD_H
#define TAKT_PORT_CORTEX_M_GUARD_H

#include "kernel/port.h"

enum { TAKT_PORT_STACK_OFFSET = TAKT_PORT_SP_OFFSET + 4 };

#if TAKT_PORT_GUARDS && TAKT_PORT_LIMITS

/* Loads the stack pointer of the thread in r0, whose stack limit is in force from then on; changes r3. In between there
 * is none, because either stack may lie below the other. A thread whose context stands on another stack than its own,
 * below it, has none either. */
#define TAKT_PORT_STACK_LOAD          \
    "movs r3, #0                  \n" \
    "msr  psplim, r3              \n" \
    "ldr  sp, [r0, %[offset]]     \n" \
    "ldr  r3, [r0, %[stack]]      \n" \
    "adds r3, r3, #7              \n" \
    "cmp  sp, r3                  \n" \
    "it   lo                      \n" \
    "movlo r3, #0                 \n" \
    "msr  psplim, r3              \n"
#define TAKT_PORT_GUARD_OPERANDS , [stack] "i"(TAKT_PORT_STACK_OFFSET)

/* The same for what PendSV stores below an interrupted frame, in r1; changes r2. */
#define TAKT_PORT_LIMIT_CHECK         \
    "mrs  r2, psplim              \n" \
    "sub  r3, r1, #96             \n" \
    "cmp  r3, r2                  \n" \
    "blo  takt_port_limit_hit     \n"

void takt_port_guard_begin(struct takt_thread *first);
void takt_port_guard_fault(void);

#elif TAKT_PORT_GUARDS

#if TAKT_PORT_GUARD_BYTES < 32 || TAKT_PORT_GUARD_BYTES > 4096 || \
    (TAKT_PORT_GUARD_BYTES & (TAKT_PORT_GUARD_BYTES - 1)) != 0
#error "TAKT_PORT_GUARD_BYTES must be a power of two from 32 to 4096"
#endif

enum {
    TAKT_PORT_GUARD_BITS = __builtin_ctz(TAKT_PORT_GUARD_BYTES),
    TAKT_PORT_GUARD_REGION = 7,
    TAKT_PORT_GUARD_SELECT = 1 << 4 | TAKT_PORT_GUARD_REGION, /* RBAR.VALID, RBAR.REGION */
};

#define TAKT_PORT_LIMIT_CHECK

/* Loads the stack pointer of the thread in r0 and moves the guard to its stack; changes r3 and r12. The barrier: memory of the thread that is left
 * may be written at once by the next one. */
#define TAKT_PORT_STACK_LOAD          \
    "ldr  sp, [r0, %[offset]]     \n" \
    "ldr  r3, [r0, %[stack]]      \n" \
    "mov  r12, #0xE000E000        \n" \
    "add  r3, r3, %[last]         \n" \
    "bfc  r3, #0, %[bits]         \n" \
    "orr  r3, r3, %[select]       \n" \
    "str  r3, [r12, #0xD9C]       \n" \
    "dsb                          \n"
#define TAKT_PORT_GUARD_OPERANDS                                                  \
    , [stack] "i"(TAKT_PORT_STACK_OFFSET), [last] "i"(TAKT_PORT_GUARD_BYTES - 1), \
        [bits] "i"(TAKT_PORT_GUARD_BITS), [select] "i"(TAKT_PORT_GUARD_SELECT)

/* Switches guards on, with that of `first`. */
void takt_port_guard_begin(struct takt_thread *first);

/* In the fault handler: reports a hit of the guard, and does not return then. */
void takt_port_guard_fault(void);

#else

#define TAKT_PORT_LIMIT_CHECK
#define TAKT_PORT_STACK_LOAD "ldr  sp, [r0, %[offset]]\n"
#define TAKT_PORT_GUARD_OPERANDS

TAKT_INLINE void takt_port_guard_begin(struct takt_thread *first) { (void)first; }

TAKT_INLINE void takt_port_guard_fault(void) {}

#endif

/* The handler of memory management, bus, usage and hard faults, in builds with guards or TAKT_FAULTS; see fault.c. */
void takt_port_memory_fault(void);

#endif
