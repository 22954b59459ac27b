/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Block pool: blocks of one size out of the caller's memory.
 *
 * Free blocks are a list through the blocks themselves, the last one freed first, so that allocate and free are O(1) and
 * nothing fragments. Threads wait for a block first come first served, whatever their urgency.
 *
 * What is told of misuse while TAKT_CHECKS is 1: a pointer that is no block of this pool; and a block that is free already, as
 * long as nobody has written to its second word since it was freed: a free block is marked there. What is not told: a
 * block that is used after it was freed.
 *
 * Invariant: threads wait only while no block is free.
 *
 * When not to use it: for objects of many sizes; a pool for each size wastes less than it seems and never fails because of
 * what was freed in which order. */
#ifndef TAKT_KERNEL_POOL_H
#define TAKT_KERNEL_POOL_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

/* What a block is while it is free. Private. */
typedef struct takt_pool_block {
    struct takt_pool_block *next;
    uintptr_t mark;
} takt_pool_block_t;

/* 32 bytes on a 32-bit machine. Private. */
typedef struct takt_pool {
    takt_waiters_t waiters; /* for blocks; the count is that of free ones */
    takt_pool_block_t *free;
    uintptr_t memory;
    uint32_t block_bytes;
    uint32_t bytes; /* of all blocks */
} takt_pool_t;

enum { TAKT_POOL_BLOCK_BYTES_MIN = sizeof(takt_pool_block_t) /* of the smallest block */ };
#define TAKT_POOL_BYTES_MAX INT32_MAX /* of all blocks of a pool */

/* Makes a pool of `count` free blocks of `block_bytes` in `memory`, which has room for them. Blocks lie one behind the other,
 * so what they are aligned to follows from `memory` and `block_bytes`, both of which are multiples of the size of a pointer
 * at least. O(count). Nobody waits in it. Returns ERROR_NULL, or _SIZE if `count` is 0, `block_bytes` or `memory` is not such
 * a multiple, `block_bytes` is less than TAKT_POOL_BLOCK_BYTES_MIN or all of it more than TAKT_POOL_BYTES_MAX. */
takt_status_t takt_pool_init(takt_pool_t *pool, void *memory, uint32_t block_bytes, uint32_t count);

/* Takes a free block, waits for one if there is none. What is in it is left over. Threads only. Returns ERROR_NULL, _OBJECT,
 * _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if there is none for a job that may be ended, see kernel/job.h. */
takt_status_t takt_pool_allocate(takt_pool_t *pool, void **block);

/* Likewise, and waits `duration` ticks at the longest. Returns TIMEOUT, and leaves `block` as it is, if there was none until
 * then. */
takt_status_t takt_pool_allocate_for(takt_pool_t *pool, void **block, takt_duration_t duration);

/* Takes a free block if there is one. From anywhere that may call the kernel. Returns TIMEOUT if there is none; ERROR_NULL,
 * _OBJECT or _INTERRUPT. */
takt_status_t takt_pool_try_allocate(takt_pool_t *pool, void **block);

/* Gives `block` back; the first thread that waits gets it, and runs at once if it is more urgent. Threads only. Returns
 * ERROR_NULL, _OBJECT, _BLOCK, _IN_ISR or _LOCKED. */
takt_status_t takt_pool_free(takt_pool_t *pool, void *block);

/* The same for interrupts: the thread runs, if it is more urgent, when the last interrupt has ended. Returns ERROR_NULL,
 * _OBJECT, _BLOCK, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_pool_free_from_isr(takt_pool_t *pool, void *block);

/* How many blocks are free. From anywhere. Returns 0 if `pool` is NULL. */
uint32_t takt_pool_count(const takt_pool_t *pool);

#endif
