/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Block pool; see pool.h. */
#include "kernel/pool.h"

#include "kernel/order.h"

/* A thread that waits for a block. */
typedef struct request {
    takt_wait_t wait;
    void *block;
} request_t;

/* The mark of a free block differs from block to block, and is not a valid address. */
static uintptr_t mark_of(const takt_pool_block_t *block) { return ~(uintptr_t)block; }

TAKT_INLINE void mark(takt_pool_block_t *block, uintptr_t value) {
    if ((TAKT_CHECKS) != 0) {
        block->mark = value;
    }
}

TAKT_INLINE void push(takt_pool_t *pool, takt_pool_block_t *block) {
    mark(block, mark_of(block));
    block->next = pool->free;
    pool->free = block;
}

TAKT_INLINE takt_pool_block_t *pop(takt_pool_t *pool) {
    takt_pool_block_t *block = pool->free;
    pool->free = block->next;
    mark(block, 0);
    return block;
}

static bool is_size_valid(const void *memory, uint32_t block_bytes, uint32_t count) {
    return block_bytes >= TAKT_POOL_BLOCK_BYTES_MIN && (uintptr_t)memory % sizeof(void *) == 0 &&
           block_bytes % sizeof(void *) == 0 && count > 0 && count <= TAKT_POOL_BYTES_MAX / block_bytes;
}

takt_status_t takt_pool_init_fifo(takt_pool_t *pool, void *memory, uint32_t block_bytes, uint32_t count) {
    if (pool == NULL || memory == NULL) {
        return TAKT_ERROR_NULL;
    }
    if (!is_size_valid(memory, block_bytes, count)) {
        return TAKT_ERROR_SIZE;
    }
    takt_waiters_init(&pool->waiters, (int32_t)count);
    pool->free = NULL;
    pool->memory = (uintptr_t)memory;
    pool->block_bytes = block_bytes;
    pool->bytes = block_bytes * count;
    for (uint32_t end = pool->bytes; end > 0; end -= block_bytes) {
        push(pool, (takt_pool_block_t *)(pool->memory + end - block_bytes));
    }
    return TAKT_OK;
}

takt_status_t takt_pool_init(takt_pool_t *pool, void *memory, uint32_t block_bytes, uint32_t count) {
    const takt_status_t status = takt_pool_init_fifo(pool, memory, block_bytes, count);
    if (status == TAKT_OK) {
        takt_order_by_urgency(&pool->waiters);
    }
    return status;
}

#define REQUIRE_POOL(pool, block)                                     \
    TAKT_REQUIRE((pool) != NULL && (block) != NULL, TAKT_ERROR_NULL); \
    TAKT_REQUIRE(takt_waiters_is_initialised(&(pool)->waiters), TAKT_ERROR_OBJECT)

/* ---- allocate ----------------------------------------------------------------------------------- */

static __attribute__((noinline)) takt_status_t wait_for_block(takt_pool_t *pool, void **block,
                                                              takt_duration_t duration) {
    request_t request;
    request.wait.is_node = false;
    request.wait.is_endless = false;
    pool->waiters.count--;
    const takt_status_t status = takt_wait_with(&request.wait, &pool->waiters, duration);
    if (status == TAKT_OK) {
        *block = request.block;
    }
    return status;
}

TAKT_INLINE takt_status_t allocate(takt_pool_t *pool, void **block, takt_duration_t duration) {
    REQUIRE_POOL(pool, block);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    if (TAKT_UNLIKELY(pool->waiters.count <= 0)) {
        return wait_for_block(pool, block, duration);
    }
    pool->waiters.count--;
    *block = pop(pool);
    return takt_port_open();
}

takt_status_t takt_pool_allocate(takt_pool_t *pool, void **block) {
    return allocate(pool, block, TAKT_NEVER);
}

takt_status_t takt_pool_try_allocate(takt_pool_t *pool, void **block) {
    REQUIRE_POOL(pool, block);
    TAKT_REQUIRE_MASKABLE();
    const takt_port_level_t level = takt_port_lock();
    const bool is_there = pool->waiters.count > 0;
    if (is_there) {
        pool->waiters.count--;
        *block = pop(pool);
    }
    takt_port_unlock(level);
    return is_there ? TAKT_OK : TAKT_TIMEOUT;
}

takt_status_t takt_pool_allocate_for(takt_pool_t *pool, void **block, takt_duration_t duration) {
    return duration == 0 ? takt_pool_try_allocate(pool, block) : allocate(pool, block, duration);
}

/* ---- free --------------------------------------------------------------------------------------- */

static bool is_block(const takt_pool_t *pool, const void *block) {
    const uintptr_t offset = (uintptr_t)block - pool->memory;
    return offset < pool->bytes && offset % pool->block_bytes == 0;
}

/* The lowest bit of a mark is 1, because blocks are aligned; without it the block may be damaged. */
static uintptr_t doubt_of(const takt_pool_block_t *block) { return mark_of(block) - 1u; }

static bool is_marked(const takt_pool_block_t *block) { return (block->mark | 1u) == mark_of(block); }

/* Opens and closes the lock: at `level` in an interrupt, NULL in a thread. */
static void pause(const takt_port_level_t *level) {
    if (level == NULL) {
        takt_port_breathe();
        return;
    }
    takt_port_unlock(*level);
    (void)takt_port_lock();
}

/* The mark may be there by chance: only the list shows it. It is searched one block at a time, opening the lock in
 * between. A block allocated meanwhile loses its mark, and the search restarts; if `block` has lost it, it was free. */
static __attribute__((noinline)) bool is_listed(const takt_pool_t *pool, takt_pool_block_t *block,
                                                const takt_port_level_t *level) {
    const takt_pool_block_t *other = pool->free;
    block->mark = doubt_of(block);
    while (other != NULL && other != block) {
        pause(level);
        other = is_marked(other) ? other->next : pool->free;
    }
    const bool is_in_doubt = block->mark == doubt_of(block);
    if (is_in_doubt && other == block) {
        block->mark = mark_of(block);
    }
    return other == block || !is_in_doubt;
}

TAKT_INLINE bool is_free(const takt_pool_t *pool, takt_pool_block_t *block, const takt_port_level_t *level) {
    return TAKT_UNLIKELY(is_marked(block)) && is_listed(pool, block, level);
}

/* Gives `block` to the first waiting thread, and returns it, to be woken. */
TAKT_INLINE takt_entity_t *serve(takt_pool_t *pool, void *block) {
    takt_entity_t *waiter = takt_queue_take(&pool->waiters.queue);
    takt_wait_t *wait = takt_thread_of(waiter)->wait;
    pool->waiters.count++;
    TAKT_CONTAINER_OF(wait, request_t, wait)->block = block;
    return waiter;
}

static __attribute__((noinline)) takt_status_t hand_over(takt_pool_t *pool, void *block) {
    return takt_wake(serve(pool, block));
}

takt_status_t takt_pool_free(takt_pool_t *pool, void *block) {
    REQUIRE_POOL(pool, block);
    TAKT_REQUIRE(is_block(pool, block), TAKT_ERROR_BLOCK);
    TAKT_REQUIRE_OPEN();
    takt_port_close();
    TAKT_REQUIRE(!is_free(pool, block, NULL), takt_kernel_refuse(TAKT_ERROR_BLOCK));
    if (TAKT_UNLIKELY(pool->waiters.count < 0)) {
        return hand_over(pool, block);
    }
    pool->waiters.count++;
    push(pool, block);
    return takt_port_open();
}

TAKT_INLINE takt_status_t free_from_isr(takt_pool_t *pool, void *block, takt_port_level_t level) {
    TAKT_REQUIRE(!is_free(pool, block, &level), TAKT_ERROR_BLOCK);
    if (pool->waiters.count < 0) {
        takt_wake_from_isr(serve(pool, block));
        return TAKT_OK;
    }
    pool->waiters.count++;
    push(pool, block);
    return TAKT_OK;
}

takt_status_t takt_pool_free_from_isr(takt_pool_t *pool, void *block) {
    REQUIRE_POOL(pool, block);
    TAKT_REQUIRE(is_block(pool, block), TAKT_ERROR_BLOCK);
    TAKT_REQUIRE_KERNEL_ISR();
    const takt_port_level_t level = takt_port_lock();
    const takt_status_t status = free_from_isr(pool, block, level);
    takt_port_unlock(level);
    return status;
}

uint32_t takt_pool_count(const takt_pool_t *pool) {
    const int32_t count = pool == NULL ? 0 : pool->waiters.count;
    return count > 0 ? (uint32_t)count : 0;
}
