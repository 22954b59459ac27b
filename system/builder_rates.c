/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tasks of a rate-based root, and what they share. */
#include "system/builders.h"

static bool is_rated(const takt_system_spec_t *spec, uint32_t index) {
    (void)index;
    return spec->rates != NULL;
}

static void lay_out(takt_system_t *system, takt_arena_t *arena, const takt_system_spec_t *spec,
                    uint32_t count) {
    if (spec->rates != NULL) {
        system->rates = takt_arena_take(arena, count, sizeof(takt_rate_task_t));
        system->rate_shares = takt_arena_take(arena, spec->resource_count, sizeof(takt_rate_share_t));
        system->rate_uses = takt_arena_take(arena, spec->use_count, sizeof(takt_rate_use_t));
    }
}

static void begin(takt_system_t *system, const takt_system_spec_t *spec) {
    if (spec->rates != NULL) {
        takt_rate_based_init(&system->rate_based, spec->rates, system->dispatcher);
    }
}

static void add(takt_system_t *system, const takt_system_spec_t *spec, uint32_t index, uint32_t number,
                takt_task_parameters_t *parameters) {
    const takt_task_spec_t *task = &spec->tasks[index];
    takt_rate_task_t *rate = &system->rates[number];
    parameters->extension = &rate->extension;
    takt_rate_based_add(&system->rate_based, rate, &system->tasks[index],
                        takt_system_entity_of(system, index), parameters, task->weight, task->is_greedy);
    takt_rate_based_set_blocking(rate, (takt_rate_blocking_t){task->blocking, task->excess});
    if (task->adapts) {
        takt_rate_based_adapt(rate);
    }
}

static void add_uses(takt_system_t *system, const takt_system_spec_t *spec) {
    takt_rate_based_set_shares(&system->rate_based, system->rate_shares);
    for (uint32_t i = 0; i < spec->use_count; i++) {
        takt_rate_based_use(&system->rates[spec->uses[i].task], &system->rate_uses[i],
                            &system->resources[spec->uses[i].resource]);
    }
}

const takt_builder_t takt_builder_rates = {
    .takes = is_rated, .lay_out = lay_out, .begin = begin, .add = add, .end = add_uses};
