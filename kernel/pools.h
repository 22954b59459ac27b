/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Pools: blocks of several sizes, out of block pools (pool.h), behind the interface of memory.h.
 *
 * An allocation takes a block of the smallest size that fits and is not exhausted. O(number of pools). A pool may serve
 * threads that wait for its blocks as well; what is freed here goes to them first.
 *
 * Misuse that is detected: a pointer that is no block of any of the pools; at debug level of the checks (TAKT_CHECKS) a block
 * that is free already. */
#ifndef TAKT_KERNEL_POOLS_H
#define TAKT_KERNEL_POOLS_H

#include "kernel/memory.h"
#include "kernel/pool.h"

TAKT_C_BEGIN

/* Private. */
typedef struct takt_pools {
    takt_memory_t memory; /* first */
    takt_pool_t *pools;
    uint32_t count;
} takt_pools_t;

/* Makes one memory of `count` initialised pools, of ascending block sizes, multiples of TAKT_MEMORY_ALIGNMENT as their memory
 * is. Pass &pools->memory to the calls of memory.h. Returns ERROR_NULL, or _SIZE if `count` is 0 or a size or an address is
 * not so. */
takt_status_t takt_pools_init(takt_pools_t *pools, takt_pool_t *of, uint32_t count);

TAKT_C_END

#endif
