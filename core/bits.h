/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bits of a 32-bit word. Leading zeros are the one operation of the ready levels and the timers.
 *
 * Machines without the instruction would call a compiler library; core has no undefined symbol, so
 * they take the portable form. */
#ifndef TAKT_CORE_BITS_H
#define TAKT_CORE_BITS_H

#include "core/types.h"

#if defined(__riscv) && !defined(__riscv_zbb)
/* `half` if the upper `half` bits of what is left of the word are 0. */
TAKT_INLINE uint32_t takt_zeros_above(uint32_t word, uint32_t half) {
    return (uint32_t)((word >> (32u - half)) == 0) * half;
}

/* Without branches: 21 instructions, where a loop has 40 and mispredicts. */
TAKT_INLINE uint32_t takt_leading_zeros(uint32_t word) {
    uint32_t zeros = takt_zeros_above(word, 16);
    zeros += takt_zeros_above(word << zeros, 8);
    zeros += takt_zeros_above(word << zeros, 4);
    zeros += takt_zeros_above(word << zeros, 2);
    return zeros + takt_zeros_above(word << zeros, 1);
}
#else
/* Leading zeros of `word`, which is not 0: 0 .. 31. */
TAKT_INLINE uint32_t takt_leading_zeros(uint32_t word) { return (uint32_t)__builtin_clz(word); }
#endif

/* The bit of `index` 0 .. 31 in a word that is searched from its most significant end. */
TAKT_INLINE uint32_t takt_bit(uint32_t index) { return UINT32_C(0x80000000) >> index; }

/* True if `number` is 1, 2, 4 and so on: a length of rings. */
TAKT_INLINE bool takt_is_power_of_two(uint32_t number) {
    return number != 0 && (number & (number - 1u)) == 0;
}

#endif
