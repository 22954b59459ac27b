/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory of stacks: the heap's, or in a process the system's. */
#include "compat/freertos/program.h"

#if defined(__linux__)

#include <stdlib.h>

void *pvPortMallocStack(size_t bytes) {
    const takt_port_level_t level = takt_port_lock();
    void *memory = malloc(bytes);
    takt_port_unlock(level);
    return memory;
}

void vPortFreeStack(void *memory) {
    const takt_port_level_t level = takt_port_lock();
    free(memory);
    takt_port_unlock(level);
}

#elif configSTACK_ALLOCATION_FROM_SEPARATE_HEAP == 0

void *pvPortMallocStack(size_t bytes) { return pvPortMalloc(bytes); }

void vPortFreeStack(void *memory) { vPortFree(memory); }

#endif
