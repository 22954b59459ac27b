/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Block pool: blocks of one size from the caller's memory.
 *
 * Free blocks form a list through the blocks themselves, last freed first. So allocate and free are O(1), and there is
 * no fragmentation. The most urgent waiting thread gets the next block, equals in FIFO order;
 * with _init_fifo all are equals.
 *
 * Misuse detected while TAKT_CHECKS is 1: a pointer that is no block of this pool, and a block that is free already. A
 * free block has a mark in its second word; a write to that word hides a double free. Not detected: use after free.
 *
 * Invariant: threads wait only while no block is free.
 *
 * When not to use it: for objects of many sizes. One pool for each size wastes less than it seems, and an allocation
 * never fails because of the order in which blocks were freed. */
#ifndef TAKT_KERNEL_POOL_H
#define TAKT_KERNEL_POOL_H

#include "kernel/errors.h"
#include "kernel/waiters.h"

TAKT_C_BEGIN

/* Contents of a block while it is free. Private. */
typedef struct takt_pool_block {
    struct takt_pool_block *next;
    uintptr_t mark;
} takt_pool_block_t;

/* 32 bytes on a 32-bit machine. Private. */
typedef struct takt_pool {
    takt_waiters_t waiters; /* queue for blocks; the count is the number of free ones */
    takt_pool_block_t *free;
    uintptr_t memory;
    uint32_t block_bytes;
    uint32_t bytes; /* of all blocks */
} takt_pool_t;

enum { TAKT_POOL_BLOCK_BYTES_MIN = sizeof(takt_pool_block_t) /* least size of a block */ };
#define TAKT_POOL_BYTES_MAX INT32_MAX /* of all blocks of a pool */

/* Initialises a pool of `count` free blocks of `block_bytes` in `memory`, which has room for them. Blocks are
 * contiguous, so their alignment follows from `memory` and `block_bytes`, both multiples of the size of a pointer.
 * O(count). No thread may be waiting in it. Returns ERROR_NULL, or _SIZE if `count` is 0, `block_bytes` or `memory` is
 * not such a multiple, `block_bytes` is less than TAKT_POOL_BLOCK_BYTES_MIN, or the total exceeds
 * TAKT_POOL_BYTES_MAX. */
takt_status_t takt_pool_init(takt_pool_t *pool, void *memory, uint32_t block_bytes, uint32_t count);

/* Likewise, but threads are served in FIFO order, regardless of urgency. */
takt_status_t takt_pool_init_fifo(takt_pool_t *pool, void *memory, uint32_t block_bytes, uint32_t count);

/* Takes a free block; waits for one if there is none. Its contents are undefined. Threads only. Returns ERROR_NULL,
 * _OBJECT, _IN_ISR, _LOCKED, _NOT_STARTED, or _WAITS if a job that the scheduler may end would wait, see
 * kernel/job.h. */
takt_status_t takt_pool_allocate(takt_pool_t *pool, void **block);

/* Likewise, but waits at most `duration` ticks. Returns TIMEOUT, and leaves `block` as it is, if none became free. */
takt_status_t takt_pool_allocate_for(takt_pool_t *pool, void **block, takt_duration_t duration);

/* Takes a free block if there is one. From anywhere that may call the kernel. Returns TIMEOUT if there is none;
 * ERROR_NULL, _OBJECT or _INTERRUPT. */
takt_status_t takt_pool_try_allocate(takt_pool_t *pool, void **block);

/* Frees `block`. The first waiting thread gets it, and runs at once if it is more urgent. Threads only. Returns
 * ERROR_NULL, _OBJECT, _BLOCK, _IN_ISR or _LOCKED. */
takt_status_t takt_pool_free(takt_pool_t *pool, void *block);

/* The same for interrupts: a woken thread that is more urgent runs when the last interrupt has ended. Returns
 * ERROR_NULL, _OBJECT, _BLOCK, _NOT_IN_ISR or _INTERRUPT. */
takt_status_t takt_pool_free_from_isr(takt_pool_t *pool, void *block);

/* Number of free blocks. From anywhere. Returns 0 if `pool` is NULL. */
uint32_t takt_pool_count(const takt_pool_t *pool);

TAKT_C_END

#endif
