/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks with an extension, whose jobs arrive as events, suspend, lock or are cut short; and plain periodic ones. */
#include "system/builders.h"

static bool is_extended(const takt_system_spec_t *spec, uint32_t index) {
    const takt_task_spec_t *task = &spec->tasks[index];
    return task->is_external || task->suspends || task->locks || task->changes ||
           task->on_miss != TAKT_ON_MISS_CONTINUE;
}

/* Capacity of a ring, or its initial capacity if the platform lets it grow. */
static uint32_t ring_of(const takt_task_spec_t *task) {
    const uint32_t capacity = task->ring != 0 ? task->ring : (uint32_t)TAKT_SYSTEM_RING;
    return task->is_external ? capacity : 0u;
}

static void lay_out(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec,
                    uint32_t count) {
    uint64_t arrivals = 0;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        arrivals += ring_of(&spec->tasks[i]);
    }
    system->extension_count = count;
    system->extensions = takt_arena_take(arena, count, sizeof(takt_task_extension_t));
    system->rings = takt_arena_take(arena, arrivals, sizeof(takt_arrival_t));
}

static void add(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index, uint32_t number,
                takt_task_parameters_t *parameters) {
    takt_task_extension_t *extension = &system->extensions[number];
    const takt_task_extension_t *last = number > 0 ? extension - 1 : NULL;
    extension->on_miss = spec->tasks[index].on_miss;
    extension->capacity = ring_of(&spec->tasks[index]);
    extension->arrivals = last != NULL ? last->arrivals + last->capacity : system->rings;
    parameters->extension = extension;
    takt_system_add_task(system, spec, index, parameters);
}

const takt_builder_t takt_builder_events = {.takes = is_extended, .lay_out = lay_out, .add = add};

const takt_builder_t takt_builder_periodic = {.takes = NULL};
