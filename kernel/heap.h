/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Heap: blocks of any size out of one region, in bounded time.
 *
 * Source: Masmano, Ripoll, Crespo, Real 2004, TLSF: a new dynamic memory allocator for real-time systems. Free blocks stand in
 * lists by size: rows by powers of two, each divided into TAKT_HEAP_COLUMNS; two words of bits say which lists have a block.
 * Allocation takes the first block of the first list whose blocks all fit, and splits it; free joins a block with free
 * neighbours. Both are O(1). Left out: reallocation, regions that are added.
 *
 * Waste: a block has a header of two words; an allocation may find none although a free block is up to 1 /
 * TAKT_HEAP_COLUMNS larger than it needs; and blocks that stay between free ones keep these apart.
 *
 * Misuse that is detected, always: a pointer outside of the heap, or one that is no block; a block that is free already.
 * Not detected: a write beyond a block, which destroys the next header, use after free.
 *
 * Invariant: blocks follow each other without gaps, each knows the one before it, and no two free ones are neighbours.
 *
 * When not to use it: few sizes are needed. Pools (pools.h) have no headers and cannot become fragmented. */
#ifndef TAKT_KERNEL_HEAP_H
#define TAKT_KERNEL_HEAP_H

#include "kernel/memory.h"

TAKT_C_BEGIN

/* Powers of two, beginning with 8 units of two words: 16 reach 2 MB where pointers have 32 bits, 4 MB with 64. */
#ifndef TAKT_HEAP_ROWS
#define TAKT_HEAP_ROWS 16
#endif

enum { TAKT_HEAP_COLUMNS = 8 /* lists of each power of two */ };

/* A block. Private. */
typedef struct takt_heap_block {
    size_t bytes;                   /* with this header; bit 0: it is free. 0: the end of the heap */
    struct takt_heap_block *before; /* in memory; NULL: the first one */
    struct takt_heap_block *next; /* in the list of free ones, as `last`; if it is allocated, the program's */
    struct takt_heap_block *last;
} takt_heap_block_t;

/* Private. 588 bytes on a 32-bit machine. */
typedef struct takt_heap {
    takt_memory_t memory; /* first */
    takt_heap_block_t *first;
    takt_heap_block_t *end;
    size_t free_bytes;
    size_t least_free_bytes;
    uint32_t rows; /* bits: which have a block */
    uint8_t columns[TAKT_HEAP_ROWS];
    takt_heap_block_t *lists[TAKT_HEAP_ROWS][TAKT_HEAP_COLUMNS];
} takt_heap_t;

/* Initialises a heap over `bytes` at `region`, which is aligned to two pointers; what is left over at the end is not
 * used. Pass &heap->memory to the calls of memory.h. Returns ERROR_NULL, or _SIZE if the region is not aligned, or too small
 * for one block, or larger than TAKT_HEAP_ROWS reach. */
takt_status_t takt_heap_init(takt_heap_t *heap, void *region, size_t bytes);

/* Bytes of all free blocks, with their headers, now and at the least since the initialisation. From anywhere. 0 if `heap`
 * is NULL. */
size_t takt_heap_free_bytes(const takt_heap_t *heap);
size_t takt_heap_least_free_bytes(const takt_heap_t *heap);

TAKT_C_END

#endif
