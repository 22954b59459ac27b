/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Memory of system.h. */
#include "sim/system.h"

#include <stdlib.h>
#include <string.h>

bool takt_system_create(takt_system_t *system, const takt_system_spec_t *spec) {
    memset(system, 0, sizeof *system);
    const uint64_t bytes = takt_system_size(system, spec);
    void *memory = bytes > 0 && bytes <= SIZE_MAX ? calloc(1, (size_t)bytes) : NULL;
    if (memory == NULL) {
        return false;
    }
    takt_system_build(system, spec, memory);
    return true;
}

/* The first ring of a task is in the system's own memory. */
static void free_ring(const takt_system_t *system, takt_arrival_t *ring) {
    const uintptr_t from_start = (uintptr_t)ring - (uintptr_t)system->memory;
    if (from_start >= system->bytes) {
        free(ring);
    }
}

static bool grow_ring(const takt_system_t *system, takt_task_extension_t *extension) {
    const uint32_t capacity = 2u * extension->capacity;
    takt_arrival_t *ring = malloc(capacity * sizeof *ring);
    if (ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < extension->count; i++) {
        ring[i] = *takt_task_arrival(extension, i);
    }
    free_ring(system, extension->arrivals);
    extension->arrivals = ring;
    extension->capacity = capacity;
    extension->first = 0;
    return true;
}

bool takt_system_reserve(takt_system_t *system, uint32_t index) {
    const takt_task_t *task = &system->tasks[index];
    return takt_task_has_room(task) || grow_ring(system, task->extension);
}

void takt_system_destroy(takt_system_t *system) {
    for (uint32_t i = 0; system->memory != NULL && i < system->extension_count; i++) {
        free_ring(system, system->extensions[i].arrivals);
    }
    free(system->memory);
    system->memory = NULL;
}
