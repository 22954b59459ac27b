/* Leading zeros of a 32-bit word: the one bit operation of the ready levels and the timers.
 *
 * Machines without the instruction would call a compiler library; core has no undefined symbol, so
 * they take the portable form. */
#ifndef TAKT_CORE_BITS_H
#define TAKT_CORE_BITS_H

#include "core/types.h"

#if defined(__riscv) && !defined(__riscv_zbb)
TAKT_INLINE uint32_t takt_leading_zeros(uint32_t word) {
    uint32_t zeros = 0;
    for (uint32_t half = 16; half != 0; half >>= 1) {
        if ((word >> (32u - half)) == 0) {
            zeros += half;
            word <<= half;
        }
    }
    return zeros;
}
#else
/* Leading zeros of `word`, which is not 0: 0 .. 31. */
TAKT_INLINE uint32_t takt_leading_zeros(uint32_t word) { return (uint32_t)__builtin_clz(word); }
#endif

/* The bit of `index` 0 .. 31 in a word that is searched from its most significant end. */
TAKT_INLINE uint32_t takt_bit(uint32_t index) { return UINT32_C(0x80000000) >> index; }

#endif
