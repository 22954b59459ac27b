/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The transport within a process. */
#include <string.h>

#include "linux/lib/takt_linux.h"

static takt_linux_place_t *find(const takt_linux_table_t *table, const takt_linux_parameters_t *parameters) {
    for (uint32_t i = 0; i < table->count; i++) {
        takt_linux_place_t *place = &table->places[i];
        const bool is_named = parameters->name == NULL
                                  ? place->entity == parameters->entity
                                  : place->name != NULL && strcmp(place->name, parameters->name) == 0;
        if (is_named) {
            return place;
        }
    }
    return NULL;
}

static takt_linux_status_t join(void *context, const takt_linux_parameters_t *parameters, int32_t thread,
                                takt_linux_binding_t *binding) {
    takt_linux_place_t *place = find(context, parameters);
    if (place == NULL) {
        return TAKT_LINUX_ERROR_NAME;
    }
    int32_t none = 0;
    if (!__atomic_compare_exchange_n(&place->thread, &none, thread, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
        return TAKT_LINUX_ERROR_TAKEN;
    }
    binding->slot = place->slot;
    binding->cpu = place->cpu;
    return TAKT_LINUX_OK;
}

static takt_linux_place_t *place_of(const takt_linux_table_t *table, const takt_linux_binding_t *binding) {
    takt_linux_place_t *place = table->places;
    while (place->slot != binding->slot) {
        place++;
    }
    return place;
}

static takt_linux_status_t enter(void *context, const takt_linux_binding_t *binding, int32_t thread) {
    const takt_linux_table_t *table = context;
    const bool is_bound = table->bind(table->context, place_of(table, binding), thread, true);
    return is_bound ? TAKT_LINUX_OK : TAKT_LINUX_ERROR_DETACHED;
}

static void leave(void *context, const takt_linux_binding_t *binding, int32_t thread) {
    const takt_linux_table_t *table = context;
    takt_linux_place_t *place = place_of(table, binding);
    (void)table->bind(table->context, place, thread, false);
    __atomic_store_n(&place->thread, 0, __ATOMIC_RELEASE);
}

takt_linux_transport_t takt_linux_table(takt_linux_table_t *table) {
    return (takt_linux_transport_t){.context = table, .join = join, .enter = enter, .leave = leave};
}
