/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The guard of the running thread's stack: the first TAKT_PORT_GUARD_BYTES that are aligned to their number, read-only
 * by one region of the MPU, which every switch moves. Private to port/cortex_m/ and to boards.
 *
 * A program that uses the MPU itself leaves the region with number 7 to the port and puts none of a larger number over
 * stacks. If the MPU is off at the start, the port switches it on, and all other memory is as without it. A processor
 * without an MPU ignores all of this.
 *
 * Source: ARMv7-M Architecture Reference Manual (DDI 0403E), B3.5 and B3.2.15; B1.5.7 for faults in stacking. */
#ifndef TAKT_PORT_CORTEX_M_GUARD_H
#define TAKT_PORT_CORTEX_M_GUARD_H

#include "kernel/port.h"

#if TAKT_PORT_GUARDS

#if TAKT_PORT_GUARD_BYTES < 32 || TAKT_PORT_GUARD_BYTES > 4096 || \
    (TAKT_PORT_GUARD_BYTES & (TAKT_PORT_GUARD_BYTES - 1)) != 0
#error "TAKT_PORT_GUARD_BYTES must be a power of two from 32 to 4096"
#endif

enum {
    TAKT_PORT_STACK_OFFSET = TAKT_PORT_SP_OFFSET + 4,
    TAKT_PORT_GUARD_BITS = __builtin_ctz(TAKT_PORT_GUARD_BYTES),
    TAKT_PORT_GUARD_REGION = 7,
    TAKT_PORT_GUARD_SELECT = 1 << 4 | TAKT_PORT_GUARD_REGION, /* RBAR.VALID, RBAR.REGION */
};

/* Moves the guard to the stack of the thread in r0; changes r3 and r12. The barrier: memory of the thread that is left
 * may be written at once by the next one. */
#define TAKT_PORT_GUARD_MOVE          \
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

/* The handler of memory management faults and of hard faults: a hit of the guard is reported, all else is
 * takt_port_fault. */
void takt_port_memory_fault(void);

#else

#define TAKT_PORT_GUARD_MOVE
#define TAKT_PORT_GUARD_OPERANDS

TAKT_INLINE void takt_port_guard_begin(struct takt_thread *first) { (void)first; }

#endif

#endif
