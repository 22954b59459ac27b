/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks whose jobs run in windows (policy/window.h), and their allocators. */
#include "system/builders.h"

static const takt_allocator_t *const allocators[TAKT_WINDOWS] = {
    [TAKT_WINDOWS_SUSPEND] = &takt_allocator_suspend,
    [TAKT_WINDOWS_ABORT] = &takt_allocator_abort,
    [TAKT_WINDOWS_TIME_DRIVEN] = &takt_allocator_time_driven,
    [TAKT_WINDOWS_DUAL_PRIORITY] = &takt_allocator_dual_priority,
    [TAKT_WINDOWS_IMPRECISE] = &takt_allocator_imprecise,
    [TAKT_WINDOWS_TOP] = &takt_allocator_on_top,
    [TAKT_WINDOWS_SPARE_TIME] = &takt_allocator_in_spare_time,
};

static void lay_out(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec,
                    uint32_t count) {
    (void)spec;
    system->windowed_count = count;
    system->windowed = takt_arena_take(arena, count, sizeof(takt_windowed_t));
}

static void add_allocators(takt_system_t *system, const takt_system_spec_t *spec) {
    system->calls.bulk = spec->bulk > 0 ? spec->bulk : 1u;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        if (takt_system_has_windows(spec, i)) {
            const takt_windows_t kind = spec->windows[i].kind;
            takt_allocation_init(&system->allocations[kind], allocators[kind], system->dispatcher);
        }
    }
}

static void add(takt_system_t *system, const takt_system_spec_t *all, uint32_t index, uint32_t number,
                takt_task_parameters_t *parameters) {
    const takt_window_spec_t *spec = &all->windows[index];
    takt_windowed_t *windowed = &system->windowed[number];
    takt_task_t *task = &system->tasks[index];
    takt_entity_t *entity = takt_system_entity_of(system, index);
    parameters->extension = &windowed->extension;
    if (spec->kind >= TAKT_WINDOWS_TOP) {
        takt_calls_take_time(&system->calls, allocators[spec->kind], system->dispatcher, windowed, task,
                             entity, parameters, spec->parameters.part);
    } else {
        takt_windowed_add(&system->allocations[spec->kind], &system->calls, windowed, task, entity,
                          parameters, &spec->parameters);
    }
}

const takt_builder_t takt_builder_windows = {
    .takes = takt_system_has_windows, .lay_out = lay_out, .begin = add_allocators, .add = add};
