/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A system driven call by call: one test at a time makes one, hands over events and looks at decisions. */
#ifndef TAKT_TESTS_DRIVEN_H
#define TAKT_TESTS_DRIVEN_H

#include "policy/table.h"
#include "sim/system.h"

#include "check.h"

static takt_system_t driven;

static inline void make_driven(const takt_system_spec_t *spec) { CHECK(takt_system_create(&driven, spec)); }

static inline void destroy_driven(void) { takt_system_destroy(&driven); }

static inline takt_entity_t *task_entity(uint32_t task) { return takt_system_entity_of(&driven, task); }

static inline takt_entity_t *thread_entity(uint32_t thread) { return &driven.threads[thread].entity; }

static inline takt_entity_t *server_entity(uint32_t server) { return &driven.servers[server].entity; }

/* Whether `entity` is to stand in the root's ready set. */
static inline uint32_t stands_at_root(const takt_entity_t *entity) {
    return entity->parent == &driven.dispatcher->root && takt_entity_is_ready(entity);
}

/* Each ready child of the root that has a key of the policy stands in its heap once, and nothing else does. */
static inline void check_ready_set(void) {
    const takt_ready_t *ready = &driven.dispatcher->root.ready;
    uint32_t count = 0;
    for (uint32_t i = 0; i < driven.task_count; i++) {
        count += stands_at_root(task_entity(i));
    }
    for (uint32_t i = 0; i < driven.server_count; i++) {
        count += stands_at_root(server_entity(i));
    }
    for (uint32_t i = 0; i < driven.thread_count; i++) {
        count += stands_at_root(thread_entity(i)) * !takt_ready_is_in_tail(thread_entity(i));
    }
    CHECK(ready->order != TAKT_ORDER_KEYS || ready->keys.count == count);
}

/* Decides without a step; `now` may be later than the last call. */
static inline takt_decision_t take(takt_instant_t now) {
    const takt_decision_t decision = takt_dispatcher_take(driven.dispatcher, now, 0);
    check_ready_set();
    return decision;
}

/* Steps until nothing is due at `now`, and decides. */
static inline takt_decision_t pass(takt_instant_t now) {
    do {
        takt_dispatcher_step(driven.dispatcher, now);
    } while (takt_dispatcher_is_due(driven.dispatcher, now));
    return take(now);
}

/* Hands over an event without asking for a decision. */
static inline void tell_of(takt_event_kind_t kind, takt_entity_t *concerned, takt_instant_t now,
                           takt_instant_t nominal) {
    const takt_event_t event = {kind, concerned, now, {nominal}};
    takt_dispatcher_post(driven.dispatcher, &event);
}

/* Likewise a lock or unlock. */
static inline void tell_lock(takt_event_kind_t kind, takt_entity_t *concerned, takt_instant_t now,
                             uint32_t resource) {
    const takt_event_t event = {
        .kind = kind, .entity = concerned, .now = now, .resource = &driven.resources[resource]};
    takt_dispatcher_post(driven.dispatcher, &event);
}

static inline void tell(takt_event_kind_t kind, takt_entity_t *concerned, takt_instant_t now) {
    tell_of(kind, concerned, now, now);
}

/* Hands over an event and decides, without a step. */
static inline takt_decision_t post(takt_event_kind_t kind, takt_entity_t *concerned, takt_instant_t now) {
    tell(kind, concerned, now);
    return take(now);
}

static inline void check_decision(takt_decision_t decision, const takt_entity_t *one, takt_instant_t until) {
    CHECK(decision.entity == one);
    CHECK(decision.until == until);
}

#endif
