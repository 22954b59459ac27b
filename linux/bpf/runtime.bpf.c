/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What lowered code needs in the kernel: the bound of its loops, frames of the processor that runs it, and which of its
 * functions are used. */
#include "linux/layout.h"

typedef unsigned int u32;
typedef unsigned long long u64;

static u32 (*const processor)(void) = (void *)8; /* bpf_get_smp_processor_id */

/* False if the verifier's bound of all loops is reached. */
__attribute__((always_inline)) _Bool takt_may_continue(void) {
    asm volatile goto("may_goto %l[reached]" : : : : reached);
    return 1;
reached:
    return 0;
}

/* The object at `offset` of this processor's frames. */
__attribute__((always_inline)) void __attribute__((address_space(1))) * takt_frame(u64 offset) {
    return (void __attribute__((address_space(1))) *)(TAKT_ARENA_FRAMES +
                                                      (u64)processor() * TAKT_ARENA_FRAME_BYTES + offset);
}

extern const volatile unsigned char takt_used[TAKT_FUNCTIONS]; /* memory.h */

/* Whether the domains can call the function with this index. The verifier knows it, because the daemon writes the array before
 * it loads the programs: it does not check what only unused functions need. */
__attribute__((always_inline)) _Bool takt_is_used(u64 function) { return takt_used[function]; }

/* A function returns before its end: takt.bpf.c ends the scheduler. */
__attribute__((always_inline)) void takt_give_up(u64 reason) {
    *(volatile u64 __attribute__((address_space(1))) *)TAKT_ARENA_REFUSED = reason + 1;
}
