/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The heap: blocks in one list by address, first fit; neighbours that are free become one block.
 *
 * The list is changed with interrupts masked, for a time that grows with the number of free blocks before the one that
 * is found or freed. So memory is allocated and freed by any task, also in critical sections and while the scheduler is
 * suspended.
 *
 * When not to use it: while a program must meet deadlines; create static objects. */
#include "compat/freertos/program.h"

enum { ALIGNMENT = portBYTE_ALIGNMENT, LEAST_BYTES = 2 * sizeof(uint64_t) };

/* In front of what is allocated. */
typedef struct block {
    struct block *next; /* free: the next free one by address; allocated: NULL */
    size_t bytes;       /* with this header */
} block_t;

_Static_assert(sizeof(block_t) % ALIGNMENT == 0, "what follows a header is aligned");

/* Most of a heap is stacks, and a unit of these is larger than the word that programs count with. */
#define UNIT_BYTES 4u
#if defined(__linux__)
#define SCALE 1u
#else
#define SCALE (sizeof(StackType_t) / UNIT_BYTES)
#endif

#if configAPPLICATION_ALLOCATED_HEAP == 1
#define HEAP_BYTES (configTOTAL_HEAP_SIZE)
extern uint8_t ucHeap[HEAP_BYTES];
#elif TAKT_FREERTOS_HEAP
#define HEAP_BYTES ((size_t)(configTOTAL_HEAP_SIZE)*SCALE)
static uint8_t ucHeap[HEAP_BYTES] __attribute__((aligned(8)));
#endif

static block_t *first_free;
static HeapStats_t stats;
static bool is_ready;

static size_t rounded(size_t bytes) { return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

/* Puts `block` into the free blocks, and joins it with its neighbours. Closed. */
static void put(block_t *block) {
    block_t **link = &first_free;
    block_t *before = NULL;
    while (*link != NULL && *link < block) {
        before = *link;
        link = &before->next;
    }
    block->next = *link;
    *link = block;
    if (block->next != NULL && (uint8_t *)block + block->bytes == (uint8_t *)block->next) {
        block->bytes += block->next->bytes;
        block->next = block->next->next;
    }
    if (before != NULL && (uint8_t *)before + before->bytes == (uint8_t *)block) {
        before->bytes += block->bytes;
        before->next = block->next;
    }
}

static void add_region(uint8_t *start, size_t bytes) {
    const size_t loss = rounded((uintptr_t)start) - (uintptr_t)start;
    block_t *block = (block_t *)(void *)(start + loss);
    if (bytes < loss + LEAST_BYTES) {
        return;
    }
    block->bytes = (bytes - loss) & ~(size_t)(ALIGNMENT - 1);
    stats.xAvailableHeapSpaceInBytes += block->bytes;
    stats.xMinimumEverFreeBytesRemaining = stats.xAvailableHeapSpaceInBytes;
    put(block);
}

static void get_ready(void) {
    if (is_ready) {
        return;
    }
    is_ready = true;
#if TAKT_FREERTOS_HEAP
    add_region(ucHeap, HEAP_BYTES);
#endif
}

void vPortDefineHeapRegions(const HeapRegion_t *regions) {
    ASSERT(!is_ready);
    is_ready = true;
    for (; regions->xSizeInBytes != 0; regions++) {
        add_region(regions->pucStartAddress, regions->xSizeInBytes);
    }
}

void vPortInitialiseBlocks(void) {}

/* Cuts `bytes` from the block at `link`. */
static block_t *cut(block_t **link, size_t bytes) {
    block_t *block = *link;
    if (block->bytes - bytes >= LEAST_BYTES) {
        block_t *rest = (block_t *)(void *)((uint8_t *)block + bytes);
        rest->bytes = block->bytes - bytes;
        rest->next = block->next;
        block->bytes = bytes;
        *link = rest;
    } else {
        *link = block->next;
    }
    block->next = NULL;
    stats.xAvailableHeapSpaceInBytes -= block->bytes;
    if (stats.xAvailableHeapSpaceInBytes < stats.xMinimumEverFreeBytesRemaining) {
        stats.xMinimumEverFreeBytesRemaining = stats.xAvailableHeapSpaceInBytes;
    }
    stats.xNumberOfSuccessfulAllocations++;
    return block;
}

static void *allocate(size_t bytes) {
    if (bytes == 0 || bytes > SIZE_MAX - sizeof(block_t) - ALIGNMENT) {
        return NULL;
    }
    const size_t wanted = rounded(bytes + sizeof(block_t));
    const takt_port_level_t level = takt_port_lock();
    get_ready();
    block_t **link = &first_free;
    while (*link != NULL && (*link)->bytes < wanted) {
        link = &(*link)->next;
    }
    block_t *block = *link != NULL ? cut(link, wanted) : NULL;
    takt_port_unlock(level);
    return block != NULL ? block + 1 : NULL;
}

void *pvPortMalloc(size_t bytes) {
    void *memory = allocate(bytes);
#if configUSE_MALLOC_FAILED_HOOK == 1
    if (memory == NULL) {
        vApplicationMallocFailedHook();
    }
#endif
    return memory;
}

void *pvPortCalloc(size_t count, size_t bytes) {
    void *memory = bytes == 0 || count <= SIZE_MAX / bytes ? pvPortMalloc(count * bytes) : NULL;
    return memory != NULL ? __builtin_memset(memory, 0, count * bytes) : NULL;
}

void vPortFree(void *memory) {
    if (memory == NULL) {
        return;
    }
    block_t *block = (block_t *)memory - 1;
    ASSERT(block->next == NULL);
    ASSERT(block->bytes >= LEAST_BYTES);
#if configHEAP_CLEAR_MEMORY_ON_FREE == 1
    __builtin_memset(memory, 0, block->bytes - sizeof(block_t));
#endif
    const takt_port_level_t level = takt_port_lock();
    stats.xAvailableHeapSpaceInBytes += block->bytes;
    stats.xNumberOfSuccessfulFrees++;
    put(block);
    takt_port_unlock(level);
}

/* ---- questions --------------------------------------------------------------------------------------------- */

void vPortGetHeapStats(HeapStats_t *answer) {
    const takt_port_level_t level = takt_port_lock();
    get_ready();
    *answer = stats;
    answer->xSizeOfSmallestFreeBlockInBytes = first_free != NULL ? SIZE_MAX : 0;
    for (const block_t *block = first_free; block != NULL; block = block->next) {
        answer->xNumberOfFreeBlocks++;
        if (block->bytes > answer->xSizeOfLargestFreeBlockInBytes) {
            answer->xSizeOfLargestFreeBlockInBytes = block->bytes;
        }
        if (block->bytes < answer->xSizeOfSmallestFreeBlockInBytes) {
            answer->xSizeOfSmallestFreeBlockInBytes = block->bytes;
        }
    }
    takt_port_unlock(level);
}

size_t xPortGetFreeHeapSize(void) {
    const takt_port_level_t level = takt_port_lock();
    get_ready();
    const size_t bytes = stats.xAvailableHeapSpaceInBytes;
    takt_port_unlock(level);
    return bytes;
}

size_t xPortGetMinimumEverFreeHeapSize(void) {
    (void)xPortGetFreeHeapSize();
    return stats.xMinimumEverFreeBytesRemaining;
}

void xPortResetHeapMinimumEverFreeHeapSize(void) {
    const takt_port_level_t level = takt_port_lock();
    stats.xMinimumEverFreeBytesRemaining = stats.xAvailableHeapSpaceInBytes;
    takt_port_unlock(level);
}
