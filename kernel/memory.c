/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory; see memory.h. */
#include "kernel/memory.h"

#include "kernel/state.h"

takt_status_t takt_memory_allocate(takt_memory_t *memory, size_t bytes, void **block) {
    TAKT_REQUIRE(memory != NULL && block != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE(bytes != 0, TAKT_ERROR_SIZE);
    TAKT_REQUIRE_OPEN();
    return memory->functions->allocate(memory, bytes, block);
}

takt_status_t takt_memory_free(takt_memory_t *memory, void *block) {
    TAKT_REQUIRE(memory != NULL && block != NULL, TAKT_ERROR_NULL);
    TAKT_REQUIRE_OPEN();
    return memory->functions->free(memory, block);
}
