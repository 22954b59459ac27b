/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The choice of several jobs; see global.h. */
#include "core/global.h"

#include "core/record.h"
#include "core/urgency.h"

/* On a level there is no order among equals. */
static bool is_more_urgent(const takt_entity_t *a, const takt_entity_t *b) {
    const bool has_keys = a->home->ready.order == TAKT_ORDER_KEYS;
    return takt_is_more_urgent(a->key, a->tie, b->key, has_keys ? b->tie : 0u);
}

void takt_global_init(takt_global_t *global, takt_dispatcher_t *dispatcher, takt_cpu_t **order) {
    global->dispatcher = dispatcher;
    global->order = order;
    global->busy = 0;
    for (uint32_t i = 0; i < dispatcher->ncpu; i++) {
        order[i] = &dispatcher->cpus[i];
    }
}

/* ---- processors ---------------------------------------------------------------------------------- */

/* Moves the busy processor at index `at` to the free ones, by its number. */
static void make_free(takt_global_t *global, uint32_t at) {
    takt_cpu_t **order = global->order;
    takt_cpu_t *cpu = order[at];
    const uint32_t last = global->dispatcher->ncpu - 1u;
    global->busy--;
    while (at < last && (at < global->busy || order[at + 1u] < cpu)) {
        order[at] = order[at + 1u];
        at++;
    }
    order[at] = cpu;
}

/* Finds the processors whose jobs have ended: completed or aborted. */
static void free_ended(takt_global_t *global) {
    for (uint32_t at = global->busy; at > 0; at--) {
        if (!takt_global_runs(global->order[at - 1u])) {
            make_free(global, at - 1u);
        }
    }
}

/* Moves the processor at index `at`, the last busy one, before those that run a less urgent entity. */
static void put_in_order(takt_global_t *global, uint32_t at) {
    takt_cpu_t **order = global->order;
    takt_cpu_t *cpu = order[at];
    while (at > 0 && is_more_urgent(cpu->running, order[at - 1u]->running)) {
        order[at] = order[at - 1u];
        at--;
    }
    order[at] = cpu;
}

/* ---- the ready set -------------------------------------------------------------------------------- */

/* Returns a displaced entity to the set, ahead of its equals: no entity in the set is more urgent. */
static void put_back(takt_ready_t *ready, takt_entity_t *entity) {
    if (ready->order == TAKT_ORDER_KEYS) {
        takt_keys_insert(&ready->keys, entity);
    } else {
        takt_levels_insert_first(&ready->levels, entity, ready->levels.depth);
    }
    takt_entity_set_state(entity, TAKT_STATE_READY);
}

/* Removes `entity` to run it. A non-preemptive job that starts cannot be displaced from now on. */
static void take_out(takt_ready_t *ready, takt_entity_t *entity, takt_instant_t now) {
    takt_ready_remove(ready, entity);
    takt_entity_clear_state(entity, TAKT_STATE_READY);
    if ((entity->attributes & TAKT_ATTRIBUTE_LIMITED) != 0) {
        takt_urgency_start(entity, now);
    }
}

/* ---- decisions -------------------------------------------------------------------------------------- */

static bool has_free(const takt_global_t *global) { return global->busy < global->dispatcher->ncpu; }

/* Returns the ready entity to run next, NULL if there is none. */
static takt_entity_t *find_next(const takt_global_t *global) {
    takt_entity_t *best = takt_ready_best(&global->dispatcher->root.ready);
    if (best == NULL || has_free(global) || is_more_urgent(best, global->order[global->busy - 1u]->running)) {
        return best;
    }
    return NULL;
}

/* Gives `entity` the first free processor, or that of the least urgent running entity. */
static takt_cpu_t *give_processor(takt_global_t *global, takt_entity_t *entity, takt_instant_t now) {
    takt_ready_t *ready = &global->dispatcher->root.ready;
    take_out(ready, entity, now);
    if (has_free(global)) {
        global->busy++;
    } else {
        put_back(ready, global->order[global->busy - 1u]->running);
    }
    takt_cpu_t *cpu = global->order[global->busy - 1u];
    cpu->running = entity;
    put_in_order(global, global->busy - 1u);
    return cpu;
}

/* Returns the first free processor that the platform still takes for busy; NULL if there is none. */
static takt_cpu_t *find_idle(const takt_global_t *global) {
    for (uint32_t at = global->busy; at < global->dispatcher->ncpu; at++) {
        if (global->order[at]->running != NULL) {
            return global->order[at];
        }
    }
    return NULL;
}

/* Returns a processor that gets another entity or none; NULL if nothing changes. */
static takt_cpu_t *change(takt_global_t *global, takt_instant_t now) {
    free_ended(global);
    takt_entity_t *entity = find_next(global);
    if (entity != NULL) {
        return give_processor(global, entity, now);
    }
    takt_cpu_t *cpu = find_idle(global);
    if (cpu != NULL) {
        cpu->running = NULL;
    }
    return cpu;
}

bool takt_global_take_next(takt_global_t *global, takt_instant_t now, takt_decision_t *decision) {
    takt_dispatcher_t *dispatcher = global->dispatcher;
    takt_cpu_t *cpu = change(global, now);
    decision->entity = cpu != NULL ? cpu->running : NULL;
    decision->until = takt_timers_next(&dispatcher->root.timers);
    decision->cpu = cpu != NULL ? (uint32_t)(cpu - dispatcher->cpus) : 0u;
    decision->sequence = dispatcher->sequence;
    if (cpu != NULL) {
        cpu->charged_at = now;
    }
    if (dispatcher->trace != NULL) {
        takt_record_decision(dispatcher, now, decision, cpu != NULL);
    }
    return cpu != NULL;
}
