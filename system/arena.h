/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Arena: one block of memory, allocated in order; without a base it only counts. Private to system/. */
#ifndef TAKT_SYSTEM_ARENA_H
#define TAKT_SYSTEM_ARENA_H

#include "core/types.h"

typedef struct takt_arena {
    char *base; /* aligned to 16 bytes, zeroed; NULL: nothing is given out */
    uint64_t used;
} takt_arena_t;

/* Returns memory for `count` objects of `size` bytes, aligned to 16; NULL while the arena only counts. */
TAKT_INLINE void *takt_arena_take(takt_arena_t *arena, uint64_t count, size_t size) {
    const uint64_t at = arena->used;
    arena->used += (count * size + 15u) & ~UINT64_C(15);
    return arena->base != NULL ? arena->base + (size_t)at : NULL;
}

#endif
