/* 128-bit products, which core's machines have no instruction for. */
#ifndef TAKT_CORE_WIDE_H
#define TAKT_CORE_WIDE_H

#include "core/types.h"

typedef struct takt_wide {
    uint64_t high;
    uint64_t low;
} takt_wide_t;

TAKT_INLINE takt_wide_t takt_wide_product(uint64_t a, uint64_t b) {
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
    return (takt_wide_t){(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32),
                         other << 32 | (low & UINT32_MAX)};
}

TAKT_INLINE bool takt_wide_is_less(takt_wide_t a, takt_wide_t b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

#endif
