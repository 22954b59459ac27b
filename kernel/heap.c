/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Heap; see heap.h. */
#include "kernel/heap.h"

#include "kernel/port.h"

enum {
    UNIT = 2 * sizeof(void *), /* bytes of a header; blocks are multiples of it */
    COLUMN_BITS = 3,
    IS_FREE = 1,
};

#define LEAST sizeof(takt_heap_block_t)
#define LARGEST (((size_t)1 << (TAKT_HEAP_ROWS + COLUMN_BITS - 1)) * UNIT - UNIT)

_Static_assert(TAKT_HEAP_COLUMNS == 1 << COLUMN_BITS, "columns are bits of a size");
_Static_assert(UNIT % TAKT_MEMORY_ALIGNMENT == 0, "blocks are aligned");
_Static_assert(TAKT_HEAP_ROWS >= 1 && TAKT_HEAP_ROWS <= 24, "rows are bits of a word, and sizes of size_t");

/* A list of free blocks. */
typedef struct place {
    uint32_t row;
    uint32_t column;
} place_t;

/* ---- sizes ------------------------------------------------------------------------------------------------- */

/* The highest bit of a number that is not 0. */
static uint32_t highest_bit(uint32_t number) { return 31u - (uint32_t)__builtin_clz(number); }

/* The list of blocks of `bytes`. */
static place_t place_of(size_t bytes) {
    const uint32_t units = (uint32_t)(bytes / UNIT);
    if (units < TAKT_HEAP_COLUMNS) {
        return (place_t){0, units};
    }
    const uint32_t bit = highest_bit(units);
    return (place_t){bit - COLUMN_BITS + 1u, (units >> (bit - COLUMN_BITS)) - TAKT_HEAP_COLUMNS};
}

/* Rounded up to the least size of a list. */
static size_t rounded_up(size_t bytes) {
    const uint32_t units = (uint32_t)(bytes / UNIT);
    if (units < TAKT_HEAP_COLUMNS) {
        return bytes;
    }
    const uint32_t step = UINT32_C(1) << (highest_bit(units) - COLUMN_BITS);
    return (size_t)((units + step - 1u) & ~(step - 1u)) * UNIT;
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

static bool is_free(const takt_heap_block_t *block) { return (block->bytes & IS_FREE) != 0; }

static size_t bytes_of(const takt_heap_block_t *block) { return block->bytes & ~(size_t)IS_FREE; }

static takt_heap_block_t *at(const void *start, size_t bytes) {
    return (takt_heap_block_t *)((uintptr_t)start + bytes);
}

static takt_heap_block_t *behind(const takt_heap_block_t *block) { return at(block, bytes_of(block)); }

/* ---- lists ------------------------------------------------------------------------------------------------- */

static void insert(takt_heap_t *heap, takt_heap_block_t *block, size_t bytes) {
    const place_t place = place_of(bytes);
    takt_heap_block_t **list = &heap->lists[place.row][place.column];
    block->bytes = bytes | IS_FREE;
    block->next = *list;
    block->last = NULL;
    if (*list != NULL) {
        (*list)->last = block;
    }
    *list = block;
    heap->rows |= UINT32_C(1) << place.row;
    heap->columns[place.row] = (uint8_t)(heap->columns[place.row] | 1u << place.column);
}

/* The list of `block`, of which it was the first, has become empty. */
static void clear(takt_heap_t *heap, place_t place) {
    heap->columns[place.row] = (uint8_t)(heap->columns[place.row] & ~(1u << place.column));
    if (heap->columns[place.row] == 0) {
        heap->rows &= ~(UINT32_C(1) << place.row);
    }
}

static void extract(takt_heap_t *heap, const takt_heap_block_t *block) {
    const place_t place = place_of(bytes_of(block));
    if (block->next != NULL) {
        block->next->last = block->last;
    }
    if (block->last != NULL) {
        block->last->next = block->next;
        return;
    }
    heap->lists[place.row][place.column] = block->next;
    if (block->next == NULL) {
        clear(heap, place);
    }
}

/* The first block of the first list whose blocks have at least `bytes`; NULL if there is none. */
static takt_heap_block_t *find(const takt_heap_t *heap, size_t bytes) {
    place_t place = place_of(rounded_up(bytes));
    if (place.row >= TAKT_HEAP_ROWS) {
        return NULL;
    }
    uint32_t columns = heap->columns[place.row] & UINT32_MAX << place.column;
    if (columns == 0) {
        const uint32_t rows = heap->rows & UINT32_MAX << 1u << place.row;
        if (rows == 0) {
            return NULL;
        }
        place.row = (uint32_t)__builtin_ctz(rows);
        columns = heap->columns[place.row];
    }
    return heap->lists[place.row][__builtin_ctz(columns)];
}

/* ---- the interface ----------------------------------------------------------------------------------------- */

/* `block` is allocated with `bytes`; the rest of it stays free, if it is large enough for a block. */
static void split(takt_heap_t *heap, takt_heap_block_t *block, size_t bytes) {
    const size_t all = bytes_of(block);
    block->bytes = all;
    if (all - bytes >= LEAST) {
        takt_heap_block_t *rest = at(block, bytes);
        block->bytes = bytes;
        rest->before = block;
        at(block, all)->before = rest;
        insert(heap, rest, all - bytes);
    }
}

/* Locked. */
static void *take(takt_heap_t *heap, size_t bytes) {
    takt_heap_block_t *block = find(heap, bytes);
    if (block == NULL) {
        return NULL;
    }
    extract(heap, block);
    split(heap, block, bytes);
    heap->free_bytes -= block->bytes;
    if (heap->free_bytes < heap->least_free_bytes) {
        heap->least_free_bytes = heap->free_bytes;
    }
    return at(block, UNIT);
}

static takt_status_t allocate(takt_memory_t *memory, size_t wanted, void **found) {
    takt_heap_t *heap = TAKT_CONTAINER_OF(memory, takt_heap_t, memory);
    if (wanted > LARGEST - UNIT) {
        return TAKT_TIMEOUT;
    }
    const size_t rounded = ((wanted + UNIT - 1u) & ~(size_t)(UNIT - 1)) + UNIT;
    const takt_port_level_t level = takt_port_lock();
    void *const pointer = take(heap, rounded < LEAST ? LEAST : rounded);
    takt_port_unlock(level);
    if (pointer == NULL) {
        return TAKT_TIMEOUT;
    }
    *found = pointer;
    return TAKT_OK;
}

/* True if a pointer is that of an allocated block: both neighbours say so. Nothing outside of the heap is read. */
static bool is_allocated(const takt_heap_t *heap, const void *pointer) {
    const uintptr_t first = (uintptr_t)heap->first;
    const uintptr_t end = (uintptr_t)heap->end;
    const uintptr_t address = (uintptr_t)pointer - UNIT;
    if ((uintptr_t)pointer < first + UNIT || address >= end || (address - first) % UNIT != 0) {
        return false;
    }
    const takt_heap_block_t *block = at(pointer, -(size_t)UNIT);
    if (is_free(block) || block->bytes < LEAST || block->bytes % UNIT != 0 || block->bytes > end - address ||
        behind(block)->before != block) {
        return false;
    }
    const uintptr_t before = (uintptr_t)block->before;
    if (address == first) {
        return before == 0;
    }
    return before >= first && before < address && (before - first) % UNIT == 0 &&
           behind(block->before) == block;
}

/* Locked. */
static void give_back(takt_heap_t *heap, void *pointer) {
    takt_heap_block_t *block = at(pointer, -(size_t)UNIT);
    takt_heap_block_t *next = behind(block);
    size_t bytes = block->bytes;
    heap->free_bytes += bytes;
    if (is_free(next)) {
        extract(heap, next);
        bytes += bytes_of(next);
    }
    if (block->before != NULL && is_free(block->before)) {
        block->bytes |= IS_FREE; /* a pointer to it is no block any more */
        block = block->before;
        extract(heap, block);
        bytes += bytes_of(block);
    }
    at(block, bytes)->before = block;
    insert(heap, block, bytes);
}

static takt_status_t release(takt_memory_t *memory, void *pointer) {
    takt_heap_t *heap = TAKT_CONTAINER_OF(memory, takt_heap_t, memory);
    const takt_port_level_t level = takt_port_lock();
    const bool is_block = is_allocated(heap, pointer);
    if (is_block) {
        give_back(heap, pointer);
    }
    takt_port_unlock(level);
    return is_block ? TAKT_OK : TAKT_ERROR_BLOCK;
}

static const takt_memory_functions_t functions = {.allocate = allocate, .free = release};

takt_status_t takt_heap_init(takt_heap_t *heap, void *region, size_t bytes) {
    if (heap == NULL || region == NULL) {
        return TAKT_ERROR_NULL;
    }
    const size_t usable = bytes - bytes % UNIT;
    if ((uintptr_t)region % UNIT != 0 || usable < LEAST + UNIT || usable - UNIT > LARGEST) {
        return TAKT_ERROR_SIZE;
    }
    *heap = (takt_heap_t){.memory = {&functions}, .first = region, .end = at(region, usable - UNIT)};
    heap->first->before = NULL;
    heap->end->bytes = 0;
    heap->end->before = heap->first;
    heap->free_bytes = heap->least_free_bytes = usable - UNIT;
    insert(heap, heap->first, usable - UNIT);
    return TAKT_OK;
}

size_t takt_heap_free_bytes(const takt_heap_t *heap) { return heap != NULL ? heap->free_bytes : 0; }

size_t takt_heap_least_free_bytes(const takt_heap_t *heap) {
    return heap != NULL ? heap->least_free_bytes : 0;
}
