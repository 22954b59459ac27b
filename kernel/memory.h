/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory: one interface to pools of several sizes (pools.h), to a heap (heap.h), and to what a program brings.
 *
 * The kernel never needs it: every object and stack is the program's, wherever it is. What is created out of such memory
 * is created by the program, or by kernel/dynamic.h. A program without it is linked without it.
 *
 * Invariant of every provider: a block is disjoint from all others that are allocated, aligned to TAKT_MEMORY_ALIGNMENT, and
 * stays where it is until it is freed.
 *
 * When not to use it: everything is known at build time. Then static objects cost no call and no check, and nothing can
 * run out. */
#ifndef TAKT_KERNEL_MEMORY_H
#define TAKT_KERNEL_MEMORY_H

#include "kernel/errors.h"

TAKT_C_BEGIN

struct takt_memory;

/* What a provider of memory defines. Called from threads with the lock open, perhaps from several by turns: a provider
 * locks itself. */
typedef struct takt_memory_functions {
    /* Writes a block of at least `bytes` >= 1 to `block`. Returns TIMEOUT if there is none. */
    takt_status_t (*allocate)(struct takt_memory *memory, size_t bytes, void **block);
    /* Frees `block`, which is not NULL. Returns ERROR_BLOCK if it is no allocated block of `memory`, as far as it knows. */
    takt_status_t (*free)(struct takt_memory *memory, void *block);
} takt_memory_functions_t;

/* A provider: the first member of its object. */
typedef struct takt_memory {
    const takt_memory_functions_t *functions; /* not NULL */
} takt_memory_t;

enum { TAKT_MEMORY_ALIGNMENT = 8 /* bytes; of a thread and its stack, too */ };

/* Writes to `block` a block of at least `bytes`, whose contents are undefined. Threads, or before the start. Returns
 * TIMEOUT if there is none; ERROR_NULL, _SIZE if `bytes` is 0, _IN_ISR or _LOCKED. */
takt_status_t takt_memory_allocate(takt_memory_t *memory, size_t bytes, void **block);

/* Frees `block`. Threads, or before the start. Returns ERROR_NULL, _BLOCK if it is no block of `memory` or is free already,
 * _IN_ISR or _LOCKED. */
takt_status_t takt_memory_free(takt_memory_t *memory, void *block);

TAKT_C_END

#endif
