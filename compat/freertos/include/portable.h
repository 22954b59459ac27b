/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory, and the types of the machine. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include "portmacro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A free region of the heap, and a list of them that ends with a size of 0. */
typedef struct HeapRegion {
    uint8_t *pucStartAddress;
    size_t xSizeInBytes;
} HeapRegion_t;

/* What the heap has. */
typedef struct xHeapStats {
    size_t xAvailableHeapSpaceInBytes;
    size_t xSizeOfLargestFreeBlockInBytes;
    size_t xSizeOfSmallestFreeBlockInBytes;
    size_t xNumberOfFreeBlocks;
    size_t xMinimumEverFreeBytesRemaining;
    size_t xNumberOfSuccessfulAllocations;
    size_t xNumberOfSuccessfulFrees;
} HeapStats_t;

void *pvPortMalloc(size_t bytes);
void *pvPortCalloc(size_t count, size_t bytes);
void vPortFree(void *memory);
void vPortInitialiseBlocks(void);
void vPortDefineHeapRegions(const HeapRegion_t *regions);
size_t xPortGetFreeHeapSize(void);
size_t xPortGetMinimumEverFreeHeapSize(void);
void xPortResetHeapMinimumEverFreeHeapSize(void);
void vPortGetHeapStats(HeapStats_t *stats);

/* Memory of stacks. In a process it is that of the system: a stack there is larger than the heap of a board. */
void *pvPortMallocStack(size_t bytes);
void vPortFreeStack(void *memory);

#ifdef __cplusplus
}
#endif

#endif
