/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A backend whose decisions come late gives, once they come, the decisions of the direct one, each of which considers
 * every event so far. */
#include "core/backend.h"
#include "policy/table.h"
#include "sim/system.h"

#include "random_system.h"

enum { SEQUENCES = 300, EVENTS = 200, LATENCY = 3 };

/* A co-processor in small: it works off one event per look, and begins LATENCY looks late. */
typedef struct slow {
    takt_dispatcher_t *dispatcher;
    takt_event_t queue[EVENTS];
    uint32_t posted;
    uint32_t done;
    uint32_t looks;
} slow_t;

static void slow_post(slow_t *slow, const takt_event_t *event) {
    slow->queue[slow->posted++] = *event;
    slow->looks = 0;
}

static bool slow_settle(slow_t *slow, takt_instant_t now, bool *is_charge_due) {
    if (++slow->looks <= LATENCY) {
        return true;
    }
    if (slow->done == slow->posted) {
        return takt_backend_settle(slow->dispatcher, now, is_charge_due);
    }
    takt_backend_post(slow->dispatcher, &slow->queue[slow->done++]);
    return true;
}

static takt_decision_t slow_take(slow_t *slow, takt_instant_t now) {
    slow->looks = 0;
    return takt_backend_take(slow->dispatcher, now);
}

/* Whether the job of `entity` may try to lock resource `number`: one of its parent, with a ceiling not below it. */
static bool may_lock(const takt_system_t *system, const takt_entity_t *entity, uint64_t number) {
    const takt_policy_t *policy = entity->parent->policy;
    const bool is_at_parent = system->resource_parents[number] == entity->parent;
    const takt_key_t ceiling = system->resources[number].ceiling;
    return is_at_parent && (policy->level == NULL || policy->level(&entity->task->job) >= ceiling);
}

static takt_event_t lock_event(takt_event_kind_t kind, takt_entity_t *entity, takt_instant_t now,
                               takt_resource_t *resource) {
    return (takt_event_t){.kind = kind, .entity = entity, .now = now, .resource = resource};
}

/* The job of `entity` unlocks what it has locked, or locks something, or else completes. */
static takt_event_t event_of_job(const takt_system_t *system, takt_entity_t *entity, takt_instant_t now) {
    const takt_task_extension_t *extension = entity->task->extension;
    if (extension == NULL || check_below(2) == 0) {
        return (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}};
    }
    if (extension->held != NULL) {
        return lock_event(TAKT_EVENT_UNLOCK, entity, now, extension->held);
    }
    const uint64_t number = check_below(system->resource_count);
    if (!may_lock(system, entity, number)) {
        return (takt_event_t){TAKT_EVENT_COMPLETE, entity, now, {now}};
    }
    return lock_event(TAKT_EVENT_LOCK, entity, now, &system->resources[number]);
}

/* The event that follows `decision`: its job does something early, or its time ends. */
static takt_event_t event_after(const takt_system_t *system, const takt_decision_t *decision,
                                takt_instant_t now) {
    const takt_duration_t left = decision->until - now;
    const bool is_job = decision->entity != NULL && decision->entity->task != NULL;
    if (is_job && check_below(2) == 0) {
        return event_of_job(system, decision->entity, now + (left > 50 ? 1 + check_below(50) : left));
    }
    return (takt_event_t){TAKT_EVENT_TIME, NULL, decision->until, {decision->until}};
}

/* The same event for the twin system. */
static takt_event_t translated(takt_system_t *twin, const takt_event_t *event) {
    takt_event_t result = *event;
    if (event->entity != NULL) {
        result.entity = takt_system_entity(twin, takt_entity_number(event->entity));
    }
    if (takt_event_is_lock(event)) {
        result.resource = &twin->resources[event->resource->number];
    }
    return result;
}

static void check_same(const takt_decision_t *a, const takt_decision_t *b) {
    CHECK((a->entity == NULL) == (b->entity == NULL));
    CHECK(a->entity == NULL || takt_entity_number(a->entity) == takt_entity_number(b->entity));
    CHECK(a->until == b->until);
    CHECK(a->sequence == b->sequence);
}

/* Hands `event`, unless it is just time, to both. The slow one has been asked before, and has no decision yet. */
static void post_to_both(takt_dispatcher_t *dispatcher, slow_t *slow, takt_system_t *twin,
                         const takt_event_t *event) {
    bool is_charge_due = true;
    CHECK(slow_settle(slow, event->now, &is_charge_due));
    CHECK(is_charge_due);
    if (event->kind != TAKT_EVENT_TIME) {
        const takt_event_t same = translated(twin, event);
        takt_backend_post(dispatcher, event);
        slow_post(slow, &same);
    }
}

static takt_decision_t ask(takt_dispatcher_t *dispatcher, takt_instant_t now, bool is_charge_due) {
    while (takt_backend_settle(dispatcher, now, &is_charge_due)) {
    }
    CHECK(!is_charge_due);
    return takt_backend_take(dispatcher, now);
}

static takt_decision_t ask_slow(slow_t *slow, takt_instant_t now, bool is_charge_due) {
    uint32_t looks = 1;
    while (slow_settle(slow, now, &is_charge_due)) {
        looks++;
    }
    CHECK(looks > 1 && slow->done == slow->posted && !is_charge_due);
    return slow_take(slow, now);
}

static void drive(slow_t *slow, const takt_system_t *system, takt_system_t *twin) {
    takt_event_t event = {TAKT_EVENT_TIME, NULL, 0, {0}};
    for (uint32_t i = 0; i < EVENTS && event.now != TAKT_NEVER; i++) {
        post_to_both(system->dispatcher, slow, twin, &event);
        const bool is_charge_due = event.kind == TAKT_EVENT_TIME;
        const takt_decision_t decision = ask(system->dispatcher, event.now, is_charge_due);
        const takt_decision_t late = ask_slow(slow, event.now, is_charge_due);
        CHECK(decision.sequence == slow->posted);
        check_same(&decision, &late);
        event = event_after(system, &decision, event.now);
    }
}

static void check_random_system(void) {
    static random_system_t random_spec;
    takt_system_t system;
    takt_system_t twin;
    random_system_make(&random_spec);
    CHECK(takt_system_create(&system, &random_spec.spec));
    CHECK(takt_system_create(&twin, &random_spec.spec));
    slow_t slow = {.dispatcher = twin.dispatcher};
    drive(&slow, &system, &twin);
    takt_system_destroy(&system);
    takt_system_destroy(&twin);
}

int main(void) {
    check_sequences(check_random_system, SEQUENCES);
    return check_report("test_backend");
}
