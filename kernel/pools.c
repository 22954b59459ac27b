/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Pools; see pools.h. */
#include "kernel/pools.h"

static takt_status_t allocate(takt_memory_t *memory, size_t bytes, void **block) {
    const takt_pools_t *pools = TAKT_CONTAINER_OF(memory, takt_pools_t, memory);
    takt_status_t status = TAKT_TIMEOUT;
    for (uint32_t i = 0; i < pools->count && status == TAKT_TIMEOUT; i++) {
        if (pools->pools[i].block_bytes >= bytes) {
            status = takt_pool_try_allocate(&pools->pools[i], block);
        }
    }
    return status;
}

static takt_status_t release(takt_memory_t *memory, void *block) {
    const takt_pools_t *pools = TAKT_CONTAINER_OF(memory, takt_pools_t, memory);
    for (uint32_t i = 0; i < pools->count; i++) {
        takt_pool_t *pool = &pools->pools[i];
        const uintptr_t offset = (uintptr_t)block - pool->memory;
        if (offset < pool->bytes) {
            return offset % pool->block_bytes == 0 ? takt_pool_free(pool, block) : TAKT_ERROR_BLOCK;
        }
    }
    return TAKT_ERROR_BLOCK;
}

static const takt_memory_functions_t functions = {.allocate = allocate, .free = release};

static bool are_in_order(const takt_pool_t *pools, uint32_t count) {
    bool is_right = count != 0;
    for (uint32_t i = 0; i < count && is_right; i++) {
        is_right = (pools[i].block_bytes | pools[i].memory) % TAKT_MEMORY_ALIGNMENT == 0 &&
                   (i == 0 || pools[i - 1u].block_bytes < pools[i].block_bytes);
    }
    return is_right;
}

takt_status_t takt_pools_init(takt_pools_t *pools, takt_pool_t *of, uint32_t count) {
    if (pools == NULL || of == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!are_in_order(of, count)) {
        return TAKT_ERROR_SIZE;
    }
    *pools = (takt_pools_t){.memory = {&functions}, .pools = of, .count = count};
    return TAKT_OK;
}
