/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Decisions for several processors: takt_dispatcher_take_next of dispatcher.h (SPEC.md, 11).
 *
 * Source: global scheduling as in Dhall and Liu 1978, with free job-level migration; the choice of the processor
 * is this project's. Events, timers and jobs are those of one processor.
 *
 * Invariant, after take_next has returned false: running entities are not in the ready set, and no ready entity is
 * more urgent than a running one. `in_order` of the processors' records has the busy processors, most urgent first and
 * among equals in the order of their choice, then the free ones, ascending.
 *
 * Cost of a decision: one removal from the ready set, one insertion if a job is displaced, and O(processors). */
#include "core/record.h"
#include "core/urgency.h"

/* On a level there is no order among equals. */
static bool is_more_urgent(const takt_entity_t *a, const takt_entity_t *b) {
    const bool has_keys = a->parent->ready.order == TAKT_ORDER_KEYS;
    return takt_is_more_urgent(a->key, a->tie, b->key, has_keys ? b->tie : 0u);
}

/* ---- processors ---------------------------------------------------------------------------------- */

/* Moves the busy processor at index `at` to the free ones, by its number. */
static void make_free(takt_dispatcher_t *dispatcher, uint32_t at) {
    takt_cpu_t *cpus = dispatcher->cpus;
    takt_cpu_t *cpu = cpus[at].in_order;
    const uint32_t last = dispatcher->ncpu - 1u;
    dispatcher->busy--;
    while (at < last && (at < dispatcher->busy || cpus[at + 1u].in_order < cpu)) {
        cpus[at].in_order = cpus[at + 1u].in_order;
        at++;
    }
    cpus[at].in_order = cpu;
}

/* Finds the processors whose jobs have ended: completed or aborted. */
static void free_ended(takt_dispatcher_t *dispatcher) {
    for (uint32_t at = dispatcher->busy; at > 0; at--) {
        if (!takt_cpu_runs(dispatcher->cpus[at - 1u].in_order)) {
            make_free(dispatcher, at - 1u);
        }
    }
}

/* Moves the processor at index `at`, the last busy one, before those that run a less urgent entity. */
static void put_in_order(takt_dispatcher_t *dispatcher, uint32_t at) {
    takt_cpu_t *cpus = dispatcher->cpus;
    takt_cpu_t *cpu = cpus[at].in_order;
    while (at > 0 && is_more_urgent(cpu->running, cpus[at - 1u].in_order->running)) {
        cpus[at].in_order = cpus[at - 1u].in_order;
        at--;
    }
    cpus[at].in_order = cpu;
}

/* Restores the order after keys of running entities have changed. */
static void restore_order(takt_dispatcher_t *dispatcher) {
    for (uint32_t at = 1; at < dispatcher->busy; at++) {
        put_in_order(dispatcher, at);
    }
}

/* ---- the ready set -------------------------------------------------------------------------------- */

/* Returns a displaced entity to the set, ahead of its equals: no entity in the set is more urgent. */
static void put_back(takt_ready_t *ready, takt_entity_t *entity) {
    takt_ready_insert_first(ready, entity);
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

static bool has_free(const takt_dispatcher_t *dispatcher) { return dispatcher->busy < dispatcher->ncpu; }

/* Returns the ready entity to run next, NULL if there is none. */
static takt_entity_t *find_next(const takt_dispatcher_t *dispatcher) {
    takt_entity_t *best = takt_ready_best(&dispatcher->root.ready);
    if (best == NULL || has_free(dispatcher) ||
        is_more_urgent(best, dispatcher->cpus[dispatcher->busy - 1u].in_order->running)) {
        return best;
    }
    return NULL;
}

/* Gives `entity` the first free processor, or that of the least urgent running entity. */
static takt_cpu_t *give_processor(takt_dispatcher_t *dispatcher, takt_entity_t *entity, takt_instant_t now) {
    takt_ready_t *ready = &dispatcher->root.ready;
    take_out(ready, entity, now);
    if (has_free(dispatcher)) {
        dispatcher->busy++;
    } else {
        put_back(ready, dispatcher->cpus[dispatcher->busy - 1u].in_order->running);
    }
    takt_cpu_t *cpu = dispatcher->cpus[dispatcher->busy - 1u].in_order;
    cpu->running = entity;
    put_in_order(dispatcher, dispatcher->busy - 1u);
    return cpu;
}

/* Returns the first free processor that the platform still takes for busy; NULL if there is none. */
static takt_cpu_t *find_idle(const takt_dispatcher_t *dispatcher) {
    for (uint32_t at = dispatcher->busy; at < dispatcher->ncpu; at++) {
        if (dispatcher->cpus[at].in_order->running != NULL) {
            return dispatcher->cpus[at].in_order;
        }
    }
    return NULL;
}

/* Returns a processor that gets another entity or none; NULL if nothing changes. */
static takt_cpu_t *change(takt_dispatcher_t *dispatcher, takt_instant_t now) {
    free_ended(dispatcher);
    restore_order(dispatcher);
    takt_entity_t *entity = find_next(dispatcher);
    if (entity != NULL) {
        return give_processor(dispatcher, entity, now);
    }
    takt_cpu_t *cpu = find_idle(dispatcher);
    if (cpu != NULL) {
        cpu->running = NULL;
    }
    return cpu;
}

bool takt_dispatcher_take_next(takt_dispatcher_t *dispatcher, takt_instant_t now, takt_decision_t *decision) {
    takt_cpu_t *cpu = change(dispatcher, now);
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
